#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mlir/IR/MLIRContext.h"

namespace subfloor::codegen {

/// A single-threaded MLIR context with every dialect loaded that emitters and passes use.
std::unique_ptr<mlir::MLIRContext> MakeContext();

/// Contexts that were used before: making one costs more than emitting a kernel. One that was used often is
/// replaced by a new one, for what contexts intern they never free. Threads: any.
class ContextPool {
 public:
  /// Hands its context back to the pool when it goes.
  class Lease {
   public:
    Lease(ContextPool& pool, std::unique_ptr<mlir::MLIRContext> context, int uses)
        : pool_(&pool), context_(std::move(context)), uses_(uses) {}
    Lease(Lease&&) = default;
    ~Lease();
    mlir::MLIRContext* get() const { return context_.get(); }

   private:
    ContextPool* pool_;
    std::unique_ptr<mlir::MLIRContext> context_;
    int uses_;  ///< this one among them
  };
  Lease Take();
  static ContextPool& Global();

 private:
  std::mutex mutex_;
  struct Idle {
    std::unique_ptr<mlir::MLIRContext> context;
    int uses;
  };
  std::vector<Idle> idle_;
};

/// Collects what MLIR reports while it lives, instead of printing it; with file, line and column where it is
/// about text.
class DiagnosticText {
 public:
  explicit DiagnosticText(mlir::MLIRContext* context);
  ~DiagnosticText();
  const std::string& text() const { return text_; }

 private:
  mlir::MLIRContext* context_;
  uint64_t handler_;
  std::string text_;
};

}  // namespace subfloor::codegen
