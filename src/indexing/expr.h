#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace subfloor::indexing {

class Context;
struct ExprNode;
struct Atom;

/// Inclusive bounds of an integer.
struct Range {
  int64_t low = 0, high = 0;
  bool Contains(int64_t v) const { return low <= v && v <= high; }
  bool Within(int64_t lo, int64_t hi) const { return lo <= low && high <= hi; }
  bool operator==(const Range&) const = default;
};

/// An integer expression in normal form: constant + sum of coefficient * atom, where an atom is a symbol, a
/// floor division or a modulus by a positive constant. Hash-consed by its Context: equal expressions of one
/// context are one pointer, so comparison and hashing are those of pointers.
using Expr = const ExprNode*;

struct Term {
  int64_t coefficient;
  const Atom* atom;
  bool operator==(const Term&) const = default;
};

struct ExprNode {
  int64_t constant = 0;
  std::vector<Term> terms;  ///< ascending by atom id, no zero coefficients
  Range range;
  int64_t id = 0;

  bool IsConstant() const { return terms.empty(); }
  bool IsConstant(int64_t value) const { return terms.empty() && constant == value; }
};

struct Atom {
  enum class Kind : uint8_t { kSymbol, kFloorDiv, kMod };
  Kind kind;
  int64_t id;       ///< order of creation in the context
  int64_t symbol;   ///< number of the symbol, for kSymbol
  Expr argument;    ///< for the others
  int64_t divisor;  ///< positive, for the others
  Range range;
};

/// Owns expressions and symbols. One context serves the emission of one kernel. Not thread-safe.
class Context {
 public:
  Context();

  Expr Constant(int64_t value);
  /// A new symbol whose values lie in `range`. A range of one value still makes a symbol.
  Expr NewSymbol(Range range);
  /// The symbol of this number, as NewSymbol gave it.
  Expr SymbolExpr(int64_t symbol) { return OfAtom(symbols_[static_cast<size_t>(symbol)]); }
  Range SymbolRange(int64_t symbol) const { return symbols_[static_cast<size_t>(symbol)]->range; }
  int64_t symbol_count() const { return static_cast<int64_t>(symbols_.size()); }

  Expr Add(Expr a, Expr b) { return Combine(a, 1, b, 1); }
  Expr Add(Expr a, int64_t b);
  Expr Sub(Expr a, Expr b) { return Combine(a, 1, b, -1); }
  Expr Mul(Expr a, int64_t factor);
  /// Rounds towards minus infinity. Precondition: divisor > 0.
  Expr FloorDiv(Expr a, int64_t divisor);
  /// In [0, divisor). Precondition: divisor > 0.
  Expr Mod(Expr a, int64_t divisor);

  /// Row-major: sum of index[i] * product of the sizes after i.
  Expr Linearize(std::span<const Expr> index, std::span<const int64_t> sizes);
  /// The inverse. `linear` must lie in [0, product of sizes).
  std::vector<Expr> Delinearize(Expr linear, std::span<const int64_t> sizes);

  /// `e` with every symbol s for which `replacement[s]` is not null replaced by it, simplified anew.
  Expr Substitute(Expr e, std::span<const Expr> replacement);

 private:
  Expr Intern(int64_t constant, std::vector<Term> terms);
  Expr Combine(Expr a, int64_t ka, Expr b, int64_t kb);
  Expr OfAtom(const Atom* atom);
  const Atom* InternAtom(Atom::Kind kind, Expr argument, int64_t divisor, Range range);

  std::deque<ExprNode> nodes_;
  std::deque<Atom> atoms_;
  std::vector<const Atom*> symbols_;
  absl::flat_hash_map<size_t, std::vector<Expr>> node_table_;
  absl::flat_hash_map<std::tuple<int, Expr, int64_t>, const Atom*> atom_table_;
};

/// Calls `visit` with the number of every symbol in `e`, repeats included.
void ForEachSymbol(Expr e, const std::function<void(int64_t)>& visit);
bool DependsOn(Expr e, int64_t symbol);
/// Divisions and moduli in `e`, nested ones included: what makes an index dear.
int64_t CountDivisions(Expr e);
/// If e = base + stride * symbol with base free of the symbol: true, and *stride. Base is e with 0 put for
/// the symbol.
bool IsAffineIn(Expr e, int64_t symbol, int64_t* stride);

/// "3 + 4*s0 + (s1 floordiv 8) mod 2".
std::string ToString(Expr e);

}  // namespace subfloor::indexing
