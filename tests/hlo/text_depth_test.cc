// Long and deeply nested programs read, print and die on a small stack: nothing recurses by the size of its
// input.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "hlo/parser.h"
#include "hlo/printer.h"

namespace subfloor::hlo {
namespace {

constexpr size_t kStackBytes = 512 << 10;

void OnSmallStack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string Repeat(std::string_view text, int64_t count) {
  std::string out;
  out.reserve(text.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out += text;
  return out;
}

// Reads the text, prints it, reads that, and expects the same print again.
void RoundTrip(const std::string& text) {
  OnSmallStack([&] {
    const auto module = ParseModule(text);
    ASSERT_TRUE(module) << module.error().ToString().substr(0, 1000);
    const std::string printed = Print(**module);
    const auto again = ParseModule(printed);
    ASSERT_TRUE(again) << again.error().ToString().substr(0, 1000);
    EXPECT_TRUE(Print(**again) == printed);
    EXPECT_TRUE(Print(*(*again)->Clone()) == printed);
  });
}

TEST(TextDepth, MillionInstructions) {
  std::string text = "ENTRY e {\n  a0 = f32[8]{0} parameter(0)\n";
  for (int i = 1; i <= 1'000'000; ++i) text += fmt::format("  a{} = f32[8]{{0}} negate(a{})\n", i, i - 1);
  text += "}\n";
  OnSmallStack([&] {
    auto module = ParseModule(text);
    ASSERT_TRUE(module) << module.error().ToString();
    EXPECT_EQ((*module)->instruction_count(), 1'000'001);
    const std::string printed = Print(**module, PrintOptions::ShortParsable());
    EXPECT_TRUE(printed.ends_with("  ROOT a1000000 = f32[8]{0} negate(a999999)\n}\n"))
        << printed.substr(printed.size() - 80);
    module->reset();
  });
}

constexpr int64_t kDepth = 100'000;

TEST(TextDepth, NestedTupleShapes) {
  const std::string shape = Repeat("(s32[], ", kDepth) + "f32[2]" + Repeat(")", kDepth);
  RoundTrip("e { p = " + shape + " parameter(0) }");
  OnSmallStack([&] { EXPECT_EQ(ParseShape(shape)->ToString(), shape); });
}

TEST(TextDepth, NestedTupleLiterals) {
  const std::string shape = Repeat("(", kDepth) + "f32[2]" + Repeat(")", kDepth);
  const std::string literal = Repeat("(", kDepth) + "{1, 2}" + Repeat(")", kDepth);
  RoundTrip("e { c = " + shape + " constant(" + literal + ") }");
  RoundTrip("e { c = " + shape + " constant({...}) }");
}

TEST(TextDepth, NestedOperands) {
  RoundTrip("e { p = f32[] parameter(0) n = f32[] negate(" + Repeat("negate(", kDepth) + "p" +
            Repeat(")", kDepth) + ") }");
}

TEST(TextDepth, NestedBodies) {
  constexpr int64_t kBodies = 20'000;
  RoundTrip("e { p = f32[] parameter(0) c = f32[] call(p), to_apply={ " +
            Repeat("q = f32[] parameter(0) c = f32[] call(q), to_apply={ ", kBodies) +
            "r = f32[] parameter(0)" + Repeat(" } ", kBodies) + " } }");
}

TEST(TextDepth, UnclosedNestingIsAnError) {
  for (const std::string& text :
       {"e { p = " + Repeat("(", kDepth), "e { p = f32[] negate(" + Repeat("negate(", kDepth),
        "e { c = " + Repeat("(", kDepth) + "f32[]" + Repeat(")", kDepth) + " constant(" + Repeat("(", kDepth),
        "e { p = f32[] parameter(0) c = f32[] call(p), to_apply=" +
            Repeat("{ q = f32[] parameter(0) c = f32[] call(q), to_apply=", 20'000),
        "e { p = f32[] parameter(0), backend_config=" + Repeat("{", kDepth)}) {
    OnSmallStack([&] {
      const auto module = ParseModule(text);
      ASSERT_FALSE(module);
      EXPECT_EQ(module.error().kind(), ErrorKind::kBadInput);
    });
  }
}

}  // namespace
}  // namespace subfloor::hlo
