#include "codegen/lowering/lower_to_llvm.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace subfloor::codegen {
namespace {

struct LowerToLlvm : mlir::PassWrapper<LowerToLlvm, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLlvm)
  llvm::StringRef getArgument() const override { return "lower-to-llvm"; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    mlir::MLIRContext* context = &getContext();
    for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (!function.isPrivate()) continue;
      function->setAttr("llvm.linkage", mlir::LLVM::LinkageAttr::get(context, mlir::LLVM::Linkage::Internal));
    }
    mlir::LLVMTypeConverter types(context);
    mlir::RewritePatternSet patterns(context);
    mlir::arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    mlir::arith::populateArithToLLVMConversionPatterns(types, patterns);
    mlir::populateMathToLLVMConversionPatterns(types, patterns);
    mlir::populateVectorToLLVMConversionPatterns(types, patterns);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    mlir::populateFuncToLLVMConversionPatterns(types, patterns);
    mlir::LLVMConversionTarget target(*context);
    target.addLegalOp<mlir::ModuleOp>();
    if (mlir::failed(mlir::applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> LowerToLlvmPass() { return std::make_unique<LowerToLlvm>(); }

}  // namespace subfloor::codegen
