#include "hlo/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "hlo/builder.h"
#include "hlo/parser.h"

namespace subfloor::hlo {
namespace {

using enum ElementType;
using ::testing::HasSubstr;

// "ok", or the whole error.
std::string Verdict(const Module& module, const VerifyOptions& options = {}) {
  Status status = Verify(module, options);
  return status ? "ok" : status.error().ToString();
}
std::string Verdict(std::string_view text, const VerifyOptions& options = {}) {
  auto module = ParseModule(text);
  if (!module) return "parse: " + module.error().ToString();
  return Verdict(**module, options);
}

TEST(Verifier, NamesTheInstructionAndItsPlace) {
  EXPECT_EQ(Verdict(R"(
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[16] parameter(1)
  ROOT sum = f32[8] add(a, b)
})"),
            "5:8: %sum: operand 1 is f32[16] but operand 0 is f32[8]; add wants equal sizes");
}

TEST(Verifier, AWrittenShapeMustFit) {
  EXPECT_THAT(Verdict("ENTRY e { a = f32[3] parameter(0) ROOT b = f32[4] add(a, a) }"),
              HasSubstr("the shape is f32[4]; add of these operands gives f32[3]"));
  EXPECT_THAT(Verdict("ENTRY e { a = bf16[3] parameter(0) ROOT b = f32[3] add(a, a) }"),
              HasSubstr("gives bf16[3]"));
  EXPECT_EQ(
      Verdict("ENTRY e { a = bf16[3] parameter(0) b = f32[3] parameter(1) ROOT c = bf16[3] add(a, b) }"),
      "ok");
  EXPECT_EQ(Verdict("ENTRY e { a = f32[2,3]{0,1} parameter(0) ROOT b = f32[2,3]{1,0} negate(a) }"), "ok");
}

TEST(Verifier, CyclesOfOperands) {
  Module module("m");
  Builder b(module.AddComputation("main"));
  Instruction* x = b.Parameter(0, Shape::ArrayOf(kF32, {2}));
  Instruction* y = b.Negate(x);
  Instruction* z = b.Negate(y);
  ASSERT_TRUE(b.Finish(z));
  y->ReplaceOperand(0, z);
  EXPECT_THAT(Verdict(module), HasSubstr("is on a cycle"));
  y->ReplaceOperand(0, x);
  EXPECT_EQ(Verdict(module), "ok");
  z->AddControlSuccessor(y);
  EXPECT_THAT(Verdict(module), HasSubstr("is on a cycle"));
}

TEST(Verifier, CyclesOfCalls) {
  Module module("m");
  const Shape shape = Shape::ArrayOf(kF32, {2});
  Builder entry(module.AddComputation("main")), f(module.AddComputation("f")), g(module.AddComputation("g"));
  ASSERT_TRUE(g.Finish(g.Negate(g.Parameter(0, shape))));
  Instruction* inner = f.Call(std::vector<Instruction*>{f.Parameter(0, shape)}, g.computation());
  ASSERT_TRUE(f.Finish(inner));
  ASSERT_TRUE(
      entry.Finish(entry.Call(std::vector<Instruction*>{entry.Parameter(0, shape)}, f.computation())));
  EXPECT_EQ(Verdict(module), "ok");
  inner->set_called(0, f.computation());
  EXPECT_THAT(Verdict(module), HasSubstr("%f calls %f, which calls it in turn"));
  inner->set_called(0, module.entry());
  EXPECT_THAT(Verdict(module), HasSubstr("calls the entry"));
}

TEST(Verifier, RootsAndParameters) {
  Module module("m");
  Computation* main = module.AddComputation("main");
  EXPECT_THAT(Verdict(module), HasSubstr("has no root"));
  main->set_root(main->AddParameter(1, Shape::Scalar(kF32)));
  EXPECT_THAT(Verdict(module), HasSubstr("no parameter 0"));
  main->AddParameter(0, Shape::Scalar(kF32));
  EXPECT_EQ(Verdict(module), "ok");
  Computation* other = module.AddComputation("other");
  other->set_root(main->root());
  EXPECT_THAT(Verdict(module), HasSubstr("an instruction of another computation"));
  EXPECT_THAT(Verdict(Module("empty")), HasSubstr("no entry"));
}

TEST(Verifier, OperandsStayInside) {
  Module module("m");
  Computation* main = module.AddComputation("main");
  Computation* other = module.AddComputation("other");
  other->set_root(other->AddParameter(0, Shape::Scalar(kF32)));
  main->set_root(main->Add(Opcode::kNegate, Shape::Scalar(kF32), {other->root()}));
  EXPECT_THAT(Verdict(module), HasSubstr("is in another computation"));
}

TEST(Verifier, Layouts) {
  Module module("m");
  Computation* main = module.AddComputation("main");
  Instruction* p = main->AddParameter(0, Shape::ArrayOf(kF32, {2, 3}));
  main->set_root(p);
  EXPECT_EQ(Verdict(module, {.normal_form = true}), "ok");
  for (std::vector<int64_t> bad : {std::vector<int64_t>{0}, {0, 0}, {0, 2}, {0, -1}, {0, 1, 2}}) {
    p->mutable_shape().set_layout(Layout{.minor_to_major = bad, .element_bits = 0, .extras = nullptr});
    EXPECT_THAT(Verdict(module), HasSubstr("does not list each of the 2 dimensions"))
        << testing::PrintToString(bad);
  }
  p->mutable_shape().set_layout(Layout{.minor_to_major = {0, 1}, .element_bits = 0, .extras = nullptr});
  EXPECT_EQ(Verdict(module), "ok");
  EXPECT_THAT(Verdict(module, {.normal_form = true}), HasSubstr("not row-major"));
  EXPECT_THAT(Verdict("ENTRY e { ROOT a = f32[8,128]{1,0:T(8,128)} parameter(0) }", {.normal_form = true}),
              HasSubstr("has tiles"));
  EXPECT_THAT(Verdict("ENTRY e { ROOT a = f32[8]{0:S(5)} parameter(0) }", {.normal_form = true}),
              HasSubstr("memory space"));
  EXPECT_EQ(Verdict("ENTRY e { ROOT a = f32[8,128]{1,0:T(8,128)} parameter(0) }"), "ok");
  EXPECT_EQ(Verdict("ENTRY e { ROOT a = s4[8]{0:E(4)} parameter(0) }", {.normal_form = true}), "ok");
}

TEST(Verifier, OversizedShapes) {
  Module module("m");
  Computation* main = module.AddComputation("main");
  main->set_root(main->AddParameter(0, Shape::ArrayOf(kF32, {int64_t{1} << 40, int64_t{1} << 40})));
  EXPECT_THAT(Verdict(module), HasSubstr("more than 2^63 - 1 bytes"));
}

TEST(Verifier, Schedules) {
  constexpr std::string_view kText = R"(
HloModule m, is_scheduled=true
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] negate(a)
  ROOT c = f32[8] add(b, a)
})";
  EXPECT_EQ(Verdict(kText), "ok");
  auto module = ParseModule(kText);
  ASSERT_TRUE(module);
  Instruction* root = (*module)->entry()->root();
  Instruction* late = (*module)->entry()->Add(Opcode::kNegate, root->shape(), {root->operand(1)});
  root->ReplaceOperand(0, late);
  EXPECT_THAT(Verdict(**module), HasSubstr("%c: is scheduled before its operand %negate"));
}

