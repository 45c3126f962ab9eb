#include "codegen/emitters/kernel.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace subfloor::codegen::emitters {

namespace arith = mlir::arith;
using hlo::Instruction;
using hlo::Opcode;

int64_t Kernel::InPlaceParameter(int64_t leaf) const {
  for (auto [output, parameter] : job.in_place) {
    if (output == leaf) return parameter;
  }
  return -1;
}

std::vector<Output> OutputsOf(const hlo::Computation& body) {
  std::vector<Output> outputs;
  auto add_results = [&](const Instruction* op) {
    if (op->shape().IsTuple()) {
      for (int64_t i = 0; i < op->shape().tuple_size(); ++i) {
        outputs.push_back({op, static_cast<size_t>(i), &op->shape().tuple_shape(i), {}});
      }
    } else {
      outputs.push_back({op, 0, &op->shape(), {}});
    }
  };
  const Instruction* root = body.root();
  if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* operand : root->operands()) add_results(operand);
  } else {
    add_results(root);
  }
  return outputs;
}

Result<mlir::Type> BufferTypeOf(mlir::MLIRContext* context, const Shape& shape) {
  if (!shape.IsArray()) return NotSupported("an argument of shape {}; arrays would work", shape.ToString());
  if (shape.layout() != nullptr && shape.layout()->element_bits != 0) {
    return NotSupported("packed elements in {}; without E({}) it would work", shape.ToString(),
                        shape.layout()->element_bits);
  }
  return mlir::Type(sf::BufferType::get(context, shape.dimensions(), shape.element_type()));
}

int64_t ScratchBytes(const hlo::Computation& body) {
  return body.root()->opcode() == Opcode::kSort ? SortScratchBytes(*body.root()) : 0;
}

Result<EmittedKernel> EmitBody(mlir::ImplicitLocOpBuilder& b, const KernelJob& job,
                               std::span<const mlir::Value> buffers, mlir::Value scratch,
                               const CompileOptions& options, decision::Log* log) {
  const hlo::Computation& body = *job.body;
  const auto inputs = static_cast<size_t>(body.parameter_count());
  Frame frame;
  frame.computation = &body;
  frame.buffers.assign(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(inputs));
  std::vector<Output> outputs = OutputsOf(body);
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].buffer = buffers[inputs + i];
  Emission emission(b, {.vector_bytes = options.cpu.vector_bits / 8}, log);
  Kernel kernel{job, options, emission, frame, std::move(outputs)};
  kernel.scratch_bytes = ScratchBytes(body);
  kernel.scratch = scratch;
  switch (job.emitter) {
    case dispatch::EmitterKind::kSort:
      SF_CHECK(EmitSort(kernel));
      break;
    case dispatch::EmitterKind::kScatter:
      SF_CHECK(EmitScatter(kernel));
      break;
    // On a CPU these differ in how the loops are planned only, and the plan follows from what the loops read.
    case dispatch::EmitterKind::kLoop:
    case dispatch::EmitterKind::kReduction:
    case dispatch::EmitterKind::kTranspose:
    case dispatch::EmitterKind::kConcatenate:
    case dispatch::EmitterKind::kInPlaceUpdate:
      SF_CHECK(EmitLoops(kernel));
      break;
  }
  if (log)
    log->Add({decision::Question::kWorkgroups, decision::Answer::kYes, decision::Fact::kElements,
              kernel.outputs.empty() ? 0 : kernel.outputs[0].shape->element_count(), kernel.workgroups,
              job.instruction});
  return EmittedKernel{kernel.workgroups, kernel.scratch_bytes};
}

