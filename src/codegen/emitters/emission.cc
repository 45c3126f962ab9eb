#include "codegen/emitters/emission.h"

#include <algorithm>
#include <numeric>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace subfloor::codegen::emitters {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using indexing::Atom;
using indexing::Range;
using indexing::Term;

namespace {
// Indices are exact: nothing an index passes through leaves its width.
constexpr auto kExact = arith::IntegerOverflowFlags::nsw;
}  // namespace

Emission::Emission(mlir::ImplicitLocOpBuilder& builder, Options options, decision::Log* log)
    : b_(builder), options_(options), log_(log) {
  scopes_.emplace_back();
}

// Indices. --------------------------------------------------------------------------------------------------

int64_t Emission::LanesOf(Expr e) const {
  int64_t lanes = 0;
  indexing::ForEachSymbol(
      e, [&](int64_t s) { lanes = std::max(lanes, symbols_[static_cast<size_t>(s)].lanes); });
  return lanes;
}

int64_t Emission::LanesOf(const Index& index) const {
  int64_t lanes = 0;
  for (Expr e : index) lanes = std::max(lanes, LanesOf(e));
  return lanes;
}

Expr Emission::NewLane(int64_t lanes) {
  Expr e = exprs_.NewSymbol({0, lanes - 1});
  symbols_.resize(static_cast<size_t>(exprs_.symbol_count()));
  symbols_.back() = {{}, lanes, scopes_.size() - 1};
  return e;
}

Expr Emission::Bind(mlir::Value value, Range range) {
  Expr e = exprs_.NewSymbol(range);
  symbols_.resize(static_cast<size_t>(exprs_.symbol_count()));
  auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
  symbols_.back() = {value, vector ? vector.getNumElements() : 0, scopes_.size() - 1};
  return e;
}

Index Emission::AtLane(const Index& index, int64_t lane) {
  std::vector<Expr> replacement(static_cast<size_t>(exprs_.symbol_count()), nullptr);
  for (Expr e : index) {
    indexing::ForEachSymbol(e, [&](int64_t s) {
      const auto i = static_cast<size_t>(s);
      if (symbols_[i].lanes == 0 || replacement[i] != nullptr) return;
      if (!symbols_[i].value) {
        replacement[i] = exprs_.Constant(lane);
        return;
      }
      // A run-time index: this lane's number becomes a symbol of its own, bound once a scope.
      for (size_t scope = scopes_.size(); scope-- > 0 && replacement[i] == nullptr;) {
        if (auto it = scopes_[scope].at_lane.find({s, lane}); it != scopes_[scope].at_lane.end())
          replacement[i] = it->second;
      }
      if (replacement[i] != nullptr) return;
      replacement[i] =
          Bind(mlir::vector::ExtractOp::create(b_, symbols_[i].value, lane), exprs_.SymbolRange(s));
      scopes_.back().at_lane[{s, lane}] = replacement[i];
    });
  }
  Index result;
  for (Expr e : index) result.push_back(exprs_.Substitute(e, replacement));
  return result;
}

mlir::Value Emission::Constant(int64_t value) {
  mlir::Value& slot = scopes_.back().constants[value];
  if (!slot) slot = arith::ConstantIntOp::create(b_, value, options_.index_bits);
  return slot;
}

mlir::Value Emission::ConstantVector(std::span<const int64_t> values) {
  auto type = mlir::VectorType::get({static_cast<int64_t>(values.size())}, index_type());
  llvm::SmallVector<llvm::APInt> numbers;
  for (int64_t value : values) numbers.emplace_back(options_.index_bits, static_cast<uint64_t>(value), true);
  return arith::ConstantOp::create(b_, mlir::DenseElementsAttr::get(type, numbers));
}

mlir::Value Emission::Materialize(Expr e) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (auto it = scopes_[i].materialized.find(e); it != scopes_[i].materialized.end()) return it->second;
  }
  const int64_t lanes = LanesOf(e);
  mlir::Value value = lanes == 0 ? MaterializeScalar(e) : MaterializeVector(e, lanes);
  scopes_.back().materialized[e] = value;
  return value;
}