TEST(Verifier, EntryLayout) {
  EXPECT_EQ(Verdict(R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
ENTRY e { ROOT a = f32[2,3] parameter(0) })"),
            "ok");
  EXPECT_THAT(Verdict(R"(HloModule m, entry_computation_layout={(f32[2,4]{0,1})->f32[2,3]{1,0}}
ENTRY e { ROOT a = f32[2,3] parameter(0) })"),
              HasSubstr("but f32[2,4] in entry_computation_layout"));
  EXPECT_THAT(Verdict(R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2]{0}}
ENTRY e { ROOT a = f32[2,3] parameter(0) })"),
              HasSubstr("the result is f32[2,3]"));
  EXPECT_THAT(Verdict(R"(HloModule m, entry_computation_layout={()->f32[2,3]{1,0}}
ENTRY e { ROOT a = f32[2,3] parameter(0) })"),
              HasSubstr("has 0 parameters"));
}

TEST(Verifier, Aliases) {
  const auto with = [](std::string_view header) {
    return Verdict(
        fmt::format("HloModule m, {}\nENTRY e {{ a = f32[2] parameter(0) b = (f32[2], f32[3]) parameter(1) "
                    "c = f32[3] get-tuple-element(b), index=1 ROOT t = (f32[2], f32[3]) tuple(a, c) }}",
                    header));
  };
  EXPECT_EQ(with("input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {1}) }"), "ok");
  EXPECT_THAT(with("input_output_alias={ {1}: (0, {}) }"), HasSubstr("the sizes must be equal"));
  EXPECT_THAT(with("input_output_alias={ {0}: (0, {}), {0}: (1, {0}) }"), HasSubstr("of the result twice"));
  EXPECT_THAT(with("input_output_alias={ {2}: (0, {}) }"), HasSubstr("there is no array"));
  EXPECT_THAT(with("input_output_alias={ {0}: (2, {}) }"), HasSubstr("names parameter 2; the entry has 2"));
  EXPECT_EQ(with("buffer_donor={ (0, {}) }"), "ok");
  EXPECT_THAT(with("buffer_donor={ (1, {}) }"), HasSubstr("there is no array"));
  EXPECT_THAT(with("input_output_alias={ {0}: (0, {}) }, buffer_donor={ (0, {}) }"),
              HasSubstr("named already"));
}