Result<EmittedKernel> EmitKernel(mlir::ModuleOp module, const KernelJob& job, const std::string& symbol,
                                 const CompileOptions& options, decision::Log* log) {
  mlir::MLIRContext* context = module.getContext();
  mlir::ImplicitLocOpBuilder b(mlir::UnknownLoc::get(context), context);
  b.setInsertionPointToEnd(module.getBody());

  const hlo::Computation& body = *job.body;
  llvm::SmallVector<mlir::Type> types;
  for (const Instruction* parameter : body.parameters())
    types.push_back(SF_TRY(BufferTypeOf(context, parameter->shape())));
  for (const Output& output : OutputsOf(body)) types.push_back(SF_TRY(BufferTypeOf(context, *output.shape)));
  const int64_t inputs = body.parameter_count();
  const int64_t scratch_bytes = ScratchBytes(body);
  if (scratch_bytes > 0) types.push_back(sf::BufferType::get(context, {scratch_bytes}, ElementType::kU8));
  llvm::SmallVector<int64_t> may_alias;
  for (auto [leaf, parameter] : job.in_place) may_alias.append({parameter, inputs + leaf});

  auto op =
      sf::KernelOp::create(b, symbol, mlir::FunctionType::get(context, types, {}), inputs, /*workgroups=*/1,
                           may_alias.empty() ? nullptr : b.getDenseI64ArrayAttr(may_alias),
                           /*grid=*/nullptr, /*block=*/nullptr, /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  mlir::Block& block = op.getBody().emplaceBlock();
  std::vector<mlir::Value> buffers;
  for (mlir::Type type : types) buffers.push_back(block.addArgument(type, b.getLoc()));
  b.setInsertionPointToEnd(&block);
  auto emitted = EmitBody(b, job, buffers, scratch_bytes > 0 ? buffers.back() : mlir::Value(), options, log);
  if (!emitted) {
    op.erase();
    return emitted;
  }
  b.setInsertionPointToEnd(&block);
  sf::ReturnOp::create(b);
  op.setWorkgroups(static_cast<uint64_t>(emitted->workgroups));
  return emitted;
}

int64_t BytesTouched(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Instruction* parameter : kernel.frame.computation->parameters())
    bytes += parameter->shape().byte_size();
  for (const Output& output : kernel.outputs) bytes += output.shape->byte_size();
  return bytes;
}

int64_t ChooseWorkgroups(const Kernel& kernel, int64_t units, int64_t bytes) {
  // Below this a second thread costs more than it saves.
  constexpr int64_t kBytesWorthATask = 64 << 10;
  return std::max<int64_t>(1, std::min({kernel.options.max_workgroups, units, bytes / kBytesWorthATask}));
}

int64_t ChooseLanes(const Kernel& kernel) {
  // One register of the widest type: what is wider is split again by LLVM, at twice the compile time. Small
  // bodies get two, so that a step of the loop has more work than the loop itself.
  constexpr int64_t kMost = 64, kSmall = 8, kMostBytes = 64;
  const int64_t registers = kernel.frame.computation->instruction_count() <= kSmall ? 2 : 1;
  const int64_t bytes = std::min(kMostBytes, registers * kernel.emission.vector_bytes());
  int64_t widest = 1;
  for (const Instruction* op : kernel.frame.computation->instructions()) {
    if (!op->shape().IsArray() || op->shape().rank() == 0) continue;
    const ElementType type = ComponentType(op->shape().element_type());
    // Narrow floats are computed on in f32.
    const bool computed = IsFloat(type) && !indexing::IsMover(*op) && op->opcode() != Opcode::kParameter;
    widest = std::max<int64_t>(widest, computed ? std::max(4, ByteWidth(type)) : ByteWidth(type));
  }
  return std::clamp<int64_t>(bytes / widest, 1, kMost);
}

Status ForShare(Kernel& kernel, int64_t count, const std::function<Status(Expr)>& body) {
  Emission& e = kernel.emission;
  auto run = [&](Expr position, mlir::ValueRange) -> Result<Values> {
    SF_CHECK(body(position));
    return Values{};
  };
  if (count <= 0) return {};
  if (kernel.workgroups == 1) {
    SF_CHECK(e.Loop(0, count, {}, run));
    return {};
  }
  mlir::ImplicitLocOpBuilder& b = e.b();
  mlir::Value id = sf::WorkgroupIdOp::create(b);
  auto bound = [&](mlir::Value group) -> mlir::Value {
    // Exact and even: group * count / groups; the product is far below 2^63 as count is a number of elements.
    mlir::Value scaled = arith::MulIOp::create(b, group, e.Constant(count));
    return arith::DivUIOp::create(b, scaled, e.Constant(kernel.workgroups));
  };
  mlir::Value low = bound(id);
  mlir::Value high = bound(arith::AddIOp::create(b, id, e.Constant(1)));
  SF_CHECK(e.Loop(low, high, {0, count - 1}, {}, run));
  return {};
}

}  // namespace subfloor::codegen::emitters