mlir::Value Emission::MaterializeScalar(Expr e) {
  mlir::Value sum;
  for (const Term& t : e->terms) {
    mlir::Value v;
    if (t.atom->kind == Atom::Kind::kSymbol) {
      v = symbols_[static_cast<size_t>(t.atom->symbol)].value;
    } else {
      mlir::Value x = Materialize(t.atom->argument);
      mlir::Value d = Constant(t.atom->divisor);
      const bool natural = t.atom->argument->range.low >= 0;
      if (t.atom->kind == Atom::Kind::kFloorDiv) {
        v = natural ? arith::DivUIOp::create(b_, x, d).getResult()
                    : arith::FloorDivSIOp::create(b_, x, d).getResult();
      } else if (natural) {
        v = arith::RemUIOp::create(b_, x, d);
      } else {
        mlir::Value q = arith::FloorDivSIOp::create(b_, x, d);
        v = arith::SubIOp::create(b_, x, arith::MulIOp::create(b_, q, d, kExact), kExact);
      }
    }
    if (t.coefficient != 1) v = arith::MulIOp::create(b_, v, Constant(t.coefficient), kExact);
    sum = sum ? arith::AddIOp::create(b_, sum, v, kExact).getResult() : v;
  }
  if (!sum) return Constant(e->constant);
  if (e->constant != 0) sum = arith::AddIOp::create(b_, sum, Constant(e->constant), kExact);
  return sum;
}

mlir::Value Emission::MaterializeVector(Expr e, int64_t lanes) {
  auto type = mlir::VectorType::get({lanes}, index_type());
  auto splat = [&](mlir::Value v) -> mlir::Value {
    return mlir::isa<mlir::VectorType>(v.getType())
               ? v
               : mlir::vector::BroadcastOp::create(b_, type, v).getResult();
  };
  // What is the same in all lanes is computed once.
  std::vector<Term> uniform, varying;
  for (const Term& t : e->terms) {
    const int64_t l = t.atom->kind == Atom::Kind::kSymbol
                          ? symbols_[static_cast<size_t>(t.atom->symbol)].lanes
                          : LanesOf(t.atom->argument);
    (l == 0 ? uniform : varying).push_back(t);
  }
  std::vector<int64_t> steps(static_cast<size_t>(lanes), 0);
  mlir::Value sum;
  auto add = [&](mlir::Value v) { sum = sum ? arith::AddIOp::create(b_, sum, v, kExact).getResult() : v; };
  for (const Term& t : varying) {
    const bool is_lane =
        t.atom->kind == Atom::Kind::kSymbol && !symbols_[static_cast<size_t>(t.atom->symbol)].value;
    if (is_lane) {
      for (int64_t l = 0; l < lanes; ++l) steps[static_cast<size_t>(l)] += l * t.coefficient;
      continue;
    }
    mlir::Value v;
    if (t.atom->kind == Atom::Kind::kSymbol) {
      v = symbols_[static_cast<size_t>(t.atom->symbol)].value;
    } else {
      mlir::Value x = splat(Materialize(t.atom->argument));
      mlir::Value d = splat(Constant(t.atom->divisor));
      mlir::Value q = t.atom->argument->range.low >= 0 ? arith::DivUIOp::create(b_, x, d).getResult()
                                                       : arith::FloorDivSIOp::create(b_, x, d).getResult();
      v = t.atom->kind == Atom::Kind::kFloorDiv
              ? q
              : arith::SubIOp::create(b_, x, arith::MulIOp::create(b_, q, d, kExact), kExact).getResult();
    }
    if (t.coefficient != 1) v = arith::MulIOp::create(b_, v, splat(Constant(t.coefficient)), kExact);
    add(v);
  }
  Expr rest = exprs_.Constant(e->constant);
  for (const Term& t : uniform) {
    Expr atom = t.atom->kind == Atom::Kind::kSymbol     ? exprs_.SymbolExpr(t.atom->symbol)
                : t.atom->kind == Atom::Kind::kFloorDiv ? exprs_.FloorDiv(t.atom->argument, t.atom->divisor)
                                                        : exprs_.Mod(t.atom->argument, t.atom->divisor);
    rest = exprs_.Add(rest, exprs_.Mul(atom, t.coefficient));
  }
  bool any_step = std::any_of(steps.begin(), steps.end(), [](int64_t s) { return s != 0; });
  if (any_step) {
    if (rest->IsConstant()) {
      for (int64_t& s : steps) s += rest->constant;
      rest = exprs_.Constant(0);
    }
    add(ConstantVector(steps));
  }
  if (!rest->IsConstant(0) || !sum) add(splat(Materialize(rest)));
  return sum;
}

