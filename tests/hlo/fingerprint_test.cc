#include "hlo/fingerprint.h"

#include <gtest/gtest.h>

#include "hlo/builder.h"
#include "hlo/parser.h"

namespace subfloor::hlo {
namespace {

Fingerprint Of(std::string_view text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module) << module.error().ToString();
  return module ? FingerprintOf(**module) : Fingerprint{};
}

// One program with some of everything. `tests` replace one piece of it at a time.
constexpr std::string_view kProgram =
    R"(HloModule m, input_output_alias={ {0}: (0, {}) }, frontend_attributes={a="1"}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

fused {
  p = f32[4,6] parameter(0)
  q = f32[4,6] parameter(1)
  n = f32[4,6] negate(p)
  ROOT m = f32[4,6] multiply(n, q)
}

ENTRY main {
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  f = f32[4,6]{1,0} fusion(a, b), kind=kLoop, calls=fused, backend_config="k"
  t = f32[6,4]{1,0} transpose(f), dimensions={1,0}
  c = f32[] constant(2)
  r = f32[6]{0} reduce(t, c), dimensions={1}, to_apply=add
  d = f32[4,4]{1,0} dot(f, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[4,6]{1,0} exponential(a), control-predecessors={d}
  cc = () custom-call(e), custom_call_target="log", custom_call_has_side_effect=true
  ROOT tuple = (f32[4,6], f32[6], f32[4,4]) tuple(f, r, d)
}
)";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kProgram);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Fingerprint, NamesMetadataAndCommentsDoNotCount) {
  EXPECT_EQ(Of(kProgram), Of(With("HloModule m,", "HloModule other,")));
  EXPECT_EQ(Of(kProgram),
            Of(With("dimensions={1,0}", "dimensions={1,0}, metadata={op_name=\"x\" source_line=3}")));
  EXPECT_EQ(Of(kProgram), Of(With("ENTRY main", "/* comment */ ENTRY start")));
  std::string renamed(kProgram);
  for (const auto& [from, to] : {std::pair("f = f32", "zz = f32"),
                                 {"transpose(f)", "transpose(zz)"},
                                 {"dot(f,", "dot(zz,"},
                                 {"tuple(f,", "tuple(zz,"}}) {
    const size_t at = renamed.find(from);
    ASSERT_NE(at, std::string::npos);
    renamed.replace(at, std::string_view(from).size(), to);
  }
  EXPECT_EQ(Of(kProgram), Of(renamed));
}

TEST(Fingerprint, TextualOrderDoesNotCountUnlessScheduled) {
  // The constant and the reduction move; computations swap.
  std::string moved(kProgram);
  const std::string constant = "  c = f32[] constant(2)\n";
  moved.erase(moved.find(constant), constant.size());
  moved.insert(moved.find("  a = f32"), constant);
  EXPECT_EQ(Of(kProgram), Of(moved));
  std::string swapped(kProgram);
  const size_t add = swapped.find("add {"), fused = swapped.find("fused {"), entry = swapped.find("ENTRY");
  swapped = swapped.substr(0, add) + swapped.substr(fused, entry - fused) + swapped.substr(add, fused - add) +
            swapped.substr(entry);
  EXPECT_EQ(Of(kProgram), Of(swapped));
  const auto scheduled = [](std::string text) {
    return text.replace(0, 12, "HloModule m, is_scheduled=true,");
  };
  EXPECT_NE(Of(scheduled(std::string(kProgram))), Of(kProgram));
  EXPECT_NE(Of(scheduled(std::string(kProgram))), Of(scheduled(moved)));
}

