#include "cpu/buffer_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/value_flow.h"
#include "hlo/builder.h"
#include "hlo/module.h"

namespace subfloor::cpu {
namespace {

using hlo::Builder;
using hlo::Computation;
using hlo::Instruction;

const Shape kArray = Shape::ArrayOf(ElementType::kF32, {1024}).WithDefaultLayout();
const Shape kCount = Shape::Scalar(ElementType::kS32).WithDefaultLayout();

// A fusion of one elementwise op.
Instruction* Wrapped(Computation* computation, hlo::Opcode opcode, std::vector<Instruction*> operands,
                     const Shape& shape) {
  Computation* body = computation->parent()->AddComputation("wrapped");
  std::vector<Instruction*> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    parameters.push_back(body->AddParameter(static_cast<int64_t>(i), operands[i]->shape()));
  }
  body->set_root(body->Add(opcode, shape, parameters, hlo::DefaultAttributes(opcode)));
  return computation->Add(hlo::Opcode::kFusion, shape, operands, hlo::FusionAttributes{},
                          std::vector<Computation*>{body});
}

int64_t Copies(const ValueFlow& flow) {
  return std::ranges::count_if(flow.transfers, [](const Transfer& transfer) { return !transfer.elided; });
}

// while (count < 10) (count + 1, f(x)) over a tuple (s32[], f32[1024], f32[1024]); `next` makes the two
// arrays' next values.
template <typename Next>
std::unique_ptr<hlo::Module> Loop(Next&& next) {
  auto module = std::make_unique<hlo::Module>("loop");
  Computation* entry = module->AddComputation("main");
  const Shape state = Shape::Tuple({kCount, kArray, kArray});
  Computation* condition = module->AddComputation("condition");
  {
    Instruction* p = condition->AddParameter(0, state);
    Builder b(condition);
    condition->set_root(Wrapped(condition, hlo::Opcode::kCompare,
                                {b.GetTupleElement(p, 0), b.GetTupleElement(p, 0)},
                                Shape::Scalar(ElementType::kPred).WithDefaultLayout()));
  }
  Computation* body = module->AddComputation("body");
  {
    Instruction* p = body->AddParameter(0, state);
    Builder b(body);
    Instruction* count = Wrapped(body, hlo::Opcode::kNegate, {b.GetTupleElement(p, 0)}, kCount);
    auto [x, y] = next(body, b.GetTupleElement(p, 1), b.GetTupleElement(p, 2));
    body->set_root(b.Tuple({count, x, y}));
  }
  Builder b(entry);
  Instruction* init = b.Tuple(
      {entry->AddParameter(0, kCount), entry->AddParameter(1, kArray), entry->AddParameter(2, kArray)});
  entry->set_root(b.While(init, condition, body));
  EXPECT_TRUE(b.ok());
  module->set_entry(entry);
  return module;
}

TEST(BufferAssignment, ElementwiseLoopStateStaysInPlace) {
  auto module = Loop([](Computation* body, Instruction* x, Instruction* y) {
    return std::pair(Wrapped(body, hlo::Opcode::kNegate, {x}, kArray), y);
  });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  // Three parameters are copied into the state, which is the output; nothing is copied inside of the loop.
  EXPECT_EQ(Copies(flow), 3);
}

TEST(BufferAssignment, AnOperandReadAgainKeepsItsBytes) {
  // y's next value is computed from x after x's next value exists: x must still be whole then.
  auto module = Loop([](Computation* body, Instruction* x, Instruction* y) {
    Instruction* next_x = Wrapped(body, hlo::Opcode::kNegate, {x}, kArray);
    Instruction* next_y = Wrapped(body, hlo::Opcode::kAdd, {next_x, x}, kArray);
    return std::pair(next_x, next_y);
  });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  EXPECT_EQ(Copies(flow), 4);  // and one of x at the end of the body
}

TEST(BufferAssignment, ASwapGoesThroughValuesOfItsOwn) {
  auto module = Loop([](Computation*, Instruction* x, Instruction* y) { return std::pair(y, x); });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  EXPECT_EQ(Copies(flow), 3 + 4);
}

// main(x, y) of two arrays, each donated to the output of its number; `make` gives the outputs.
template <typename Make>
std::unique_ptr<hlo::Module> Donating(Make&& make) {
  auto module = std::make_unique<hlo::Module>("donating");
  Computation* entry = module->AddComputation("main");
  Instruction* x = entry->AddParameter(0, kArray);
  Instruction* y = entry->AddParameter(1, kArray);
  Builder b(entry);
  entry->set_root(b.Tuple(make(entry, x, y)));
  module->set_entry(entry);
  module->header().input_output_alias = {{{0}, 0, {}, false}, {{1}, 1, {}, true}};
  return module;
}

TEST(BufferAssignment, ADonatedParameterIsOverwrittenByItsOutput) {
  auto module = Donating([](Computation* entry, Instruction* x, Instruction* y) {
    return std::vector{Wrapped(entry, hlo::Opcode::kNegate, {x}, kArray), y};
  });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  EXPECT_EQ(Copies(flow), 0);
  EXPECT_EQ(assignment.temp_bytes, 0);
  EXPECT_EQ(assignment.donated_bytes, 2 * 4096);
}

TEST(BufferAssignment, ADonatedParameterStaysWholeForItsLastReader) {
  // The second output is the old x.
  auto module = Donating([](Computation* entry, Instruction* x, Instruction*) {
    return std::vector{Wrapped(entry, hlo::Opcode::kNegate, {x}, kArray), x};
  });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  const auto place = [&](ValueId id) { return assignment.places[static_cast<size_t>(id)]; };
  const ValueId negated = flow.LeavesOf(module->entry()->root()->operand(0))[0];
  EXPECT_NE(std::pair(place(negated).kind, place(negated).index),
            std::pair(place(flow.parameters[0]).kind, place(flow.parameters[0]).index));
}

TEST(BufferAssignment, DonatedParametersThatChangePlacesAreKeptApart) {
  auto module = Donating([](Computation*, Instruction* x, Instruction* y) { return std::vector{y, x}; });
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  EXPECT_EQ(Copies(flow), 4);
}

TEST(BufferAssignment, ADonorGoesToAnOutputOfItsSize) {
  auto module = Donating([](Computation* entry, Instruction* x, Instruction* y) {
    return std::vector{Wrapped(entry, hlo::Opcode::kNegate, {x}, kArray), y};
  });
  module->header().input_output_alias.resize(1);
  module->header().buffer_donor = {{1, {}}};
  const ValueFlow flow = *AnalyzeValueFlow(*module);
  EXPECT_EQ(flow.values[static_cast<size_t>(flow.parameters[1])].donated_to, 1);
}

TEST(BufferAssignment, ArenaIsReusedAndTheLimitKept) {
  // A chain of ten arrays needs two at a time, one of which is the output.
  auto module = std::make_unique<hlo::Module>("chain");
  Computation* entry = module->AddComputation("main");
  Instruction* x = entry->AddParameter(0, kArray);
  for (int i = 0; i < 10; ++i) x = Wrapped(entry, hlo::Opcode::kReverse, {x}, kArray);
  entry->set_root(x);
  module->set_entry(entry);
  ValueFlow flow = *AnalyzeValueFlow(*module);
  BufferAssignment assignment = *AssignBuffers(flow, 0);
  EXPECT_EQ(assignment.temp_bytes, 2 * 4096);
  EXPECT_EQ(assignment.peak_bytes(), 4 * 4096);
  Result<BufferAssignment> refused = AssignBuffers(flow, 3 * 4096);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kOutOfResources);
}

}  // namespace
}  // namespace subfloor::cpu
