#include "codegen/lowering/context.h"

#include "codegen/dialect/sf.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

namespace subfloor::codegen {

std::unique_ptr<mlir::MLIRContext> MakeContext() {
  mlir::DialectRegistry registry;
  registry.insert<sf::SFDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

ContextPool::Lease::~Lease() {
  if (!context_) return;
  // Contexts only grow: types and attributes are never freed. Keep as many as may be used at once, and each
  // for as long as its making is lost among its uses.
  constexpr size_t kMostIdle = 16;
  constexpr int kMostUses = 100;
  if (uses_ >= kMostUses) return;
  std::lock_guard lock(pool_->mutex_);
  if (pool_->idle_.size() < kMostIdle) pool_->idle_.push_back({std::move(context_), uses_});
}

ContextPool::Lease ContextPool::Take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Idle idle = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(idle.context), idle.uses + 1);
    }
  }
  return Lease(*this, MakeContext(), 1);
}

ContextPool& ContextPool::Global() {
  static auto* pool = new ContextPool;  // never destroyed: threads may outlive main's statics
  return *pool;
}

DiagnosticText::DiagnosticText(mlir::MLIRContext* context) : context_(context) {
  handler_ = context->getDiagEngine().registerHandler([this](mlir::Diagnostic& diagnostic) {
    llvm::raw_string_ostream out(text_);
    if (!text_.empty()) out << "; ";
    if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation())) {
      out << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
    }
    out << diagnostic;
  });
}

DiagnosticText::~DiagnosticText() { context_->getDiagEngine().eraseHandler(handler_); }

}  // namespace subfloor::codegen
