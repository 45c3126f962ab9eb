#include "evaluator/evaluate_op.h"

namespace subfloor::evaluator_testing {
namespace {

using ::testing::ElementsAre;

Literal Reduce(Opcode combiner, const Literal& x, double init, std::vector<int64_t> dimensions,
               const Shape& shape) {
  return Op(Opcode::kReduce, shape, {x, Scalar(x.element_type(), init)},
            hlo::DimensionsAttributes{dimensions}, [&](Module& module) {
              return std::vector<Computation*>{BinaryComputation(module, combiner, x.element_type())};
            });
}

TEST(Reduce, AnyDimensions) {
  const Literal x = Array(kS32, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, x, 100, {0}, Shape::ArrayOf(kS32, {3, 2}))),
              ElementsAre(106, 108, 110, 112, 114, 116));
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, x, 0, {1}, Shape::ArrayOf(kS32, {2, 2}))),
              ElementsAre(6, 9, 24, 27));
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, x, 0, {2}, Shape::ArrayOf(kS32, {2, 3}))),
              ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_THAT(Values(Reduce(Opcode::kMaximum, x, -5, {0, 2}, Shape::ArrayOf(kS32, {3}))),
              ElementsAre(7, 9, 11));
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, x, 1, {0, 1, 2}, Shape::Scalar(kS32))), ElementsAre(67));
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, x, 1, {}, x.shape())),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(Reduce, EmptyGivesTheInitialValue) {
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, Array(kF32, {2, 0}, {}), 3, {1}, Shape::ArrayOf(kF32, {2}))),
              ElementsAre(3, 3));
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, Array(kF32, {0, 2}, {}), 3, {1}, Shape::ArrayOf(kF32, {0}))),
              ElementsAre());
}

TEST(Reduce, NarrowFloatsAccumulateWideAndRoundOnce) {
  // In bf16 steps 256 + 1 stays 256; the exact sum 264 is a bf16.
  const Literal ones = Vec(kBF16, {256, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, ones, 0, {0}, Shape::Scalar(kBF16))), ElementsAre(264));
  std::vector<double> many(5000, 0.1);
  const double sum = Values(Reduce(Opcode::kAdd, Vec(kF32, many), 0, {0}, Shape::Scalar(kF32)))[0];
  EXPECT_EQ(sum, static_cast<float>(5000 * static_cast<double>(0.1f)));
}

TEST(Reduce, IntegersWrap) {
  EXPECT_THAT(Values(Reduce(Opcode::kAdd, Vec(kS8, {100, 100, 100}), 0, {0}, Shape::Scalar(kS8))),
              ElementsAre(44));
  EXPECT_THAT(Values(Reduce(Opcode::kMultiply, Vec(kU4, {5, 7}), 1, {0}, Shape::Scalar(kU4))),
              ElementsAre(3));
}

TEST(Reduce, MinMaxSpreadNaN) {
  EXPECT_THAT(Values(Reduce(Opcode::kMaximum, Vec(kF32, {1, kNaN, 3}), -kInf, {0}, Shape::Scalar(kF32))),
              Are({kNaN}));
  EXPECT_THAT(Values(Reduce(Opcode::kMinimum, Vec(kF32, {0.0, -0.0}), kInf, {0}, Shape::Scalar(kF32))),
              Are({-0.0}));
}

TEST(Reduce, AnyOtherCombinerFoldsInIndexOrder) {
  // f(acc, x) = acc - x, for which order and grouping show: 100 - 1 - 2 - 3.
  EXPECT_THAT(Values(Reduce(Opcode::kSubtract, Vec(kS32, {1, 2, 3}), 100, {0}, Shape::Scalar(kS32))),
              ElementsAre(94));
  // f(acc, x) = acc / x in f32 rounds at each step, over a dimension that is not the innermost.
  const Literal x = Array(kF32, {2, 2}, {3, 2, 3, 5});
  const float ninth = (1.0f / 3.0f) / 3.0f;
  EXPECT_THAT(Values(Reduce(Opcode::kDivide, x, 1, {0}, Shape::ArrayOf(kF32, {2}))), Are({ninth, 0.1f}));
}

/// arg-max over (value, index) pairs with the lowest index at ties.
Computation* ArgMax(Module& module) {
  Computation* c = module.AddComputation("arg_max");
  const Shape value = Shape::Scalar(kF32), index = Shape::Scalar(kS32), pred = Shape::Scalar(kPred);
  Instruction* v0 = c->AddParameter(0, value);
  Instruction* i0 = c->AddParameter(1, index);
  Instruction* v1 = c->AddParameter(2, value);
  Instruction* i1 = c->AddParameter(3, index);
  Instruction* better =
      c->Add(Opcode::kCompare, pred, {v1, v0}, hlo::CompareAttributes{hlo::ComparisonDirection::kGt});
  Instruction* v = c->Add(Opcode::kSelect, value, {better, v1, v0});
  Instruction* i = c->Add(Opcode::kSelect, index, {better, i1, i0});
  c->set_root(c->Add(Opcode::kTuple, Shape::Tuple({value, index}), {v, i}));
  return c;
}

