#pragma once

#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "base/error.h"
#include "codegen/dialect/sf.h"
#include "codegen/elemental/elemental.h"
#include "decision/decision.h"
#include "hlo/computation.h"
#include "indexing/expr.h"
#include "indexing/fold_index.h"
#include "indexing/operand_index.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace subfloor::codegen::emitters {

using elemental::Element;
using indexing::Expr;
using indexing::Index;
/// The results of one instruction at one index: several for a variadic reduce, else one.
using Elements = absl::InlinedVector<Element, 1>;
using Values = std::vector<mlir::Value>;

/// A computation whose instructions can be asked for values, and where its parameters come from: the kernel's
/// buffers, the operands of the instruction that calls it, or elements given.
struct Frame {
  const hlo::Computation* computation = nullptr;
  std::vector<mlir::Value> buffers;  ///< of the kernel's parameters
  Frame* caller = nullptr;           ///< of a fusion or call
  const hlo::Instruction* call = nullptr;
  std::vector<Element> arguments;  ///< of a reducer, comparator or map
  size_t level = 0;                ///< the scope below which its values may not move
};

/// How a reduce combines: one recognised op for each result, or nothing, and then by its computation in index
/// order.
struct Reducer {
  const hlo::Computation* computation = nullptr;
  std::vector<hlo::Opcode> ops;  ///< empty: not recognised
  bool recognised() const { return !ops.empty(); }
};
/// A computation that is one add, multiply, minimum, maximum, and, or, xor for each result, perhaps in a
/// wider type.
Reducer Recognise(const hlo::Computation& computation);
/// True if terms may be combined in any order: a recognised reducer, or one that selects among what it is
/// given by comparisons and, where values are equal, by comparing another of the results (arg-min, arg-max).
/// All others are folded in index order.
bool OrderIsFree(const hlo::Computation& computation);

/// Emits the elements of instructions at symbolic indices, from the root down.
///
/// What an index depends on says how its value is held: an index without a lane symbol gives a scalar, one
/// with it a vector of that many lanes. A value is emitted once for each (frame, instruction, index) in a
/// scope, and reused in scopes inside it; dear values (reductions, starts of slices) move out of every loop
/// whose position they do not depend on. Not thread-safe.
class Emission {
 public:
  struct Options {
    /// Bytes of the vector registers that are worth using.
    int64_t vector_bytes = 32;
    /// Of an index: 32 where no index or offset of the kernel leaves them, else 64.
    unsigned index_bits = 64;
    /// Ops carry the name of the instruction that they were made for.
    bool locations = false;
  };
  Emission(mlir::ImplicitLocOpBuilder& builder, Options options, decision::Log* log = nullptr);

  mlir::ImplicitLocOpBuilder& b() { return b_; }
  indexing::Context& exprs() { return exprs_; }
  decision::Log* log() { return log_; }
  int64_t vector_bytes() const { return options_.vector_bytes; }
  mlir::Type index_type() const { return b_.getIntegerType(options_.index_bits); }

  mlir::Location LocationOf(const hlo::Instruction& instruction) const;

