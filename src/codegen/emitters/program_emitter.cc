#include <algorithm>
#include <map>

#include "codegen/emitters/kernel.h"
#include "codegen/native_program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

/// A native program: kernels written one after the other into one function, with loops and branches around
/// them. What they pass on lies in local buffers where that is possible; LLVM turns the small ones into
/// registers.
namespace subfloor::codegen {

void NativeProgram::ForEachStep(const std::function<void(const NativeStep&)>& f) const {
  std::vector<const std::vector<NativeStep>*> pending = {&steps};
  while (!pending.empty()) {
    const std::vector<NativeStep>* sequence = pending.back();
    pending.pop_back();
    for (const NativeStep& step : *sequence) {
      f(step);
      for (const auto& nested : step.nested) pending.push_back(&nested);
    }
  }
}

int64_t NativeProgram::kernel_count() const {
  int64_t count = 0;
  ForEachStep([&](const NativeStep& step) { count += step.kind == NativeStep::Kind::kKernel ? 1 : 0; });
  return count;
}

int64_t NativeProgram::instruction_count() const {
  int64_t count = 0;
  ForEachStep([&](const NativeStep& step) { count += step.body ? step.body->instruction_count() : 0; });
  return count;
}

namespace emitters {
namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

class ProgramEmitter {
 public:
  ProgramEmitter(const KernelJob& job, const CompileOptions& options, decision::Log* log,
                 mlir::ImplicitLocOpBuilder& b)
      : job_(job), program_(*job.program), options_(options), log_(log), b_(b) {
    options_.max_workgroups = 1;
  }

