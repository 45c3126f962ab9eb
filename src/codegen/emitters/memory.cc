#include <algorithm>
#include <numeric>

#include "codegen/emitters/emission.h"
#include "device/description/kernel_abi.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

/// Loads and stores of elements at symbolic offsets.
namespace subfloor::codegen::emitters {

namespace vector = mlir::vector;

namespace {

// The largest power of two that divides every value of `e` (at most a buffer's alignment, in units).
int64_t Divisor(Expr e) {
  int64_t g = e->constant;
  for (const indexing::Term& t : e->terms) g = std::gcd(g, t.coefficient);
  if (g == 0) return SUBFLOOR_BUFFER_ALIGNMENT;
  return std::min<int64_t>(g & -g, SUBFLOOR_BUFFER_ALIGNMENT);
}

mlir::IntegerAttr AlignmentOf(mlir::OpBuilder& b, Expr offset, mlir::Type unit, int64_t lanes) {
  const int64_t bytes = unit.getIntOrFloatBitWidth() / 8;
  const int64_t alignment = std::min<int64_t>(Divisor(offset) * bytes, SUBFLOOR_BUFFER_ALIGNMENT);
  if (lanes == 0 || alignment <= bytes) return {};
  return b.getI64IntegerAttr(alignment);
}

// Of two vectors, groups of `size` lanes by turns: the first half of each block of 2 * `size` (with `upper`
// its second half) from `a`, then that from `b`. Interleaves within blocks instead if `zip`.
mlir::Value TakeHalves(mlir::OpBuilder& b, mlir::Location at, mlir::Value first, mlir::Value second,
                       int64_t size, bool upper, bool zip) {
  const int64_t lanes = mlir::cast<mlir::VectorType>(first.getType()).getNumElements();
  llvm::SmallVector<int64_t> taken;
  for (int64_t block = 0; block < lanes; block += 2 * size) {
    const int64_t begin = block + (upper ? size : 0);
    if (zip) {
      for (int64_t k = 0; k < size; ++k) taken.append({begin + k, lanes + begin + k});
    } else {
      for (int64_t k = 0; k < size; ++k) taken.push_back(begin + k);
      for (int64_t k = 0; k < size; ++k) taken.push_back(lanes + begin + k);
    }
  }
  return vector::ShuffleOp::create(b, at, first, second, taken);
}

// Turns a square tile round. Halves of halves change places until they are as wide as the pieces of registers
// that processors shuffle cheaply in; within those, interleaving rows half a piece apart as often as it has
// halves does the same with one instruction a shuffle. (The plain network all the way down takes half as many
// again, and LLVM four times as long to find them.)
void TransposeTile(mlir::OpBuilder& b, mlir::Location at, std::vector<mlir::Value>& rows,
                   int64_t element_bits) {
  constexpr int64_t kPieceBits = 128;
  const int64_t lanes = static_cast<int64_t>(rows.size());
  const int64_t piece = std::clamp<int64_t>(kPieceBits / element_bits, 1, lanes);
  const auto row = [&](int64_t i) -> mlir::Value& { return rows[static_cast<size_t>(i)]; };
  for (int64_t s = lanes / 2; s >= piece; s /= 2) {
    for (int64_t i = 0; i < lanes; ++i) {
      if ((i & s) != 0) continue;
      const mlir::Value low = row(i), high = row(i + s);
      row(i) = TakeHalves(b, at, low, high, s, /*upper=*/false, /*zip=*/false);
      row(i + s) = TakeHalves(b, at, low, high, s, /*upper=*/true, /*zip=*/false);
    }
  }
  for (int64_t done = 1; done < piece; done *= 2) {
    const std::vector<mlir::Value> before = rows;
    for (int64_t i = 0; i < lanes; ++i) {
      const int64_t base = i / piece * piece, pair = base + (i - base) / 2;
      row(i) =
          TakeHalves(b, at, before[static_cast<size_t>(pair)], before[static_cast<size_t>(pair + piece / 2)],
                     piece / 2, /*upper=*/i % 2 != 0, /*zip=*/true);
    }
  }
}

}  // namespace

Element Emission::Load(mlir::Value buffer, Expr offset) {
  const auto type = mlir::cast<sf::BufferType>(buffer.getType());
  const ElementType element = type.getElement();
  const mlir::Type unit = type.storageType();
  const bool complex = IsComplex(element);
  const int64_t lanes = LanesOf(offset);
  auto load = [&](Expr at, int64_t count) -> mlir::Value {
    mlir::Type result = count == 0 ? unit : mlir::Type(mlir::VectorType::get({count}, unit));
    return sf::LoadOp::create(b_, result, buffer, Materialize(at), AlignmentOf(b_, at, unit, count));
  };
  if (lanes == 0) {
    if (!complex) return elemental::FromStorage(b_, element, load(offset, 0));
    Expr at = exprs_.Mul(offset, 2);
    mlir::Value real = load(at, 0);
    return elemental::FromStorage(b_, element, real, load(exprs_.Add(at, 1), 0));
  }

  // Offsets of the lanes, each as a scalar; neighbours that follow one another are read together.
  std::vector<Expr> at;
  for (int64_t lane = 0; lane < lanes; ++lane) at.push_back(AtLane({offset}, lane)[0]);
  auto run_from = [&](int64_t first, int64_t step) {
    int64_t n = 1;
    while (first + n < lanes &&
           exprs_.Sub(at[static_cast<size_t>(first + n)], at[static_cast<size_t>(first + n - 1)])
               ->IsConstant(step))
      ++n;
    return n;
  };
  if (run_from(0, 1) == lanes) {
    if (!complex) return elemental::FromStorage(b_, element, load(at[0], lanes));
    mlir::Value both = load(exprs_.Mul(at[0], 2), 2 * lanes);
    llvm::SmallVector<int64_t> even, odd;
    for (int64_t l = 0; l < lanes; ++l) even.push_back(2 * l), odd.push_back(2 * l + 1);
    mlir::Value real = vector::ShuffleOp::create(b_, both, both, even);
    return elemental::FromStorage(b_, element, real, vector::ShuffleOp::create(b_, both, both, odd));
  }
  if (run_from(0, -1) == lanes && !complex) {
    mlir::Value forward = load(at.back(), lanes);
    llvm::SmallVector<int64_t> backward;
    for (int64_t l = lanes; l-- > 0;) backward.push_back(l);
    return elemental::FromStorage(b_, element, vector::ShuffleOp::create(b_, forward, forward, backward));
  }
  const auto vector_type = mlir::VectorType::get({lanes}, unit);
  if (!complex) {
    if (mlir::Value row = LoadOfTile(buffer, offset, lanes)) return elemental::FromStorage(b_, element, row);
    // Runs of a power of two: one load each, put together by inserting. Else one by one.
    int64_t run = lanes;
    for (int64_t l = 0; l < lanes; l += run) {
      run = std::min(run, run_from(l, 1));
      run = run & -run;
      while (l % run != 0) run /= 2;
    }
    if (run >= 4) {
      bool whole = true;
      for (int64_t l = 0; l < lanes; l += run) whole &= run_from(l, 1) >= run;
      if (whole) {
        mlir::Value all;
        for (int64_t l = 0; l < lanes; l += run) {
          mlir::Value part = load(at[static_cast<size_t>(l)], run);
          llvm::SmallVector<int64_t> widen(static_cast<size_t>(lanes), -1);
          for (int64_t i = 0; i < run; ++i) widen[static_cast<size_t>(l + i)] = i;
          mlir::Value wide = vector::ShuffleOp::create(b_, part, part, widen);
          if (!all) {
            all = wide;
            continue;
          }
          llvm::SmallVector<int64_t> blend;
          for (int64_t i = 0; i < lanes; ++i) blend.push_back(i >= l && i < l + run ? lanes + i : i);
          all = vector::ShuffleOp::create(b_, all, wide, blend);
        }
        return elemental::FromStorage(b_, element, all);
      }
    }
  }
  llvm::SmallVector<mlir::Value> reals, imags;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Expr e = at[static_cast<size_t>(lane)];
    if (complex) e = exprs_.Mul(e, 2);
    reals.push_back(load(e, 0));
    if (complex) imags.push_back(load(exprs_.Add(e, 1), 0));
  }
  mlir::Value real = vector::FromElementsOp::create(b_, vector_type, reals);
  mlir::Value imag;
  if (complex) imag = vector::FromElementsOp::create(b_, vector_type, imags);
  return elemental::FromStorage(b_, element, real, imag);
}