TEST(Verifier, Collectives) {
  const auto with = [](std::string_view header, std::string_view op) {
    return Verdict(fmt::format(
        "HloModule m{}\nadd {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) "
        "}}\nENTRY e {{ a = f32[4] parameter(0) ROOT r = {} }}",
        header, op));
  };
  constexpr std::string_view kFour = ", replica_count=4";
  EXPECT_EQ(with(kFour, "f32[4] all-reduce(a), replica_groups={{0,1},{2,3}}, to_apply=add"), "ok");
  EXPECT_THAT(with(kFour, "f32[4] all-reduce(a), replica_groups={{0,1},{2,4}}, to_apply=add"),
              HasSubstr("there are 4 replicas"));
  EXPECT_THAT(with(kFour, "f32[4] all-reduce(a), replica_groups={{0,1},{1,2}}, to_apply=add"),
              HasSubstr("name 1 twice"));
  EXPECT_EQ(with(kFour, "f32[4] all-reduce(a), replica_groups={{0,1,2},{3}}, to_apply=add"), "ok");
  EXPECT_THAT(with(kFour, "f32[8] all-gather(a), replica_groups={{0,1,2},{3}}, dimensions={0}"),
              HasSubstr("equal sizes"));
  EXPECT_THAT(
      with(kFour, "f32[4] all-reduce(a), replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add"),
      HasSubstr("without a channel_id"));
  EXPECT_THAT(with(kFour, "f32[4] collective-permute(a), source_target_pairs={{0,1},{0,2}}"),
              HasSubstr("source 0 twice"));
  EXPECT_EQ(with(kFour, "f32[4] collective-permute(a), source_target_pairs={{0,1},{1,0}}"), "ok");
}

TEST(Verifier, HalvesBelongTogether) {
  EXPECT_THAT(Verdict("ENTRY e { a = (f32[2], f32[2], u32[]) parameter(0) ROOT d = f32[2] copy-done(a) }"),
              HasSubstr("copy-done wants a copy-start"));
  EXPECT_EQ(Verdict("ENTRY e { a = f32[2] parameter(0) s = (f32[2], f32[2], u32[]) copy-start(a) "
                    "ROOT d = f32[2] copy-done(s) }"),
            "ok");
}

// Runs a function on a thread with a stack of 512 KiB.
void OnSmallStack(void (*function)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* f) -> void* {
                  reinterpret_cast<void (*)()>(f)();
                  return nullptr;
                },
                reinterpret_cast<void*>(function)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Verifier, AMillionInstructionsInAChain) {
  OnSmallStack([] {
    Module module("m");
    Computation* main = module.AddComputation("main");
    Instruction* value = main->AddParameter(0, Shape::Scalar(kF32));
    for (int i = 0; i < 1'000'000; ++i) value = main->Add(Opcode::kNegate, value->shape(), {value});
    main->set_root(value);
    EXPECT_EQ(Verdict(module), "ok");
  });
}

TEST(Verifier, CallsNestedTenThousandDeep) {
  OnSmallStack([] {
    Module module("m");
    Computation* main = module.AddComputation("main");
    const Shape scalar = Shape::Scalar(kF32);
    Computation* callee = nullptr;
    for (int i = 0; i < 10'000; ++i) {
      Computation* computation = i == 9'999 ? main : module.AddComputation("f");
      Instruction* parameter = computation->AddParameter(0, scalar);
      computation->set_root(
          callee ? computation->Add(Opcode::kCall, scalar, {parameter}, CallAttributes{}, {callee})
                 : parameter);
      callee = computation;
    }
    EXPECT_EQ(Verdict(module), "ok");
  });
}

}  // namespace
}  // namespace subfloor::hlo
