// What the parser says about text that is wrong: place, instruction, what was found and what was wanted.
#include <gtest/gtest.h>

#include "hlo/parser.h"
#include "hlo/printer.h"

namespace subfloor::hlo {
namespace {

struct Case {
  std::string_view text, message;
};

std::string Problem(std::string_view text) {
  const auto module = ParseModule(text, "f.hlo");
  return module ? "read:\n" + Print(**module) : module.error().ToString();
}

TEST(ParserErrors, Modules) {
  constexpr Case kCases[] = {
      {"",
       "f.hlo:1:1: nothing here, wanted HLO text; JAX gives HLO text by "
       "jax.jit(f).lower(*args).as_text(\"hlo\")"},
      {"HloModule", "f.hlo:1:10: found the end of the text, wanted the module's name"},
      {"HloModule m", "f.hlo:1:12: found the end of the text, wanted a computation"},
      {"HloModule m,", "f.hlo:1:13: found the end of the text, wanted an attribute of the module"},
      {"HloModule m, speed=3 e { a = f32[] parameter(0) }",
       "f.hlo:1:14: no attribute of a module is called `speed`; it takes is_scheduled, input_output_alias, "
       "buffer_donor, entry_computation_layout, replica_count, num_partitions, alias_passthrough_params, "
       "allow_spmd_sharding_propagation_to_parameters, allow_spmd_sharding_propagation_to_output, "
       "frontend_attributes, origin_recovery_table, debug_attributes"},
      {"HloModule m, is_scheduled=maybe", "f.hlo:1:27: found `maybe`, wanted true or false"},
      {"HloModule m, replica_count=0", "f.hlo:1:28: a count of 0, wanted 1 or more"},
      {"HloModule m, replica_count=1, replica_count=1",
       "f.hlo:1:31: attribute `replica_count` is given twice"},
      {"HloModule m, input_output_alias={ {0}: (0, {}, perhaps-alias) }",
       "f.hlo:1:48: found `perhaps-alias`, wanted may-alias or must-alias"},
      {"HloModule m, entry_computation_layout={(f32[2])}", "f.hlo:1:48: found `}`, wanted `->`"},
      {"HloModule m, frontend_attributes={a={b}", "f.hlo:1:34: `{` without its `}`"},
      {"e {", "f.hlo:1:4: found the end of the text, wanted an instruction or `}`"},
      {"e { }", "f.hlo:1:5: computation `e` has no instruction"},
      {"ENTRY { a = f32[] parameter(0) } ENTRY f { b = f32[] parameter(0) }",
       "f.hlo:1:34: a second ENTRY; the first is `main`"},
      {"e { a = f32[] parameter(0) } e { a = f32[] parameter(0) }",
       "f.hlo:1:32: a second computation is called `e`"},
      {"e { a = f32[] parameter(0) } trailing", "f.hlo:1:38: found the end of the text, wanted `{` or `(`"},
      {"e { a = f32[] parameter(0) }, execution_thread=t", "f.hlo:1:48: found `t`, wanted a quoted string"},
      {"e { a = f32[] parameter(0) }, thread=\"t\"", "f.hlo:1:31: found `thread`, wanted execution_thread"},
      {"e (x: f32[2]) -> f32[] { a = f32[] parameter(0) }",
       "f.hlo:1:1: the signature of `e` has f32[2] for parameter 0, its body f32[]"},
      {"e () -> f32[] { a = f32[] parameter(0) }",
       "f.hlo:1:1: the signature of `e` has 0 parameters, its body 1"},
      {"e (x: f32[]) -> f32[2] { a = f32[] parameter(0) }",
       "f.hlo:1:1: the signature of `e` has result f32[2], its body f32[]"},
      {"e (x: f32[]) f32[2] { a = f32[] parameter(0) }", "f.hlo:1:14: found `f32`, wanted `->`"},
      {"/* e { a = f32[] parameter(0) }",
       "f.hlo:1:1: found a comment that does not end, wanted a shape or an opcode"},
      {"add(f32[2] x, y)",
       "f.hlo:1:15: %add: operand %y has no shape; an instruction alone must have its operands' shapes "
       "written"},
      {"f32[2] add(f32[2] x, f32[2] x) extra",
       "f.hlo:1:32: %add: found `extra`, wanted the end of the instruction"},
      {"42", "f.hlo:1:1: found `42`, wanted a shape or an opcode"},
      {"%", "f.hlo:1:1: found `%`, wanted an instruction"},
      {"\001\002", "f.hlo:1:1: found the byte 0x01, wanted a shape or an opcode"},
      {"e { a = f32[] parameter(1) }", "f.hlo:1:5: computation `e` has 2 parameters but none of number 0"},
      {"e { a = f32[] parameter(0) b = f32[] parameter(0) }",
       "f.hlo:1:28: %b: a second parameter 0 in computation `e`"},
      {"e { a = f32[] parameter(4000000000) }",
       "f.hlo:1:5: %a: parameter number 4000000000 leaves a gap; they count from 0 without one"},
      {"e { a = f32[] parameter(-1) }", "f.hlo:1:25: %a: parameter number -1; they count from 0"},
      {"e { ROOT a = f32[] parameter(0)\n ROOT b = f32[] negate(a) }",
       "f.hlo:2:7: %b: a second ROOT; the first is %a"},
  };
  for (const auto& [text, message] : kCases) EXPECT_EQ(Problem(text), message) << text;
}

// Each text is the body of a computation and begins in line 2.
TEST(ParserErrors, Instructions) {
  constexpr Case kCases[] = {
      {"a f32[] parameter(0)", "f.hlo:2:3: %a: found `f32`, wanted `=`"},
      {"a = f32 parameter(0)",
       "f.hlo:2:5: %a: found `f32`, wanted a shape or an opcode; a shape has its dimensions in brackets: "
       "f32[]"},
      {"a = g32[] parameter(0)", "f.hlo:2:5: %a: no element type is called `g32`; the nearest is `s32`"},
      {"a = f33[2] parameter(0)", "f.hlo:2:5: %a: no element type is called `f33`; the nearest is `f32`"},
      {"a = f32[] paramter(0)", "f.hlo:2:11: %a: no opcode is called `paramter`; the nearest is `parameter`"},
      {"a = f32[] zzzzzzzz(0)", "f.hlo:2:11: %a: no opcode is called `zzzzzzzz`"},
      {"a = f32[] parameter(x)", "f.hlo:2:21: %a: found `x`, wanted a parameter number"},
      {"a = parameter(0)", "f.hlo:2:1: %a: the shape of parameter does not follow from its operands"},
      {"a = constant(1)", "f.hlo:2:1: %a: constant must have its shape written"},
      {"a = f32[-1] parameter(0)", "f.hlo:2:9: %a: a dimension of size -1; sizes are 0 or more"},
      {"a = f32[2,] parameter(0)",
       "f.hlo:2:11: %a: found `]`, wanted a dimension: a size, `<=` and a bound, or `?`"},
      {"a = f32[2 parameter(0)", "f.hlo:2:11: %a: found `parameter`, wanted `]`"},
      {"a = f32[99999999999999999999] parameter(0)",
       "f.hlo:2:9: %a: 99999999999999999999 does not fit 64 bits"},
      {"a = f32[9223372036854775807,2] parameter(0)",
       "f.hlo:2:5: %a: an array f32[9223372036854775807,2] of more than 2^63 - 1 bytes"},
      {"a = f32[2]{1} parameter(0)",
       "f.hlo:2:11: %a: a layout must name each dimension from 0 to 0 once, 1 is none of them"},
      {"a = f32[2,2]{0,0} parameter(0)",
       "f.hlo:2:13: %a: a layout must name each dimension from 0 to 1 once, 0 is there twice"},
      {"a = f32[2,2]{0} parameter(0)", "f.hlo:2:13: %a: a layout of 1 dimensions for f32[2,2], which has 2"},
      {"a = f32[2]{0:T(2} parameter(0)", "f.hlo:2:17: %a: found `}`, wanted `)`"},
      {"a = f32[2]{0:Q(1)} parameter(0)",
       "f.hlo:2:14: %a: found `Q`, wanted `}` or a part of a layout: T L # * E S SC P M, in this order"},
      {"a = f32[2]{0:D(D)} parameter(0)",
       "f.hlo:2:14: %a: a layout with D(...), of sparse levels; a layout without that part would work"},
      {"a = (f32[2], parameter(0)", "f.hlo:2:14: %a: no element type is called `parameter`"},
      {"a = token[2] parameter(0)", "f.hlo:2:5: %a: token has no dimensions, found 1"},
      {"a = tuple[2] parameter(0)", "f.hlo:2:5: %a: no element type is called `tuple`"},
      {"a = b(f32[], f32[]) parameter(0)", "f.hlo:2:5: %a: a buffer holds one array"},
      {"a = f32[<=x] parameter(0)",
       "f.hlo:2:11: %a: found `x`, wanted a dimension: a size, `<=` and a bound, or `?`"},
      {"a = f32[] negate(b)",
       "f.hlo:2:18: %a: no instruction before this one in computation `e` is called %b"},
      {"a = f32[] parameter(0)\na = f32[] negate(a)",
       "f.hlo:3:1: %a: a second instruction is called %a in computation `e`"},
      {"a = f32[] parameter(0)\nb = f32[] add(a)", "f.hlo:3:1: %b: add with 1 operand, wanted 2"},
      {"a = f32[] parameter(0)\nb = f32[] negate(a, a)", "f.hlo:3:1: %b: negate with 2 operands, wanted 1"},
      {"a = f32[] parameter(0)\nb = f32[] negate(a,)", "f.hlo:3:20: %b: found `)`, wanted an operand"},
      {"a = f32[] parameter(0)\nb = f32[] negate(a", "f.hlo:4:1: %b: found `}`, wanted `,` or `)`"},
      {"a = f32[] parameter(0)\nb = f32[] negate(f32[2] a)",
       "f.hlo:3:18: %b: operand %a is written as f32[2], but is f32[]"},
      {"a = f32[] parameter(0)\nb = f32[] negate(a#0)", "f.hlo:3:19: %b: #0 of %a, which is f32[]"},
      {"a = f32[] parameter(0)\nb = f32[] negate(negate(c))",
       "f.hlo:3:25: %b: no instruction before this one in computation `e` is called %c"},
      {"a = f32[2] parameter(0)\nb = f32[2] negate(f32[2] reverse(a))",
       "f.hlo:3:19: %b: reverse wants attribute `dimensions`"},
      {"a = f32[2] parameter(0)\nb = f32[2] add(a, f32[2] reduce-window(f16[2] a, a))",
       "f.hlo:3:40: %b: operand %a is written as f16[2], but is f32[2]"},
      {"a = f32[2] parameter(0)\nb = f32[2] add(a, f32[2] reduce-window(a, a))",
       "f.hlo:3:19: %b: reduce-window wants 1 called computation, found 0; they are given by to_apply"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a)",
       "f.hlo:3:1: %b: reverse wants attribute `dimensions`"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimension={0}",
       "f.hlo:3:24: %b: reverse has no attribute `dimension`; it takes dimensions, metadata, sharding, "
       "frontend_attributes, backend_config, control-predecessors, origin, statistics, "
       "parameter_replication"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0}, dimensions={0}",
       "f.hlo:3:51: %b: attribute `dimensions` is given twice"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions=0",
       "f.hlo:3:35: %b: found `0`, wanted `{` and a list of integers"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0",
       "f.hlo:5:1: found the end of the text, wanted an instruction or `}`"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions", "f.hlo:4:1: %b: found `}`, wanted `=`"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0}, metadata={}, metadata={}",
       "f.hlo:3:62: %b: attribute `metadata` is given twice"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0}, metadata=x",
       "f.hlo:3:49: %b: found `x`, wanted `{`"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0}, control-predecessors={z}",
       "f.hlo:3:62: %b: no instruction before this one in computation `e` is called %z"},
      {"a = f32[2] parameter(0)\nb = f32[2] reverse(a), dimensions={0}, backend_config=7",
       "f.hlo:3:55: %b: found `7`, wanted a quoted string or `{`"},
      {"a = f32[2] parameter(0)\nb = pred[2] compare(a, a), direction=XX",
       "f.hlo:3:38: %b: found `XX`, wanted one of EQ, NE, GE, GT, LE, LT"},
      {"a = f32[2] parameter(0)\nb = f32[1] slice(a), slice={[0:1:1:1]}",
       "f.hlo:3:35: %b: found `:`, wanted `]`"},
      {"a = f32[2] parameter(0)\nz = f32[] constant(0)\nb = f32[2] pad(a, z), padding=1",
       "f.hlo:4:31: %b: padding wants low_high or low_high_interior in each dimension"},
      {"a = f32[2] parameter(0)\nz = f32[] constant(0)\nb = f32[2] pad(a, z), padding=1_1_-1",
       "f.hlo:4:31: %b: interior padding of -1; it is 0 or more"},
      {"a = f32[2] parameter(0)\nz = f32[] constant(0)\nb = f32[] reduce(a, z), dimensions={0}",
       "f.hlo:4:1: %b: reduce wants 1 called computation, found 0; they are given by to_apply"},
      {"a = f32[2] parameter(0)\nz = f32[] constant(0)\nb = f32[] reduce(a, z), dimensions={0}, to_apply=add",
       "f.hlo:4:50: %b: no computation before this one is called `add`"},
      {"a = f32[2] parameter(0)\nb = f32[2] while(a), condition={ x = pred[] constant(true) }",
       "f.hlo:3:1: %b: while wants 2 called computations, found 1; they are given by condition, body"},
      {"a = f32[2] parameter(0)\nb = f32[2] fusion(a), kind=kLoop, calls={ x = f32[2] parameter(0) y = "
       "f32[2] negat(x) }",
       "f.hlo:3:78: %y: no opcode is called `negat`; the nearest is `negate`"},
      {"a = f32[2] parameter(0)\nb = f32[2] fusion(a), kind=kLoop, calls={ }",
       "f.hlo:3:43: %b: computation `b.calls` has no instruction"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3 pad=1_1}, "
       "dim_labels=b01f_01io->b01f",
       "f.hlo:3:45: %b: pad of 1 dimensions in a window whose size has 2"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3 speed=1}, "
       "dim_labels=b01f_01io->b01f",
       "f.hlo:3:54: %b: found `speed`, wanted `}` or a part of a window: size, stride, pad, lhs_dilate, "
       "rhs_dilate, rhs_reversal"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3 stride=0x1}, "
       "dim_labels=b01f_01io->b01f",
       "f.hlo:3:45: %b: a window wants sizes of 0 or more, strides and dilations of 1 or more"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3}, "
       "dim_labels=b01f",
       "f.hlo:3:67: %b: found `b01f`, wanted labels of a convolution such as b01f_01io->b01f"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3}, "
       "dim_labels=b01x_01io->b01f",
       "f.hlo:3:67: %b: `x` in `b01x`, wanted `b`, `f`, digits or `?`"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3}, "
       "dim_labels=b02f_01io->b01f",
       "f.hlo:3:67: %b: the spatial dimensions of `b02f` must be 0 to 1, each once"},
      {"a = f32[1,8,8,1] parameter(0)\nb = f32[1,8,8,1] convolution(a, a), window={size=3x3}, "
       "dim_labels=b0f_01io->b01f",
       "f.hlo:3:67: %b: input, kernel and output of `b0f_01io->b01f` have 1, 2 and 2 spatial dimensions"},
      {"a = f32[2] parameter(0)\nb = f32[4] all-gather(a), replica_groups=[2,3]<=[4], dimensions={0}",
       "f.hlo:3:42: %b: [2,3]<=[4] is no list of groups; wanted [groups,size]<=[sizes], with T(permutation) "
       "if need be, of equal products up to 2^24"},
      {"a = f32[2] parameter(0)\nb = f32[4] collective-permute(a), source_target_pairs={{0}}",
       "f.hlo:3:55: %b: a list of 1 where pairs {source,target} are wanted"},
      {"a = f32[2] parameter(0)\nb = f32[4] custom-call(a)",
       "f.hlo:3:1: %b: custom-call wants attribute `custom_call_target`"},
      {"a = f32[2] parameter(0)\nb = f32[4] custom-call(a), custom_call_target=\"x",
       "f.hlo:3:47: %b: a string that does not end"},
      {"a = f32[2] parameter(0)\nb = f32[4] custom-call(a), custom_call_target=\"\\q\"",
       "f.hlo:3:49: %b: \\q is no escape that a string may have"},
      {"a = f32[2] parameter(0)\nb = f32[2] negate-done(a)",
       "f.hlo:3:1: %b: negate-done wants the result of a negate-start or negate-update as its first operand"},
      {"a = f32[2] parameter(0)\nb = f32[2] negate-start(a)",
       "f.hlo:3:1: %b: negate-start wants a shape ((operands), result, ...)"},
      {"a = pred[] parameter(0)\nb = f32[] conditional(a, a, a), true_computation={ x = pred[] parameter(0) "
       "}",
       "f.hlo:3:1: %b: conditional on a pred wants two branches, found 1"},
      {"a = f32[2] parameter(0)\nb = reshape(a)",
       "f.hlo:3:1: %b: the shape of reshape does not follow from its operands"},
      {"a = f32[2] parameter(0)\nb = f32[3] parameter(1)\nc = add(a, b)",
       "f.hlo:4:1: %c: operand 1 is f32[3] but operand 0 is f32[2]; add wants equal sizes"},
      {"a = f32[2] constant({1, 2, 3})", "f.hlo:2:28: %a: more than 2 elements in dimension 0 of f32[2]"},
      {"a = f32[2] constant(...)", "f.hlo:2:21: %a: found `...`, wanted `{` and the elements of f32[2]"},
      {"a = f32[1000000,1000000,1000] constant({...})",
       "f.hlo:2:40: %a: an elided constant of more than 2 GiB; print the program with its large constants"},
      {"ROOT", "f.hlo:3:1: found `}`, wanted an instruction"},
      {"a = f32[2] parameter(0), sharding={replicated",
       "f.hlo:4:1: found the end of the text, wanted an instruction or `}`"},
      {"a = f32[] constant(1) /* open",
       "f.hlo:2:23: found a comment that does not end, wanted an instruction or `}`"},
  };
  for (const auto& [text, message] : kCases)
    EXPECT_EQ(Problem(fmt::format("e {{\n{}\n}}\n", text)), message) << text;
}