TEST(Reduce, ArgMaxIsAVariadicReduce) {
  const Shape shape = Shape::Tuple({Shape::ArrayOf(kF32, {2}), Shape::ArrayOf(kS32, {2})});
  const Literal result = Op(Opcode::kReduce, shape,
                            {Array(kF32, {2, 3}, {1, 7, 7, 9, 2, 9}), Array(kS32, {2, 3}, {0, 1, 2, 0, 1, 2}),
                             Scalar(kF32, -kInf), Scalar(kS32, -1)},
                            hlo::DimensionsAttributes{{1}},
                            [](Module& module) { return std::vector<Computation*>{ArgMax(module)}; });
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(7, 9));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(1, 0));
}

TEST(Reduce, TupleOfRecognisedCombiners) {
  const Shape shape = Shape::Tuple({Shape::Scalar(kBF16), Shape::Scalar(kF32)});
  const Literal result =
      Op(Opcode::kReduce, shape,
         {Vec(kBF16, {256, 1, 1}), Vec(kF32, {1, 5, 2}), Scalar(kBF16, 0), Scalar(kF32, 0)},
         hlo::DimensionsAttributes{{0}}, [](Module& module) {
           Computation* c = module.AddComputation("sum_and_max");
           std::vector<Instruction*> p;
           for (int64_t i = 0; i < 4; ++i) {
             p.push_back(c->AddParameter(i, Shape::Scalar(i % 2 == 0 ? kBF16 : kF32)));
           }
           Instruction* sum = c->Add(Opcode::kAdd, Shape::Scalar(kBF16), {p[0], p[2]});
           Instruction* max = c->Add(Opcode::kMaximum, Shape::Scalar(kF32), {p[3], p[1]});
           c->set_root(c->Add(Opcode::kTuple, Shape::Tuple({sum->shape(), max->shape()}), {sum, max}));
           return std::vector<Computation*>{c};
         });
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(258));  // 256 if each step were rounded
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(5));
}

TEST(Reduce, TheReducersTypeIsTheResults) {
  // bf16 inputs, an f32 accumulator.
  const Literal result = Op(Opcode::kReduce, Shape::Scalar(kF32), {Vec(kBF16, {256, 1}), Scalar(kF32, 0.5)},
                            hlo::DimensionsAttributes{{0}}, [](Module& module) {
                              return std::vector<Computation*>{BinaryComputation(module, Opcode::kAdd, kF32)};
                            });
  EXPECT_THAT(Values(result), ElementsAre(257.5));
}

TEST(Map, AppliesTheComputation) {
  auto divide = [](Module& module) {
    return std::vector<Computation*>{BinaryComputation(module, Opcode::kDivide, kF32)};
  };
  EXPECT_THAT(Values(Op(Opcode::kMap, Shape::ArrayOf(kF32, {3}), {Vec(kF32, {1, 4, 9}), Vec(kF32, {2, 2, 0})},
                        hlo::DimensionsAttributes{{0}}, divide)),
              Are({0.5, 2, kInf}));
}

TEST(Map, OfAComputationWithControlFlow) {
  // x < 0 ? -x : x by a conditional, which no scalar program holds.
  auto absolute = [](Module& module) {
    const Shape f32 = Shape::Scalar(kF32);
    Computation* negative = module.AddComputation("negative");
    negative->set_root(negative->Add(Opcode::kNegate, f32, {negative->AddParameter(0, f32)}));
    Computation* positive = module.AddComputation("positive");
    positive->set_root(positive->AddParameter(0, f32));
    Computation* c = module.AddComputation("absolute");
    Instruction* x = c->AddParameter(0, f32);
    Instruction* zero = c->AddConstant(Scalar(kF32, 0));
    Instruction* less = c->Add(Opcode::kCompare, Shape::Scalar(kPred), {x, zero},
                               hlo::CompareAttributes{hlo::ComparisonDirection::kLt});
    c->set_root(c->Add(Opcode::kConditional, f32, {less, x, x}, std::nullopt, {negative, positive}));
    return std::vector<Computation*>{c};
  };
  EXPECT_THAT(Values(Op(Opcode::kMap, Shape::ArrayOf(kF32, {3}), {Vec(kF32, {-1, 4, -9})},
                        hlo::DimensionsAttributes{{0}}, absolute)),
              ElementsAre(1, 4, 9));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