mlir::Value Emission::ClampedIndex(const Element& element, int64_t last) {
  mlir::Value v = element.value;
  const auto vector = mlir::dyn_cast<mlir::VectorType>(v.getType());
  const bool is_signed = IsSigned(element.type);
  const unsigned bits =
      std::max(options_.index_bits, mlir::getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth());
  const auto of_width = [&](unsigned width) -> mlir::Type {
    const mlir::Type scalar = b_.getIntegerType(width);
    return vector ? mlir::VectorType::get(vector.getShape(), scalar) : scalar;
  };
  const mlir::Type wide = of_width(bits), index = of_width(options_.index_bits);
  if (v.getType() != wide) {
    v = is_signed ? arith::ExtSIOp::create(b_, wide, v).getResult()
                  : arith::ExtUIOp::create(b_, wide, v).getResult();
  }
  const auto like = [&](int64_t c) -> mlir::Value {
    return arith::ConstantOp::create(
        b_, vector ? mlir::TypedAttr(mlir::DenseElementsAttr::get(
                         mlir::cast<mlir::ShapedType>(wide), llvm::APInt(bits, static_cast<uint64_t>(c))))
                   : mlir::TypedAttr(b_.getIntegerAttr(wide, c)));
  };
  if (is_signed) {
    v = arith::MaxSIOp::create(b_, v, like(0));
    v = arith::MinSIOp::create(b_, v, like(last));
  } else {
    v = arith::MinUIOp::create(b_, v, like(last));
  }
  return wide == index ? v : arith::TruncIOp::create(b_, index, v).getResult();
}

// Structure. ------------------------------------------------------------------------------------------------

Result<Values> Emission::InScope(bool conditional, mlir::Operation* anchor, mlir::Block* block,
                                 const std::function<Result<Values>()>& body) {
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToEnd(block);
  scopes_.emplace_back();
  scopes_.back().conditional = conditional;
  scopes_.back().anchor = anchor;
  auto result = body();
  scopes_.pop_back();
  return result;
}

Status Emission::Inside(mlir::Operation* op, mlir::Block* block, const std::function<Status()>& body) {
  SF_CHECK(InScope(/*conditional=*/true, op, block, [&]() -> Result<Values> {
    SF_CHECK(body());
    return Values{};
  }));
  return {};
}

Result<Values> Emission::Loop(int64_t low, int64_t high, Values init, const LoopBody& body) {
  if (high <= low) return init;
  if (high - low == 1) return body(exprs_.Constant(low), init);
  return Loop(Constant(low), Constant(high), {low, high - 1}, std::move(init), body);
}

Result<Values> Emission::Loop(mlir::Value low, mlir::Value high, Range range, Values init,
                              const LoopBody& body) {
  auto loop = scf::ForOp::create(b_, low, high, Constant(1), init);
  mlir::Block* block = loop.getBody();
  // With nothing carried the builder has put a yield already.
  if (!block->empty()) block->back().erase();
  SF_CHECK(InScope(/*conditional=*/false, loop, block, [&]() -> Result<Values> {
    Expr position = Bind(loop.getInductionVar(), range);
    Values next = SF_TRY(body(position, loop.getRegionIterArgs()));
    scf::YieldOp::create(b_, next);
    return Values{};
  }));
  return Values(loop.getResults().begin(), loop.getResults().end());
}

