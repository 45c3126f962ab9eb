#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/dialect/sf.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace subfloor::codegen {

/// Who may be the same memory as whom in a kernel, told to LLVM as one alias scope a buffer.
class AliasScopes {
 public:
  explicit AliasScopes(sf::KernelOp kernel);

  /// Says of an access to the memory of `argument` what it cannot touch.
  template <typename Access>
  void Describe(Access access, size_t argument) const {
    access.setAliasScopesAttr(mlir::ArrayAttr::get(access.getContext(), {scopes_[argument]}));
    if (mlir::ArrayAttr others = OthersThan(argument)) access.setNoaliasScopesAttr(others);
  }
  /// Nobody writes that memory while the kernel runs.
  bool invariant(size_t argument) const { return invariant_[argument]; }
  /// It is part of no pair that may alias.
  bool alone(size_t argument) const { return alone_[argument]; }

 private:
  mlir::ArrayAttr OthersThan(size_t argument) const;

  std::vector<mlir::Attribute> scopes_;
  std::vector<std::vector<bool>> may_alias_;
  std::vector<bool> invariant_, alone_;
};

/// Turns one sf.kernel into an LLVM function. What is the same on every target stands here: the walk, memory
/// accesses, constants. A target says how a kernel is entered and left, in which address space memory lies,
/// and what threads do.
class KernelLowering {
 public:
  explicit KernelLowering(sf::KernelOp kernel);
  virtual ~KernelLowering() = default;
  KernelLowering(const KernelLowering&) = delete;
  KernelLowering& operator=(const KernelLowering&) = delete;

  /// The kernel is gone afterwards.
  void Run();

 protected:
  /// The function that takes the kernel's place, without a body. The builder stands before the kernel.
  virtual mlir::LLVM::LLVMFuncOp MakeFunction() = 0;
  /// Called with the kernel's body in the function, its buffers still the first arguments of the entry block
  /// and the builder at its start: adds what the function takes and fills `pointers_`, one a buffer (null for
  /// those without use). The buffers are erased from the block's arguments later.
  virtual void Enter(mlir::Block& entry) = 0;
  virtual void LowerReturn() = 0;
  /// Ops on workgroups and threads: the value that takes the place of the op's result; null if it has none.
  virtual mlir::Value LowerThreadOp(mlir::Operation* op) = 0;
  /// Where an access of `bytes` at `address` shall happen instead: the simulator's checks.
  virtual mlir::Value Checked(mlir::Operation* op, mlir::Value address, int64_t bytes) { return address; }
  /// A buffer in shared memory.
  virtual mlir::Value LowerShared(sf::SharedOp op) = 0;

  /// The address spaces of constants in the image; of a function's stack.
  virtual unsigned constant_space() const { return 0; }
  virtual unsigned stack_space() const { return 0; }
  /// LLVM's name of the threads that see an atomic; "" for all.
  virtual std::string_view atomic_scope() const { return ""; }

  mlir::LLVM::LLVMPointerType Pointer(unsigned space = 0) const {
    return mlir::LLVM::LLVMPointerType::get(b_.getContext(), space);
  }
  mlir::Value Number(mlir::Type type, int64_t value);
  mlir::Value BaseOf(mlir::Value buffer);
  mlir::Value Address(mlir::Value buffer, mlir::Value offset);
  /// The kernel argument that a buffer is or is a part of; nothing for constants, locals and shared memory.
  static std::optional<size_t> ArgumentOf(mlir::Value buffer);

  sf::KernelOp kernel_;
  std::string name_;
  AliasScopes aliases_;
  mlir::ImplicitLocOpBuilder b_;
  mlir::Block* entry_ = nullptr;
  std::vector<mlir::Value> pointers_;

 private:
  void Lower(mlir::Operation* op);
  void LowerLoad(sf::LoadOp load);
  void LowerStore(sf::StoreOp store);
  void LowerConstant(sf::ConstantOp constant);
  void LowerLocal(sf::LocalOp local);
  void LowerView(sf::ViewOp view);
  void LowerAtomic(sf::AtomicOp atomic);
  void LowerAtomicUpdate(sf::AtomicUpdateOp update);

  llvm::DenseMap<const void*, mlir::Value> others_;
};

}  // namespace subfloor::codegen
