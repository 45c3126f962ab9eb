#include "codegen/emitters/gpu/gpu_kernel.h"

#include <algorithm>

#include "dispatch/physical_order.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace subfloor::codegen::emitters {

namespace arith = mlir::arith;
using hlo::Instruction;

Expr GpuKernel::Thread(sf::Dimension dimension) {
  const int64_t count = launch.block[static_cast<size_t>(dimension)];
  if (count == 1) return emission.exprs().Constant(0);
  mlir::Value id = sf::ThreadIdOp::create(emission.b(), emission.index_type(), dimension);
  return emission.Bind(id, {0, count - 1});
}

Expr GpuKernel::Block(sf::Dimension dimension) {
  const int64_t count = launch.grid[static_cast<size_t>(dimension)];
  if (count == 1) return emission.exprs().Constant(0);
  mlir::Value id = sf::BlockIdOp::create(emission.b(), emission.index_type(), dimension);
  return emission.Bind(id, {0, count - 1});
}

Status GpuKernel::InLogicalBlock(const std::function<Status(Expr)>& body) {
  indexing::Context& c = emission.exprs();
  Expr x = Block(sf::Dimension::x);
  Expr block = c.Add(x, c.Mul(Block(sf::Dimension::y), launch.grid[0]));
  return Where(block, 0, launch.blocks - 1, [&] { return body(Within(block, launch.blocks)); });
}

Expr GpuKernel::Within(Expr value, int64_t count) {
  if (value->range.Within(0, count - 1)) return value;
  return emission.Bind(emission.Materialize(value), {0, count - 1});
}

Status GpuKernel::Where(std::span<const indexing::Bound> bounds, const std::function<Status()>& body) {
  using Truth = indexing::Bound::Truth;
  if (std::ranges::all_of(bounds, [](const auto& bound) { return bound.Known() == Truth::kTrue; }))
    return body();
  SF_CHECK(emission.If(
      emission.Holds(bounds), {},
      [&]() -> Result<Values> {
        SF_CHECK(body());
        return Values{};
      },
      []() -> Result<Values> { return Values{}; }));
  return {};
}

Status GpuKernel::Where(Expr value, int64_t low, int64_t high, const std::function<Status()>& body) {
  const indexing::Bound bound{value, low, high};
  return Where({&bound, 1}, body);
}

size_t GpuKernel::RootOf(size_t leaf) const {
  const auto begin = outputs.begin();
  return static_cast<size_t>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(leaf) + 1,
                                           [](const Output& output) { return output.result == 0; })) -
         1;
}

Status GpuKernel::ForOwnElements(Expr block, int64_t count, int64_t vector,
                                 const std::function<Status(Expr)>& body) {
  indexing::Context& c = emission.exprs();
  const int64_t units = dispatch::CeilDiv(count, vector);
  if (units == 0) return {};
  Expr thread = c.Add(Thread(sf::Dimension::x), c.Mul(block, launch.block[0]));
  return Where(thread, 0, units - 1, [&]() -> Status {
    Expr first = c.Mul(Within(thread, units), vector);
    if (count % vector == 0) return body(vector == 1 ? first : c.Add(first, emission.NewLane(vector)));
    // The last unit is not whole.
    SF_CHECK(emission.Loop(0, vector, {}, [&](Expr i, mlir::ValueRange) -> Result<Values> {
      Expr linear = c.Add(first, i);
      SF_CHECK(Where(linear, 0, count - 1, [&] { return body(Within(linear, count)); }));
      return Values{};
    }));
    return {};
  });
}

Status GpuKernel::ComputeAndStore(std::span<const size_t> which, Expr linear) {
  indexing::Context& c = emission.exprs();
  struct Stored {
    Element value;
    const Output* output;
  };
  std::vector<Stored> stores;
  for (size_t i : which) {
    const Output& output = outputs[i];
    Elements results = SF_TRY(
        emission.AllValues(frame, *output.instruction, c.Delinearize(linear, output.shape->dimensions())));
    stores.push_back({results[output.result], &output});
  }
  const mlir::Location outer = emission.b().getLoc();
  for (const Stored& store : stores) {
    emission.b().setLoc(emission.LocationOf(*store.output->instruction));
    emission.Store(store.value, store.output->buffer, linear);
  }
  emission.b().setLoc(outer);
  return {};
}

mlir::Value GpuKernel::Shared(ElementType element, std::span<const int64_t> sizes) {
  mlir::ImplicitLocOpBuilder& b = emission.b();
  return sf::SharedOp::create(b, sf::BufferType::get(b.getContext(), sizes, element));
}

void GpuKernel::Barrier() { sf::BarrierOp::create(emission.b()); }

namespace {

// 32 bits do where no offset and no number of a thread can leave them.
unsigned IndexBits(const hlo::Computation& body, const std::vector<Output>& outputs,
                   const dispatch::Launch& launch) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  int64_t most = 1;
  for (const Instruction* op : body.instructions()) {
    for (const Shape* leaf : Leaves(op->shape())) {
      if (!leaf->IsArray()) continue;
      const int64_t units = leaf->element_count();
      most = std::max(most, IsComplex(leaf->element_type()) ? 2 * units : units);
    }
  }
  for (const Output& output : outputs) most = std::max(most, output.shape->element_count());
  // The last block's threads count past the end: by their vectors, at most.
  int64_t threads = 1;
  for (const auto& sizes : {launch.grid, launch.block}) {
    for (int64_t size : sizes) {
      if (__builtin_mul_overflow(threads, size, &threads) || threads > kMost) return 64;
    }
  }
  constexpr int64_t kMostElementsPerThread = 64;
  return most <= kMost && threads <= kMost / kMostElementsPerThread ? 32 : 64;
}

}  // namespace

