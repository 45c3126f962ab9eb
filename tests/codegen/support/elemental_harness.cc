#include "codegen/support/elemental_harness.h"

#include <cstring>
#include "codegen/elemental/elemental.h"
#include "hlo/module.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace subfloor::testing {
namespace {

using codegen::elemental::Element;
namespace elemental = codegen::elemental;

/// The op as an instruction of a module of its own.
std::unique_ptr<hlo::Module> MakeModule(const OpSpec& spec) {
  auto module = std::make_unique<hlo::Module>("test");
  hlo::Computation* entry = module->AddComputation("entry");
  std::vector<hlo::Instruction*> operands;
  for (size_t i = 0; i < spec.operands.size(); ++i)
    operands.push_back(entry->AddParameter(static_cast<int64_t>(i), Shape::Scalar(spec.operands[i])));
  entry->set_root(entry->Add(spec.opcode, Shape::Scalar(spec.result), operands,
                             spec.attributes ? *spec.attributes : hlo::DefaultAttributes(spec.opcode)));
  return module;
}

/// func @run(arrays: ptr..., results: ptr..., count: i64)
Status EmitLoop(mlir::ModuleOp module, const OpSpec& spec, int64_t lanes,
                const hlo::Instruction& instruction) {
  mlir::MLIRContext* context = module.getContext();
  mlir::ImplicitLocOpBuilder b(module.getLoc(), context);
  b.setInsertionPointToEnd(module.getBody());
  auto pointer = mlir::LLVM::LLVMPointerType::get(context);
  std::vector<mlir::Type> inputs;
  for (ElementType type : spec.operands) inputs.insert(inputs.end(), IsComplex(type) ? 2 : 1, pointer);
  inputs.insert(inputs.end(), IsComplex(spec.result) ? 2 : 1, pointer);
  inputs.push_back(b.getIndexType());
  auto function = mlir::func::FuncOp::create(b, "run", b.getFunctionType(inputs, {}));
  mlir::Block* body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  mlir::Value zero = mlir::arith::ConstantIndexOp::create(b, 0);
  mlir::Value step = mlir::arith::ConstantIndexOp::create(b, std::max<int64_t>(lanes, 1));
  auto loop = mlir::scf::ForOp::create(b, zero, body->getArguments().back(), step);
  mlir::func::ReturnOp::create(b);
  b.setInsertionPointToStart(loop.getBody());
  mlir::Value index = mlir::arith::IndexCastOp::create(b, b.getI64Type(), loop.getInductionVar());

  unsigned next = 0;
  auto address = [&](mlir::Type scalar) -> mlir::Value {
    return mlir::LLVM::GEPOp::create(b, pointer, scalar, body->getArgument(next++),
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  };
  std::vector<Element> operands;
  for (ElementType type : spec.operands) {
    mlir::Type scalar = elemental::StorageType(context, type);
    mlir::Type loaded = lanes == 0 ? scalar : mlir::Type(mlir::VectorType::get({lanes}, scalar));
    auto load = [&]() -> mlir::Value {
      mlir::Value from = address(scalar);
      return mlir::LLVM::LoadOp::create(b, loaded, from, /*alignment=*/1);
    };
    mlir::Value real = load();
    operands.push_back(elemental::FromStorage(b, type, real, IsComplex(type) ? load() : mlir::Value()));
  }
  Element result = elemental::ToStorage(b, SF_TRY(elemental::EmitElementwise(b, instruction, operands)));
  mlir::Type scalar = elemental::StorageType(context, spec.result);
  mlir::Value to = address(scalar);
  mlir::LLVM::StoreOp::create(b, result.value, to, /*alignment=*/1);
  if (result.imag) {
    to = address(scalar);
    mlir::LLVM::StoreOp::create(b, result.imag, to, /*alignment=*/1);
  }
  return {};
}

Status Lower(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertVectorToLLVMPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (mlir::failed(passes.run(module))) return InternalError("the module does not lower to LLVM");
  return {};
}

std::string Text(llvm::Error error) { return llvm::toString(std::move(error)); }

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

mlir::MLIRContext& Context() {
  static auto* context = [] {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                    mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    auto* made = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return made;
  }();
  return *context;
}

}  // namespace

struct ElementalKernel::Jit {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void* entry = nullptr;
};

ElementalKernel::ElementalKernel(std::unique_ptr<Jit> jit) : jit_(std::move(jit)) {}
ElementalKernel::ElementalKernel(ElementalKernel&&) noexcept = default;
ElementalKernel::~ElementalKernel() = default;

Result<ElementalKernel> ElementalKernel::Compile(const OpSpec& spec, int64_t lanes, std::string cpu) {
  mlir::MLIRContext& context = Context();
  auto hlo_module = MakeModule(spec);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  SF_CHECK(EmitLoop(*module, spec, lanes, *hlo_module->entry()->root()));
  if (mlir::failed(mlir::verify(*module))) return InternalError("the emitted module does not verify");
  SF_CHECK(Lower(*module));

  auto llvm_context = std::make_unique<llvm::LLVMContext>();
  auto llvm_module = mlir::translateModuleToLLVMIR(*module, *llvm_context);
  if (!llvm_module) return InternalError("the module does not translate to LLVM IR");
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target) return InternalError("{}", Text(target.takeError()));
  if (!cpu.empty()) {
    target->setCPU(cpu);
    target->getFeatures() = llvm::SubtargetFeatures();
  }
  auto machine = target->createTargetMachine();
  if (!machine) return InternalError("{}", Text(machine.takeError()));
  llvm_module->setDataLayout((*machine)->createDataLayout());
  llvm_module->setTargetTriple((*machine)->getTargetTriple());
  for (llvm::Function& function : *llvm_module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", (*machine)->getTargetCPU());
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
  }
  Optimize(*llvm_module, **machine);

