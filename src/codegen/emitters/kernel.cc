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

Result<EmittedKernel> EmitKernel(mlir::ModuleOp module, const KernelJob& job, const std::string& symbol,
                                 const CompileOptions& options, decision::Log* log) {
  mlir::MLIRContext* context = module.getContext();
  mlir::ImplicitLocOpBuilder b(mlir::UnknownLoc::get(context), context);
  b.setInsertionPointToEnd(module.getBody());

  const hlo::Computation& body = *job.body;
  std::vector<const Instruction*> outputs;
  const Instruction* root = body.root();
  if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* operand : root->operands()) outputs.push_back(operand);
  } else {
    outputs.push_back(root);
  }
  std::vector<const Shape*> shapes;
  for (const Instruction* parameter : body.parameters()) shapes.push_back(&parameter->shape());
  if (root->shape().IsTuple()) {
    for (const Shape& shape : root->shape().tuple_shapes()) shapes.push_back(&shape);
  } else {
    shapes.push_back(&root->shape());
  }
  llvm::SmallVector<mlir::Type> types;
  for (const Shape* shape : shapes) {
    if (!shape->IsArray()) return NotSupported("kernel {} has an argument of shape {}; arrays would work", job.name, shape->ToString());
    if (shape->layout() != nullptr && shape->layout()->element_bits != 0) {
      return NotSupported("packed elements in {}; without E({}) it would work", shape->ToString(), shape->layout()->element_bits);
    }
    types.push_back(sf::BufferType::get(context, shape->dimensions(), shape->element_type()));
  }
  const int64_t inputs = body.parameter_count();
  llvm::SmallVector<int64_t> may_alias;
  for (auto [leaf, parameter] : job.in_place) may_alias.append({parameter, inputs + leaf});

  auto op = sf::KernelOp::create(b, symbol, mlir::FunctionType::get(context, types, {}), inputs, /*workgroups=*/1,
                                 may_alias.empty() ? nullptr : b.getDenseI64ArrayAttr(may_alias),
                                 /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  mlir::Block& block = op.getBody().emplaceBlock();
  Frame frame;
  frame.computation = &body;
  std::vector<mlir::Value> output_buffers;
  for (size_t i = 0; i < types.size(); ++i) {
    mlir::Value buffer = block.addArgument(types[i], b.getLoc());
    (static_cast<int64_t>(i) < inputs ? frame.buffers : output_buffers).push_back(buffer);
  }
  b.setInsertionPointToEnd(&block);
  Emission emission(b, log);
  Kernel kernel{job, options, emission, frame, std::move(outputs), std::move(output_buffers)};
  auto emit = [&]() -> Status {
    switch (job.emitter) {
      default: return EmitLoops(kernel);
    }
  };
  if (auto status = emit(); !status) {
    op.erase();
    return std::unexpected(std::move(status).error());
  }
  b.setInsertionPointToEnd(&block);
  sf::ReturnOp::create(b);
  op.setWorkgroups(static_cast<uint64_t>(kernel.workgroups));
  if (log) log->Add({decision::Question::kWorkgroups, decision::Answer::kYes, decision::Fact::kElements,
                     kernel.outputs.empty() ? 0 : kernel.outputs[0]->shape().element_count(), kernel.workgroups, job.instruction});
  return EmittedKernel{kernel.workgroups, kernel.scratch_bytes};
}

int64_t BytesTouched(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Instruction* parameter : kernel.frame.computation->parameters()) bytes += parameter->shape().byte_size();
  for (const Instruction* output : kernel.outputs) bytes += output->shape().byte_size();
  return bytes;
}

int64_t ChooseWorkgroups(const Kernel& kernel, int64_t units, int64_t bytes) {
  // Below this a second thread costs more than it saves.
  constexpr int64_t kBytesWorthATask = 64 << 10;
  return std::max<int64_t>(1, std::min({kernel.options.max_workgroups, units, bytes / kBytesWorthATask}));
}

int64_t ChooseLanes(const Kernel& kernel) {
  constexpr int64_t kBytes = 64, kMost = 64;
  int64_t widest = 1;
  for (const Instruction* op : kernel.frame.computation->instructions()) {
    if (!op->shape().IsArray() || op->shape().rank() == 0) continue;
    const ElementType type = ComponentType(op->shape().element_type());
    // Narrow floats are computed on in f32.
    const bool computed = IsFloat(type) && !indexing::IsMover(*op) && op->opcode() != Opcode::kParameter;
    widest = std::max<int64_t>(widest, computed ? std::max(4, ByteWidth(type)) : ByteWidth(type));
  }
  return std::min(kMost, kBytes / widest);
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