Result<Values> Emission::If(mlir::Value condition, mlir::TypeRange types,
                            const std::function<Result<Values>()>& then,
                            const std::function<Result<Values>()>& otherwise) {
  auto branch = scf::IfOp::create(b_, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto fill = [&](mlir::Block* block, const std::function<Result<Values>()>& body) -> Status {
    if (!block->empty()) block->back().erase();
    SF_CHECK(InScope(/*conditional=*/true, branch, block, [&]() -> Result<Values> {
      Values values = SF_TRY(body());
      scf::YieldOp::create(b_, values);
      return Values{};
    }));
    return {};
  };
  SF_CHECK(fill(branch.thenBlock(), then));
  SF_CHECK(fill(branch.elseBlock(), otherwise));
  return Values(branch.getResults().begin(), branch.getResults().end());
}

Expr Emission::BeginTile(int64_t rows) {
  Expr row = Bind(Constant(0), {0, rows - 1});
  tile_ = {exprs_.symbol_count() - 1, rows, 0, {}};
  return row;
}

Status Emission::TileRow(int64_t row, const std::function<Status()>& body) {
  // What was emitted for another row must not be found again, and nothing may move out to where the row is
  // another.
  scopes_.emplace_back();
  scopes_.back().conditional = true;
  Symbol& symbol = symbols_[static_cast<size_t>(tile_.symbol)];
  symbol.value = Constant(row);
  symbol.level = scopes_.size() - 1;
  tile_.row = row;
  Status status = body();
  scopes_.pop_back();
  return status;
}

mlir::Value Emission::Holds(std::span<const indexing::Bound> bounds) {
  mlir::Value all;
  for (const indexing::Bound& bound : bounds) {
    if (bound.Known() == indexing::Bound::Truth::kTrue) continue;
    // low <= v <= high as one unsigned compare.
    mlir::Value shifted = Materialize(exprs_.Add(bound.value, -bound.low));
    mlir::Value holds =
        arith::CmpIOp::create(b_, arith::CmpIPredicate::ule, shifted, Constant(bound.high - bound.low));
    all = all ? arith::AndIOp::create(b_, all, holds).getResult() : holds;
  }
  return all ? all : arith::ConstantIntOp::create(b_, 1, 1).getResult();
}

size_t Emission::HoistLevel(const Frame& frame, const Index& index) const {
  size_t level = frame.level;
  for (size_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i].conditional) level = std::max(level, i);
  }
  for (Expr e : index) {
    indexing::ForEachSymbol(
        e, [&](int64_t s) { level = std::max(level, symbols_[static_cast<size_t>(s)].level); });
  }
  return level;
}

template <typename Body>
auto Emission::Hoisted(const Frame& frame, const Index& index, Body body) {
  const size_t level = HoistLevel(frame, index);
  if (level + 1 >= scopes_.size()) return body();
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPoint(scopes_[level + 1].anchor);
  std::vector<Scope> inner(std::make_move_iterator(scopes_.begin() + static_cast<std::ptrdiff_t>(level) + 1),
                           std::make_move_iterator(scopes_.end()));
  scopes_.resize(level + 1);
  auto result = body();
  for (Scope& scope : inner) scopes_.push_back(std::move(scope));
  return result;
}

// Values. ---------------------------------------------------------------------------------------------------

mlir::Location Emission::LocationOf(const hlo::Instruction& instruction) const {
  return mlir::NameLoc::get(b_.getStringAttr(instruction.name()));
}

Result<Element> Emission::Value(Frame& frame, const hlo::Instruction& instruction, const Index& index) {
  Elements all = SF_TRY(AllValues(frame, instruction, index));
  if (all.size() != 1)
    return InternalError("%{} gives {} values where one is wanted", instruction.name(), all.size());
  return all[0];
}