  auto made = std::make_unique<Jit>();
  // Code images import nothing; code that called a library would not link here either. But images bring
  // memset and its like, which LLVM makes of loops.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(*target)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit) return InternalError("{}", Text(jit.takeError()));
  made->jit = std::move(*jit);
  const auto address = [](auto* function) {
    return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(function),
                                        llvm::JITSymbolFlags::Exported);
  };
  if (auto error = made->jit->getMainJITDylib().define(
          llvm::orc::absoluteSymbols({{made->jit->mangleAndIntern("memset"), address(&std::memset)},
                                      {made->jit->mangleAndIntern("memcpy"), address(&std::memcpy)},
                                      {made->jit->mangleAndIntern("memmove"), address(&std::memmove)}})))
    return InternalError("{}", Text(std::move(error)));
  if (auto error = made->jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(llvm_module), std::move(llvm_context))))
    return InternalError("{}", Text(std::move(error)));
  auto symbol = made->jit->lookup("run");
  if (!symbol) return InternalError("{}", Text(symbol.takeError()));
  made->entry = symbol->toPtr<void*>();
  return ElementalKernel(std::move(made));
}

void ElementalKernel::Run(std::span<const void* const> arrays, std::span<void* const> results,
                          int64_t count) const {
  void* f = jit_->entry;
  void* p[8] = {};
  size_t n = 0;
  for (const void* array : arrays) p[n++] = const_cast<void*>(array);
  for (void* result : results) p[n++] = result;
  using P = void*;
  switch (n) {
    case 2:
      reinterpret_cast<void (*)(P, P, int64_t)>(f)(p[0], p[1], count);
      break;
    case 3:
      reinterpret_cast<void (*)(P, P, P, int64_t)>(f)(p[0], p[1], p[2], count);
      break;
    case 4:
      reinterpret_cast<void (*)(P, P, P, P, int64_t)>(f)(p[0], p[1], p[2], p[3], count);
      break;
    case 5:
      reinterpret_cast<void (*)(P, P, P, P, P, int64_t)>(f)(p[0], p[1], p[2], p[3], p[4], count);
      break;
    case 6:
      reinterpret_cast<void (*)(P, P, P, P, P, P, int64_t)>(f)(p[0], p[1], p[2], p[3], p[4], p[5], count);
      break;
    default:
      break;
  }
}

}  // namespace subfloor::testing