Status EmitGpuKernel(mlir::ModuleOp module, const KernelJob& job, const dispatch::GpuChoice& choice,
                     const std::string& symbol, decision::Log* log) {
  const dispatch::Launch* launch = dispatch::FirstLaunch(choice.plan);
  if (launch == nullptr) {
    return NotSupported("no code generator here for the {} emitter", dispatch::ToString(choice.emitter));
  }
  mlir::MLIRContext* context = module.getContext();
  mlir::ImplicitLocOpBuilder b(mlir::UnknownLoc::get(context), context);
  b.setInsertionPointToEnd(module.getBody());
  const hlo::Computation& body = *job.body;
  // Indices are those of the layout normal form; a bitcast between other layouts would mean other elements.
  for (const Instruction* op : body.instructions()) {
    for (const Shape* leaf : Leaves(op->shape())) {
      if (!leaf->IsArray() || dispatch::IsRowMajor(*leaf)) continue;
      return NotSupported("%{} is {}; row-major arrays would work", op->name(), leaf->ToString());
    }
  }
  std::vector<Output> outputs = OutputsOf(body);
  llvm::SmallVector<mlir::Type> types;
  for (const Instruction* parameter : body.parameters())
    types.push_back(SF_TRY(BufferTypeOf(context, parameter->shape())));
  for (const Output& output : outputs) types.push_back(SF_TRY(BufferTypeOf(context, *output.shape)));
  const int64_t inputs = body.parameter_count();
  llvm::SmallVector<int64_t> may_alias;
  for (auto [leaf, parameter] : job.in_place) may_alias.append({parameter, inputs + leaf});

  auto op =
      sf::KernelOp::create(b, symbol, mlir::FunctionType::get(context, types, {}), inputs,
                           /*workgroups=*/1, may_alias.empty() ? nullptr : b.getDenseI64ArrayAttr(may_alias),
                           b.getDenseI64ArrayAttr(launch->grid), b.getDenseI64ArrayAttr(launch->block),
                           /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  mlir::Block& block = op.getBody().emplaceBlock();
  Frame frame;
  frame.computation = &body;
  for (size_t i = 0; i < types.size(); ++i) {
    mlir::Value buffer = block.addArgument(types[i], b.getLoc());
    if (i < static_cast<size_t>(inputs))
      frame.buffers.push_back(buffer);
    else
      outputs[i - static_cast<size_t>(inputs)].buffer = buffer;
  }
  b.setInsertionPointToEnd(&block);
  // A thread's own folds go element by element: what runs in lanes on a CPU are threads here.
  Emission emission(
      b, {.vector_bytes = 1, .index_bits = IndexBits(body, outputs, *launch), .locations = true}, log);
  GpuKernel kernel{job, choice, *launch, emission, frame, std::move(outputs)};
  struct Emit {
    GpuKernel& kernel;
    Status operator()(const dispatch::LoopPlan& plan) { return EmitGpuLoop(kernel, plan); }
    Status operator()(const dispatch::ConcatenatePlan& plan) { return EmitGpuConcatenate(kernel, plan); }
    Status operator()(const dispatch::InPlaceUpdatePlan& plan) { return EmitGpuInPlaceUpdate(kernel, plan); }
    Status operator()(const dispatch::TiledTransposePlan& plan) {
      return EmitGpuTiledTranspose(kernel, plan);
    }
    Status operator()(const dispatch::RowReductionPlan& plan) { return EmitGpuRowReduction(kernel, plan); }
    Status operator()(const dispatch::MultiRowReductionPlan& plan) {
      return EmitGpuMultiRowReduction(kernel, plan);
    }
    Status operator()(const dispatch::ColumnReductionPlan& plan) {
      return EmitGpuColumnReduction(kernel, plan);
    }
    Status operator()(const dispatch::SmallColumnReductionPlan& plan) {
      return EmitGpuSmallColumnReduction(kernel, plan);
    }
    Status Missing() const {
      return NotSupported("no code generator yet for the {} emitter; the fusion's kind is {}",
                          dispatch::ToString(kernel.choice.emitter), dispatch::ToString(kernel.choice.kind));
    }
    Status operator()(const dispatch::ScatterPlan& plan) { return EmitGpuScatter(kernel, plan); }
    Status operator()(const dispatch::PackedTransposePlan&) { return Missing(); }
    Status operator()(const dispatch::SortPlan&) { return Missing(); }
    Status operator()(std::monostate) { return Missing(); }
  };
  const auto emit = [&] { return std::visit(Emit{kernel}, choice.plan); };
  if (Status status = emit(); !status) {
    op.erase();
    return status;
  }
  b.setInsertionPointToEnd(&block);
  sf::ReturnOp::create(b);
  return {};
}

}  // namespace subfloor::codegen::emitters