TEST(Fingerprint, EverySingleChangeCounts) {
  const Fingerprint original = Of(kProgram);
  const std::pair<std::string_view, std::string_view> changes[] = {
      {"(0, {})", "(1, {})"},                             // the alias
      {"(0, {})", "(0, {}, must-alias)"},                 //
      {"{ {0}:", "{ {2}:"},                               //
      {", frontend_attributes={a=\"1\"}", ""},            //
      {"HloModule m,", "HloModule m, replica_count=2,"},  //
      {"HloModule m,", "HloModule m, buffer_donor={ (1, {}) },"},
      {"add(x, y)", "add(y, x)"},                        // operand order
      {"add(x, y)", "add(x, x)"},                        //
      {"add(x, y)", "multiply(x, y)"},                   // opcode
      {"multiply(n, q)", "multiply(q, n)"},              //
      {"constant(2)", "constant(2.0000002)"},            // one bit of a literal
      {"constant(2)", "constant(-2)"},                   //
      {"kind=kLoop", "kind=kInput"},                     // attributes
      {"backend_config=\"k\"", "backend_config=\"l\""},  //
      {", backend_config=\"k\"", ""},                    //
      {"calls=fused, ", "calls=fused, sharding={replicated}, "},
      {", control-predecessors={d}", ""},  // control edge
      {"control-predecessors={d}", "control-predecessors={t}"},
      {", custom_call_has_side_effect=true", ""},                            // effect
      {"target=\"log\"", "target=\"lag\""},                                  //
      {"custom-call(e)", "custom-call(b)"},                                  // below an effect
      {"a = f32[4,6]{1,0} parameter(0)", "a = f32[4,6]{0,1} parameter(0)"},  // layout
      {"t = f32[6,4]{1,0}", "t = f32[6,4]{0,1}"},                            //
      {"fusion(a, b)", "fusion(b, a)"},                                      // parameter order
      {"tuple(f, r, d)", "tuple(a, r, d)"},                                  // root
  };
  std::vector<Fingerprint> seen = {original};
  for (const auto& [from, to] : changes) {
    const Fingerprint changed = Of(With(from, to));
    EXPECT_EQ(std::ranges::count(seen, changed), 0) << from << " -> " << to;
    seen.push_back(changed);
  }
}

TEST(Fingerprint, SharingCounts) {
  // The same tree of values, once with one exponential and once with two.
  EXPECT_NE(Of("ENTRY e { a = f32[2] parameter(0) x = f32[2] exponential(a) ROOT r = f32[2] add(x, x) }"),
            Of("ENTRY e { a = f32[2] parameter(0) x = f32[2] exponential(a) y = f32[2] exponential(a) "
               "ROOT r = f32[2] add(x, y) }"));
}

TEST(Fingerprint, DeadCodeWithoutEffectDoesNotCount) {
  EXPECT_EQ(Of("ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] negate(a) }"),
            Of("ENTRY e { a = f32[2] parameter(0) d = f32[2] sine(a) ROOT r = f32[2] negate(a) }"));
  // A parameter counts even if unused: callers pass it.
  EXPECT_NE(Of("ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] negate(a) }"),
            Of("ENTRY e { a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT r = f32[2] negate(a) }"));
}

TEST(Fingerprint, MissingLayoutsAreRowMajor) {
  EXPECT_EQ(Of("ENTRY e { a = f32[2,3] parameter(0) ROOT r = f32[2,3] negate(a) }"),
            Of("ENTRY e { a = f32[2,3]{1,0} parameter(0) ROOT r = f32[2,3]{1,0} negate(a) }"));
}

TEST(Fingerprint, EqualKernelsOfAModule) {
  auto module = ParseModule(R"(
f { a = f32[2] parameter(0) ROOT r = f32[2] negate(a) }
g { x = f32[2] parameter(0) ROOT y = f32[2] negate(x) }
h { x = f32[2] parameter(0) ROOT y = f32[2] sine(x) }
ENTRY e { p = f32[2] parameter(0) u = f32[2] fusion(p), kind=kLoop, calls=f v = f32[2] fusion(u), kind=kLoop, calls=g
  ROOT w = f32[2] fusion(v), kind=kLoop, calls=h })");
  ASSERT_TRUE(module) << module.error().ToString();
  std::vector<Fingerprint> prints;
  for (const Computation* computation : (*module)->computations())
    prints.push_back(FingerprintOf(*computation));
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_NE(prints[0], prints[2]);
}

TEST(Fingerprint, DeepAndWideProgramsAreLinear) {
  Module module("m");
  Computation* main = module.AddComputation("main");
  Instruction* value = main->AddParameter(0, Shape::Scalar(ElementType::kF32));
  // A chain of diamonds has 2^200000 paths.
  for (int i = 0; i < 200'000; ++i) value = main->Add(Opcode::kAdd, value->shape(), {value, value});
  main->set_root(value);
  EXPECT_EQ(FingerprintOf(module), FingerprintOf(*module.Clone()));
}

}  // namespace
}  // namespace subfloor::hlo