Result<Elements> Emission::AllValues(Frame& frame, const hlo::Instruction& instruction, const Index& index) {
  const std::tuple<const Frame*, const hlo::Instruction*, Index> key{&frame, &instruction, index};
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (auto it = scopes_[i].values.find(key); it != scopes_[i].values.end()) return it->second;
    if (scopes_[i].given.empty()) continue;
    if (auto it = scopes_[i].given.find({&frame, &instruction}); it != scopes_[i].given.end())
      return it->second;
  }
  const bool dear = indexing::IsFold(instruction);
  // Chains of shifted reads of one value have many paths with an index each.
  constexpr int64_t kMostValues = 50'000;
  if (++emitted_ > kMostValues) {
    return NotSupported("more than {} element values in one kernel; smaller fusions would work", kMostValues);
  }
  auto emit = [&]() -> Result<Elements> {
    const mlir::Location outer = b_.getLoc();
    if (options_.locations) b_.setLoc(LocationOf(instruction));
    auto result = Emit(frame, instruction, index);
    b_.setLoc(outer);
    if (result)
      scopes_.back().values[key] = *result;
    else if (result.error().instruction().empty())
      result.error().In(instruction.name());
    return result;
  };
  return dear ? Hoisted(frame, index, emit) : emit();
}

Result<Elements> Emission::Call(const hlo::Computation& computation, std::span<const Element> arguments) {
  // The frame lives as long as the emission: memoised values name it.
  frames_.push_back(std::make_unique<Frame>());
  Frame& frame = *frames_.back();
  frame.computation = &computation;
  frame.arguments.assign(arguments.begin(), arguments.end());
  frame.level = scopes_.size() - 1;
  const hlo::Instruction& root = *computation.root();
  // Scalars in order, so that each finds its operands made: no stack follows the length of a reducer or
  // comparator.
  for (const hlo::Instruction* instruction : computation.MakePostOrder()) {
    if (instruction->shape().IsArray() && instruction->shape().rank() == 0 && instruction != &root) {
      SF_CHECK(AllValues(frame, *instruction, {}));
    }
  }
  if (root.opcode() != hlo::Opcode::kTuple) return AllValues(frame, root, {});
  Elements results;
  for (const hlo::Instruction* operand : root.operands())
    results.push_back(SF_TRY(Value(frame, *operand, {})));
  return results;
}

Result<Expr> Emission::Start(Frame& frame, const hlo::Instruction& op, int64_t dimension,
                             const Index& batch) {
  const std::tuple<const Frame*, const hlo::Instruction*, int64_t, Index> key{&frame, &op, dimension, batch};
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (auto it = scopes_[i].starts.find(key); it != scopes_[i].starts.end()) return it->second;
  }
  return Hoisted(frame, batch, [&]() -> Result<Expr> {
    const int64_t last = indexing::LastStart(op, dimension);
    Element number;
    if (op.opcode() == hlo::Opcode::kGather) {
      const auto& a = op.As<hlo::GatherAttributes>();
      const auto& map = a.start_index_map;
      Index at = batch;
      if (a.index_vector_dim < op.operand(1)->shape().rank()) {
        const int64_t component = std::find(map.begin(), map.end(), dimension) - map.begin();
        at.insert(at.begin() + a.index_vector_dim, exprs_.Constant(component));
      }
      number = SF_TRY(Value(frame, *op.operand(1), at));
    } else {
      const int64_t first = op.opcode() == hlo::Opcode::kDynamicSlice ? 1 : 2;
      // Either a scalar for each dimension, or (an older form) one vector of them.
      const bool vector = op.operand(first)->shape().rank() == 1;
      number = SF_TRY(vector ? Value(frame, *op.operand(first), {exprs_.Constant(dimension)})
                             : Value(frame, *op.operand(first + dimension), {}));
    }
    Expr start = last == 0 ? exprs_.Constant(0) : Bind(ClampedIndex(number, last), {0, last});
    scopes_.back().starts[key] = start;
    return start;
  });
}

Values Emission::Flatten(std::span<const Element> elements) {
  Values values;
  for (const Element& e : elements) {
    values.push_back(e.value);
    if (e.imag) values.push_back(e.imag);
  }
  return values;
}

Elements Emission::Unflatten(mlir::ValueRange values, std::span<const ElementType> types) {
  Elements elements;
  size_t i = 0;
  for (ElementType type : types) {
    Element e{type, values[i++], {}};
    if (IsComplex(type)) e.imag = values[i++];
    elements.push_back(e);
  }
  return elements;
}

}  // namespace subfloor::codegen::emitters
