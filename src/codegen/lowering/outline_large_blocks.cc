#include "codegen/lowering/outline_large_blocks.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {
namespace {

constexpr int64_t kLargest = 2000, kPiece = 1000;

using Piece = llvm::SmallVector<mlir::Operation*>;

int64_t OpsIn(mlir::Operation* op) {
  int64_t count = 0;
  op->walk([&](mlir::Operation*) { ++count; });
  return count;
}

bool IsConstant(mlir::Operation* op) { return op != nullptr && op->hasTrait<mlir::OpTrait::ConstantLike>(); }

// Constants are copied to where they are used; locals live as long as the function that they stand in.
bool Stays(mlir::Operation* op) { return IsConstant(op) || mlir::isa<mlir::LLVM::AllocaOp>(op); }

class Outliner {
 public:
  explicit Outliner(mlir::ModuleOp module) : module_(module) {}

  void CutBlock(mlir::Block& block, llvm::StringRef name) {
    llvm::SmallVector<Piece> pieces(1);
    int64_t all = 0, size = 0;
    for (mlir::Operation& op : block.without_terminator()) {
      const int64_t ops = OpsIn(&op);
      all += ops;
      if (Stays(&op)) continue;
      pieces.back().push_back(&op);
      size += ops;
      if (size < kPiece) continue;
      pieces.emplace_back();
      size = 0;
    }
    if (all <= kLargest) return;
    for (const Piece& piece : pieces) {
      if (piece.size() > 1) MakeFunction(block, piece, name);
    }
  }

 private:
  // Values made outside of the piece and used in it, at any depth; constants apart.
  static void FindInputs(mlir::Block& block, const Piece& piece, llvm::SetVector<mlir::Value>& inputs,
                         llvm::SetVector<mlir::Operation*>& constants) {
    llvm::DenseSet<mlir::Operation*> own(piece.begin(), piece.end());
    for (mlir::Operation* op : piece) {
      op->walk([&](mlir::Operation* user) {
        for (mlir::Value value : user->getOperands()) {
          mlir::Operation* made_by = value.getDefiningOp();
          mlir::Operation* parent = made_by != nullptr ? made_by : value.getParentBlock()->getParentOp();
          mlir::Operation* ancestor = parent == nullptr ? nullptr : block.findAncestorOpInBlock(*parent);
          if (ancestor != nullptr && own.contains(ancestor)) continue;
          if (IsConstant(made_by))
            constants.insert(made_by);
          else
            inputs.insert(value);
        }
      });
    }
  }

  static llvm::SmallVector<mlir::Value> FindResults(mlir::Block& block, const Piece& piece) {
    llvm::DenseSet<mlir::Operation*> own(piece.begin(), piece.end());
    llvm::SmallVector<mlir::Value> results;
    for (mlir::Operation* op : piece) {
      for (mlir::Value result : op->getResults()) {
        const bool outside = llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
          return !own.contains(block.findAncestorOpInBlock(*user));
        });
        if (outside) results.push_back(result);
      }
    }
    return results;
  }

  void MakeFunction(mlir::Block& block, const Piece& piece, llvm::StringRef name) {
    llvm::SetVector<mlir::Value> inputs;
    llvm::SetVector<mlir::Operation*> constants;
    FindInputs(block, piece, inputs, constants);
    const llvm::SmallVector<mlir::Value> results = FindResults(block, piece);

    mlir::MLIRContext* context = module_.getContext();
    const mlir::Location loc = piece.front()->getLoc();
    const auto type =
        mlir::FunctionType::get(context, mlir::TypeRange(mlir::ValueRange(inputs.getArrayRef())),
                                mlir::TypeRange(mlir::ValueRange(results)));
    mlir::OpBuilder b(context);
    b.setInsertionPointToEnd(module_.getBody());
    auto function = mlir::func::FuncOp::create(b, loc, (name + ".piece" + llvm::Twine(count_++)).str(), type);
    function.setPrivate();
    function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
    mlir::Block* body = function.addEntryBlock();

    b.setInsertionPoint(piece.back());
    const llvm::DenseSet<mlir::Operation*> own(piece.begin(), piece.end());
    auto call = mlir::func::CallOp::create(b, loc, function, inputs.getArrayRef());
    for (const auto& [result, returned] : llvm::zip(results, call.getResults())) {
      mlir::Value value = result;
      value.replaceUsesWithIf(returned, [&](mlir::OpOperand& use) {
        return !own.contains(block.findAncestorOpInBlock(*use.getOwner()));
      });
    }
    for (mlir::Operation* op : piece) op->moveBefore(body, body->end());
    b.setInsertionPointToStart(body);
    const auto inside = [&](mlir::OpOperand& use) { return function->isProperAncestor(use.getOwner()); };
    for (mlir::Operation* constant : constants) {
      mlir::Operation* copy = b.clone(*constant);
      constant->getResult(0).replaceUsesWithIf(copy->getResult(0), inside);
    }
    for (const auto& [input, argument] : llvm::zip(inputs, body->getArguments())) {
      mlir::Value value = input;
      value.replaceUsesWithIf(argument, inside);
    }
    b.setInsertionPointToEnd(body);
    mlir::func::ReturnOp::create(b, loc, results);
  }

  mlir::ModuleOp module_;
  int64_t count_ = 0;
};

struct OutlineLargeBlocks : mlir::PassWrapper<OutlineLargeBlocks, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineLargeBlocks)
  llvm::StringRef getArgument() const override { return "outline-large-blocks"; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::func::FuncDialect>();
  }
  void runOnOperation() override {
    Outliner outliner(getOperation());
    llvm::SmallVector<mlir::Operation*> functions;
    for (mlir::Operation& op : *getOperation().getBody()) {
      if (op.getNumRegions() == 1 && OpsIn(&op) > kLargest) functions.push_back(&op);
    }
    for (mlir::Operation* function : functions) {
      llvm::SmallVector<mlir::Block*> blocks;
      function->walk<mlir::WalkOrder::PostOrder>([&](mlir::Block* block) { blocks.push_back(block); });
      const auto name = mlir::SymbolTable::getSymbolName(function).getValue();
      for (mlir::Block* block : blocks) outliner.CutBlock(*block, name);
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> OutlineLargeBlocksPass() { return std::make_unique<OutlineLargeBlocks>(); }

}  // namespace subfloor::codegen
