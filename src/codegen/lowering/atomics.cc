#include "codegen/lowering/atomics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;
using LLVM::AtomicBinOp;

AtomicBinOp BinOpOf(sf::Combiner combiner, ElementType element) {
  const bool is_float = IsFloat(ComponentType(element)), is_signed = IsSigned(element);
  switch (combiner) {
    case sf::Combiner::add:
      return is_float ? AtomicBinOp::fadd : AtomicBinOp::add;
    case sf::Combiner::minimum:
      return is_float ? AtomicBinOp::fminimum : is_signed ? AtomicBinOp::min : AtomicBinOp::umin;
    case sf::Combiner::maximum:
      return is_float ? AtomicBinOp::fmaximum : is_signed ? AtomicBinOp::max : AtomicBinOp::umax;
    case sf::Combiner::and_:
      return AtomicBinOp::_and;
    case sf::Combiner::or_:
      return AtomicBinOp::_or;
    case sf::Combiner::xor_:
      return AtomicBinOp::_xor;
    case sf::Combiner::replace:
      return AtomicBinOp::xchg;
  }
  return AtomicBinOp::xchg;
}

llvm::StringRef ScopeName(std::string_view scope) { return {scope.data(), scope.size()}; }

}  // namespace

void CombineAtomically(mlir::ImplicitLocOpBuilder& b, sf::Combiner combiner, ElementType element,
                       mlir::Value value, mlir::Value address, std::string_view scope) {
  // Floats of 16 bits travel as their bits; here they are numbers.
  const bool computes =
      combiner == sf::Combiner::add || combiner == sf::Combiner::minimum || combiner == sf::Combiner::maximum;
  if (computes && element == ElementType::kF16) value = LLVM::BitcastOp::create(b, b.getF16Type(), value);
  if (computes && element == ElementType::kBF16) value = LLVM::BitcastOp::create(b, b.getBF16Type(), value);
  LLVM::AtomicRMWOp::create(b, BinOpOf(combiner, element), address, value, LLVM::AtomicOrdering::monotonic,
                            ScopeName(scope));
}

void UpdateAtomically(mlir::ImplicitLocOpBuilder& b, mlir::Type type, mlir::Value address, mlir::Block& body,
                      std::string_view scope) {
  const unsigned bits = type.getIntOrFloatBitWidth();
  const mlir::Type bits_type = b.getIntegerType(bits);
  const auto as = [&](mlir::Type to, mlir::Value value) -> mlir::Value {
    return value.getType() == to ? value : LLVM::BitcastOp::create(b, to, value).getResult();
  };
  mlir::Value first = LLVM::LoadOp::create(b, bits_type, address, bits / 8);
  auto loop = mlir::scf::WhileOp::create(b, mlir::TypeRange{bits_type}, mlir::ValueRange{first});
  mlir::Block* attempt = b.createBlock(&loop.getBefore(), {}, {bits_type}, {b.getLoc()});
  mlir::Value expected = attempt->getArgument(0);
  body.getArgument(0).replaceAllUsesWith(as(type, expected));
  auto yield = mlir::cast<sf::YieldOp>(body.back());
  attempt->getOperations().splice(attempt->end(), body.getOperations(), body.begin(),
                                  mlir::Block::iterator(yield));
  mlir::Value wanted = as(bits_type, yield.getValue());
  auto exchange = LLVM::AtomicCmpXchgOp::create(b, address, expected, wanted, LLVM::AtomicOrdering::monotonic,
                                                LLVM::AtomicOrdering::monotonic, ScopeName(scope));
  mlir::Value found = LLVM::ExtractValueOp::create(b, exchange, 0);
  mlir::Value done = LLVM::ExtractValueOp::create(b, exchange, 1);
  mlir::Value again =
      mlir::arith::XOrIOp::create(b, done, mlir::arith::ConstantIntOp::create(b, 1, 1).getResult());
  mlir::scf::ConditionOp::create(b, again, mlir::ValueRange{found});
  mlir::Block* next = b.createBlock(&loop.getAfter(), {}, {bits_type}, {b.getLoc()});
  mlir::scf::YieldOp::create(b, mlir::ValueRange{next->getArgument(0)});
  b.setInsertionPointAfter(loop);
}

}  // namespace subfloor::codegen