  // Values. -------------------------------------------------------------------------------------------------
  Result<Element> Value(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Elements> AllValues(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  /// From here to the end of the scope, the instruction's results are these, at whatever index.
  void Give(Frame& frame, const hlo::Instruction& instruction, Elements results) {
    scopes_.back().given[{&frame, &instruction}] = std::move(results);
  }
  /// The results of a computation on scalars, its parameters given as elements.
  Result<Elements> Call(const hlo::Computation& computation, std::span<const Element> arguments);

  /// The clamped start of the window of dynamic-slice, dynamic-update-slice or gather
  /// (indexing::StartFunction).
  Result<Expr> Start(Frame& frame, const hlo::Instruction& instruction, int64_t dimension,
                     const Index& batch);

  // Indices. ------------------------------------------------------------------------------------------------
  /// An index, or a vector of them when `e` depends on a lane symbol.
  mlir::Value Materialize(Expr e);
  /// Lanes that the value of `e` has: 0 for a scalar.
  int64_t LanesOf(Expr e) const;
  int64_t LanesOf(const Index& index) const;
  /// A symbol that stands for a position in a vector of `lanes`; no value is bound to it.
  Expr NewLane(int64_t lanes);
  /// A symbol bound to a value (an index, or a vector of them) in the current scope.
  Expr Bind(mlir::Value value, indexing::Range range);
  /// `index` as lane `lane` sees it.
  Index AtLane(const Index& index, int64_t lane);
  /// An integer element as an index: clamped to [0, last] by its own signedness.
  mlir::Value ClampedIndex(const Element& element, int64_t last);
  mlir::Value Constant(int64_t value);

  // Tiles: `rows` neighbouring positions of an outer loop, written out one after the other, each in `rows`
  // lanes of the minor one. A read that goes along memory with the rows and across it with the lanes is made
  // once for the tile, along memory, and transposed in registers.
  Expr BeginTile(int64_t rows);
  Status TileRow(int64_t row, const std::function<Status()>& body);
  void EndTile() { tile_ = {}; }

  // Memory. -------------------------------------------------------------------------------------------------
  /// The element at linear offset `offset` of `buffer`, which holds `type`. Lanes follow from the offset.
  Element Load(mlir::Value buffer, Expr offset);
  /// `lanes_of` decides how many elements are written: lanes of the offset. A scalar element is spread.
  void Store(const Element& element, mlir::Value buffer, Expr offset);

  // Structure. ----------------------------------------------------------------------------------------------
  /// body(position, carried values) gives the new carried values.
  using LoopBody = std::function<Result<Values>(Expr position, mlir::ValueRange carried)>;
  /// for position in [low, high), both known. One trip or none makes no loop.
  Result<Values> Loop(int64_t low, int64_t high, Values init, const LoopBody& body);
  /// The same for bounds known at run time only; positions lie in `range`.
  Result<Values> Loop(mlir::Value low, mlir::Value high, indexing::Range range, Values init,
                      const LoopBody& body);
  /// if (condition) then() else otherwise(), each giving values of these types.
  Result<Values> If(mlir::Value condition, mlir::TypeRange types, const std::function<Result<Values>()>& then,
                    const std::function<Result<Values>()>& otherwise);
  /// body() writes into `block`, a region's of `op`, which stands where the builder does. What is emitted
  /// there is not known outside.
  Status Inside(mlir::Operation* op, mlir::Block* block, const std::function<Status()>& body);
  /// All bounds hold; they must not depend on lanes.
  mlir::Value Holds(std::span<const indexing::Bound> bounds);

  // Several elements as plain values and back: complex ones are two.
  static Values Flatten(std::span<const Element> elements);
  static Elements Unflatten(mlir::ValueRange values, std::span<const ElementType> types);

 private:
  struct Scope {
    bool conditional = false;
    mlir::Operation* anchor = nullptr;  ///< in the scope around it, the op this scope is inside of
    absl::flat_hash_map<std::tuple<const Frame*, const hlo::Instruction*, Index>, Elements> values;
    absl::flat_hash_map<std::tuple<const Frame*, const hlo::Instruction*, int64_t, Index>, Expr> starts;
    absl::flat_hash_map<std::pair<const Frame*, const hlo::Instruction*>, Elements> given;
    absl::flat_hash_map<Expr, mlir::Value> materialized;
    absl::flat_hash_map<int64_t, mlir::Value> constants;
    absl::flat_hash_map<std::pair<int64_t, int64_t>, Expr> at_lane;  ///< (symbol, lane)
  };
  struct Symbol {
    mlir::Value value;  ///< null for lane symbols
    int64_t lanes = 0;
    size_t level = 0;  ///< of the scope it is bound in
  };

  struct Tile {
    int64_t symbol = -1;  ///< of the row
    int64_t rows = 0, row = 0;
    absl::flat_hash_map<std::pair<const void*, Expr>, std::vector<mlir::Value>> transposed;
  };

  // emission.cc
  Result<Values> InScope(bool conditional, mlir::Operation* anchor, mlir::Block* block,
                         const std::function<Result<Values>()>& body);
  /// Runs `body` with the builder at the outermost scope in which a value of `frame` at `index` can be had.
  template <typename Body>
  auto Hoisted(const Frame& frame, const Index& index, Body body);
  size_t HoistLevel(const Frame& frame, const Index& index) const;
  mlir::Value MaterializeScalar(Expr e);
  mlir::Value MaterializeVector(Expr e, int64_t lanes);
  mlir::Value ConstantVector(std::span<const int64_t> values);

  // instruction.cc
  Result<Elements> Emit(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Element> Parameter(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Element> ArrayConstant(const hlo::Instruction& instruction, const Index& index);
  Result<Element> Iota(const hlo::Instruction& instruction, const Index& index);
  Result<Element> Elementwise(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Elements> Inlined(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Elements> Map(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Element> BitcastConvert(Frame& frame, const hlo::Instruction& instruction, const Index& index);

  // mover.cc
  Result<Element> Mover(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Element> Alternatives(Frame& frame, const hlo::Instruction& instruction,
                               std::span<const indexing::OperandRead> reads, int64_t lanes);
  Result<Elements> LaneByLane(Frame& frame, const hlo::Instruction& instruction, const Index& index,
                              int64_t lanes);

  // memory.cc
  mlir::Value LoadOfTile(mlir::Value buffer, Expr offset, int64_t lanes);

  // reduce.cc
  Result<Elements> Fold(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Elements> Product(Frame& frame, const hlo::Instruction& instruction, const Index& index);
  Result<Elements> Reduce(Frame& frame, const hlo::Instruction& instruction, const Index& index);

  mlir::ImplicitLocOpBuilder& b_;
  Options options_;
  decision::Log* log_;
  indexing::Context exprs_;
  std::vector<Scope> scopes_;
  std::vector<Symbol> symbols_;
  Tile tile_;
  int64_t emitted_ = 0;  ///< values so far
  std::vector<std::unique_ptr<Frame>> frames_;
  absl::flat_hash_map<const hlo::Instruction*, mlir::Value>
      constants_;  ///< large ones, at the head of the kernel
  absl::flat_hash_map<std::pair<const Frame*, const hlo::Instruction*>, Frame*> inlined_;
};

}  // namespace subfloor::codegen::emitters