// This row of a tile that lies the other way round in memory; null where that is not so.
mlir::Value Emission::LoadOfTile(mlir::Value buffer, Expr offset, int64_t lanes) {
  int64_t stride = 0;
  if (tile_.rows != lanes || lanes < 2 || !indexing::IsAffineIn(offset, tile_.symbol, &stride) || stride != 1)
    return {};
  // Under a condition the row's place may not exist for others.
  for (size_t i = symbols_[static_cast<size_t>(tile_.symbol)].level + 1; i < scopes_.size(); ++i) {
    if (scopes_[i].conditional) return {};
  }
  std::vector<mlir::Value>& rows = tile_.transposed[{buffer.getAsOpaquePointer(), offset}];
  if (rows.empty()) {
    if (tile_.row != 0) return {};
    const mlir::Type unit = mlir::cast<sf::BufferType>(buffer.getType()).storageType();
    const auto type = mlir::VectorType::get({lanes}, unit);
    std::vector<Expr> first(static_cast<size_t>(exprs_.symbol_count()), nullptr);
    first[static_cast<size_t>(tile_.symbol)] = exprs_.Constant(0);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Expr at = exprs_.Substitute(AtLane({offset}, lane)[0], first);
      rows.push_back(sf::LoadOp::create(b_, type, buffer, Materialize(at), AlignmentOf(b_, at, unit, lanes)));
    }
    TransposeTile(b_, b_.getLoc(), rows, unit.getIntOrFloatBitWidth());
  }
  return rows[static_cast<size_t>(tile_.row)];
}