  Result<EmittedKernel> Run(mlir::ModuleOp module, const std::string& symbol) {
    mlir::MLIRContext* context = module.getContext();
    auto bytes = [&](int64_t count) {
      return sf::BufferType::get(context, {std::max<int64_t>(count, 1)}, ElementType::kU8);
    };
    llvm::SmallVector<mlir::Type> types;
    uint64_t inputs = 0;
    for (const NativeBuffer& buffer : program_.buffers) {
      if (buffer.kind == NativeBuffer::Kind::kLocal) continue;
      types.push_back(bytes(buffer.bytes));
      if (buffer.kind == NativeBuffer::Kind::kRead) ++inputs;
    }
    scratch_bytes_ = MostScratch();
    if (scratch_bytes_ > 0) types.push_back(bytes(scratch_bytes_));
    llvm::SmallVector<int64_t> may_alias;
    for (auto [a, b] : program_.may_alias) may_alias.append({a, b});
    auto op = sf::KernelOp::create(
        b_, symbol, mlir::FunctionType::get(context, types, {}), inputs,
        /*workgroups=*/1, may_alias.empty() ? nullptr : b_.getDenseI64ArrayAttr(may_alias),
        /*grid=*/nullptr, /*block=*/nullptr, /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
    entry_ = &op.getBody().emplaceBlock();
    for (mlir::Type type : types) entry_->addArgument(type, b_.getLoc());
    if (scratch_bytes_ > 0) scratch_ = entry_->getArguments().back();
    b_.setInsertionPointToEnd(entry_);
    unsigned argument = 0;
    for (const NativeBuffer& buffer : program_.buffers) {
      const bool local = buffer.kind == NativeBuffer::Kind::kLocal;
      buffers_.push_back(local ? sf::LocalOp::create(b_, bytes(buffer.bytes)).getBuffer()
                               : mlir::Value(entry_->getArgument(argument++)));
    }
    auto emit = [&]() -> Status {
      for (size_t i = 0; i < buffers_.size(); ++i) {
        const NativeBuffer& buffer = program_.buffers[i];
        if (buffer.home >= 0)
          SF_CHECK(Copy({buffer.home, buffer.shape}, {static_cast<int32_t>(i), buffer.shape}));
      }
      SF_CHECK(Steps(program_.steps));
      for (size_t i = 0; i < buffers_.size(); ++i) {
        const NativeBuffer& buffer = program_.buffers[i];
        if (buffer.home >= 0 && buffer.leaves)
          SF_CHECK(Copy({static_cast<int32_t>(i), buffer.shape}, {buffer.home, buffer.shape}));
      }
      return {};
    };
    if (Status status = emit(); !status) {
      op.erase();
      return std::unexpected(std::move(status).error());
    }
    sf::ReturnOp::create(b_);
    return EmittedKernel{1, scratch_bytes_};
  }

 private:
  int64_t MostScratch() const {
    int64_t most = 0;
    program_.ForEachStep([&](const NativeStep& step) {
      if (step.body != nullptr) most = std::max(most, ScratchBytes(*step.body));
    });
    return most;
  }

  // The buffer as the step sees it.
  Result<mlir::Value> View(const NativeStep::Use& use) {
    mlir::Type type = SF_TRY(BufferTypeOf(b_.getContext(), *use.shape));
    const auto index = static_cast<size_t>(use.buffer);
    if (use.shape->byte_size() > program_.buffers[index].bytes) {
      return InternalError("{} does not fit into a buffer of {} bytes", use.shape->ToString(),
                           program_.buffers[index].bytes);
    }
    mlir::Value& view = views_[{use.buffer, type.getAsOpaquePointer()}];
    if (!view) {
      mlir::OpBuilder::InsertionGuard guard(b_);
      if (mlir::Operation* made = buffers_[index].getDefiningOp())
        b_.setInsertionPointAfter(made);
      else
        b_.setInsertionPointToStart(entry_);
      view = sf::ViewOp::create(b_, type, buffers_[index], 0);
    }
    return view;
  }

  mlir::Value Constant(int64_t value) { return arith::ConstantIntOp::create(b_, value, 64); }

  // Few elements one by one, so that they can stay in registers; many in vectors.
  Status Copy(const NativeStep::Use& from, const NativeStep::Use& to) {
    mlir::Value source = SF_TRY(View({from.buffer, to.shape}));
    mlir::Value target = SF_TRY(View(to));
    const auto type = mlir::cast<sf::BufferType>(target.getType());
    const mlir::Type unit = type.storageType();
    const int64_t count = type.unitCount();
    constexpr int64_t kFew = 16, kVectorBytes = 32;
    const int64_t lanes = std::max<int64_t>(1, kVectorBytes * 8 / unit.getIntOrFloatBitWidth());
    auto move = [&](mlir::Value at, mlir::Type moved) {
      mlir::Value value = sf::LoadOp::create(b_, moved, source, at, mlir::IntegerAttr());
      sf::StoreOp::create(b_, value, target, at, mlir::IntegerAttr());
    };
    int64_t done = 0;
    if (count > kFew && count >= lanes) {
      done = count / lanes * lanes;
      auto loop = scf::ForOp::create(b_, Constant(0), Constant(done), Constant(lanes));
      mlir::OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      move(loop.getInductionVar(), mlir::VectorType::get({lanes}, unit));
    }
    for (int64_t i = done; i < count; ++i) move(Constant(i), unit);
    return {};
  }

  Status Steps(const std::vector<NativeStep>& steps) {
    for (const NativeStep& step : steps) {
      switch (step.kind) {
        case NativeStep::Kind::kKernel:
          SF_CHECK(Kernel(step));
          break;
        case NativeStep::Kind::kCopy:
          SF_CHECK(Copy(step.buffers[0], step.buffers[1]));
          break;
        case NativeStep::Kind::kWhile:
          SF_CHECK(step.trip_count >= 0 ? CountedLoop(step) : While(step));
          break;
        case NativeStep::Kind::kConditional:
          SF_CHECK(Conditional(step));
          break;
      }
    }
    return {};
  }

  Status Kernel(const NativeStep& step) {
    KernelJob job;
    job.name = job_.name;
    job.body = step.body;
    job.emitter = step.emitter;
    job.in_place = step.in_place;
    job.instruction = step.instruction;
    std::vector<mlir::Value> buffers;
    for (const NativeStep::Use& use : step.buffers) buffers.push_back(SF_TRY(View(use)));
    mlir::OpBuilder::InsertionGuard guard(b_);
    SF_TRY(EmitBody(b_, job, buffers, scratch_, options_, log_));
    return {};
  }

  // Steps into a block, before its terminator, which is added if there is none.
  Status Fill(mlir::Block* block, const std::vector<NativeStep>& steps) {
    EnterBefore(block);
    return Steps(steps);
  }
  void EnterBefore(mlir::Block* block) {
    b_.setInsertionPointToEnd(block);
    const bool ended = !block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>();
    if (!ended) scf::YieldOp::create(b_);
    b_.setInsertionPoint(&block->back());
  }

  Status CountedLoop(const NativeStep& step) {
    auto loop = scf::ForOp::create(b_, Constant(0), Constant(step.trip_count), Constant(1));
    mlir::OpBuilder::InsertionGuard guard(b_);
    return Fill(loop.getBody(), step.nested[1]);
  }

  Result<mlir::Value> Selector(const NativeStep& step, mlir::Type type) {
    mlir::Value buffer = SF_TRY(View(step.buffers[0]));
    return sf::LoadOp::create(b_, type, buffer, Constant(0), mlir::IntegerAttr()).getValue();
  }

  Result<mlir::Value> Predicate(const NativeStep& step) {
    mlir::Value byte = SF_TRY(Selector(step, b_.getI8Type()));
    mlir::Value zero = arith::ConstantIntOp::create(b_, 0, 8);
    return arith::CmpIOp::create(b_, arith::CmpIPredicate::ne, byte, zero).getResult();
  }

  Status While(const NativeStep& step) {
    auto loop = scf::WhileOp::create(b_, mlir::TypeRange{}, mlir::ValueRange{});
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.createBlock(&loop.getBefore());
    SF_CHECK(Steps(step.nested[0]));
    mlir::Value holds = SF_TRY(Predicate(step));
    scf::ConditionOp::create(b_, holds, mlir::ValueRange{});
    b_.createBlock(&loop.getAfter());
    SF_CHECK(Steps(step.nested[1]));
    scf::YieldOp::create(b_);
    return {};
  }

  Status Conditional(const NativeStep& step) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    if (step.buffers[0].shape->element_type() == ElementType::kPred) {
      mlir::Value holds = SF_TRY(Predicate(step));
      auto branch =
          scf::IfOp::create(b_, mlir::TypeRange{}, holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
      for (size_t i = 0; i < 2; ++i)
        SF_CHECK(Fill(i == 0 ? branch.thenBlock() : branch.elseBlock(), step.nested[i]));
      return {};
    }
    // One branch after the other is asked for; what none before it takes is the last one's.
    mlir::Value selector = SF_TRY(Selector(step, b_.getI32Type()));
    for (size_t i = 0; i + 1 < step.nested.size(); ++i) {
      mlir::Value number = arith::ConstantIntOp::create(b_, static_cast<int64_t>(i), 32);
      mlir::Value chosen = arith::CmpIOp::create(b_, arith::CmpIPredicate::eq, selector, number);
      auto branch =
          scf::IfOp::create(b_, mlir::TypeRange{}, chosen, /*addThenBlock=*/true, /*addElseBlock=*/true);
      SF_CHECK(Fill(branch.thenBlock(), step.nested[i]));
      EnterBefore(branch.elseBlock());
    }
    return Steps(step.nested.back());
  }

  const KernelJob& job_;
  const NativeProgram& program_;
  CompileOptions options_;
  decision::Log* log_;
  mlir::ImplicitLocOpBuilder& b_;
  mlir::Block* entry_ = nullptr;
  std::vector<mlir::Value> buffers_;
  std::map<std::pair<int32_t, const void*>, mlir::Value> views_;
  int64_t scratch_bytes_ = 0;
  mlir::Value scratch_;
};

}  // namespace

Result<EmittedKernel> EmitProgram(mlir::ModuleOp module, const KernelJob& job, const std::string& symbol,
                                  const CompileOptions& options, decision::Log* log) {
  mlir::ImplicitLocOpBuilder b(mlir::UnknownLoc::get(module.getContext()), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  return ProgramEmitter(job, options, log, b).Run(module, symbol);
}

}  // namespace emitters
}  // namespace subfloor::codegen