// Whatever a text is cut down to, it reads or gives an error with a place.
TEST(ParserErrors, EveryPrefix) {
  constexpr std::string_view kText =
      R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }, frontend_attributes={a="x"}
FileNames
1 "a.py"
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY %main (p: f32[2,<=3]) -> (f32[2], c64[2]) {
  %p = f32[2,<=3]{1,0:T(8,128)S(1)} parameter(0), sharding={devices=[2,1]<=[2]}
  %zero = f32[] constant(-nan(0x400001)) /* comment */
  %c = c64[2] constant({(1, 2), (inf, -3e5)}), metadata={op_name="a\"b"}
  %t = (f32[], (pred[2], token[])) constant((1, ({true, false}, token)))
  %r = f32[2]{0} reduce(p, negate(t#0)), dimensions={1}, to_apply={ u = f32[] parameter(0) v = f32[] parameter(1) w = f32[] maximum(u, v) }
  %st = ((f32[2]{0}), f32[1]{0}) slice-start(r), slice={[0:1]}
  ROOT %o = (f32[2], c64[2]) tuple(r, c), control-predecessors={t}
})";
  ASSERT_TRUE(ParseModule(kText)) << ParseModule(kText).error().ToString();
  for (size_t size = 0; size < kText.size(); ++size) {
    const auto module = ParseModule(kText.substr(0, size));
    if (module) {
      // The first computation alone is a program.
      EXPECT_TRUE(kText.substr(0, size).find_last_of('}') == kText.find("add(x, y) }") + 10)
          << kText.substr(0, size);
      continue;
    }
    EXPECT_GT(module.error().position().line, 0) << module.error().ToString();
  }
}

}  // namespace
}  // namespace subfloor::hlo