void Emission::Store(const Element& given, mlir::Value buffer, Expr offset) {
  const auto type = mlir::cast<sf::BufferType>(buffer.getType());
  const mlir::Type unit = type.storageType();
  const bool complex = IsComplex(type.getElement());
  const int64_t lanes = LanesOf(offset);
  Element element = elemental::ToStorage(b_, lanes == 0 ? given : elemental::Splat(b_, given, lanes));
  auto store = [&](mlir::Value value, Expr at, int64_t count) {
    sf::StoreOp::create(b_, value, buffer, Materialize(at), AlignmentOf(b_, at, unit, count));
  };
  if (lanes == 0) {
    if (!complex) return store(element.value, offset, 0);
    store(element.value, exprs_.Mul(offset, 2), 0);
    return store(element.imag, exprs_.Add(exprs_.Mul(offset, 2), 1), 0);
  }
  std::vector<Expr> at;
  bool contiguous = true;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    at.push_back(AtLane({offset}, lane)[0]);
    if (lane > 0)
      contiguous &=
          exprs_.Sub(at[static_cast<size_t>(lane)], at[static_cast<size_t>(lane - 1)])->IsConstant(1);
  }
  if (contiguous) {
    if (!complex) return store(element.value, at[0], lanes);
    llvm::SmallVector<int64_t> zip;
    for (int64_t l = 0; l < lanes; ++l) zip.push_back(l), zip.push_back(lanes + l);
    return store(vector::ShuffleOp::create(b_, element.value, element.imag, zip), exprs_.Mul(at[0], 2),
                 2 * lanes);
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Expr e = at[static_cast<size_t>(lane)];
    if (complex) e = exprs_.Mul(e, 2);
    store(vector::ExtractOp::create(b_, element.value, lane), e, 0);
    if (complex) store(vector::ExtractOp::create(b_, element.imag, lane), exprs_.Add(e, 1), 0);
  }
}

}  // namespace subfloor::codegen::emitters
