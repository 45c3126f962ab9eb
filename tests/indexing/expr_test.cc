#include "indexing/expr.h"

#include <gtest/gtest.h>

#include <random>

namespace subfloor::indexing {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t Evaluate(Expr e, std::span<const int64_t> symbols) {
  int64_t sum = e->constant;
  for (const Term& t : e->terms) {
    int64_t v = 0;
    if (t.atom->kind == Atom::Kind::kSymbol)
      v = symbols[static_cast<size_t>(t.atom->symbol)];
    else
      v = Evaluate(t.atom->argument, symbols);
    if (t.atom->kind == Atom::Kind::kFloorDiv) v = FloorDivide(v, t.atom->divisor);
    if (t.atom->kind == Atom::Kind::kMod) v -= t.atom->divisor * FloorDivide(v, t.atom->divisor);
    sum += t.coefficient * v;
  }
  return sum;
}

TEST(Expr, LinearizeUndoesDelinearize) {
  Context c;
  Expr x = c.NewSymbol({0, 2 * 3 * 4 - 1});
  const std::vector<int64_t> sizes{2, 3, 4};
  EXPECT_EQ(c.Linearize(c.Delinearize(x, sizes), sizes), x);
  const std::vector<int64_t> padded{1, 2, 1, 12, 1};
  EXPECT_EQ(c.Linearize(c.Delinearize(x, padded), padded), x);
}

TEST(Expr, DelinearizeUndoesLinearize) {
  Context c;
  const std::vector<int64_t> sizes{5, 3, 4};
  std::vector<Expr> index;
  for (int64_t size : sizes) index.push_back(c.NewSymbol({0, size - 1}));
  EXPECT_EQ(c.Delinearize(c.Linearize(index, sizes), sizes), index);
}

TEST(Expr, LanesFallOutOfDivisionsByMultiples) {
  Context c;
  Expr t = c.NewSymbol({0, 99}), lane = c.NewSymbol({0, 15});
  Expr position = c.Add(c.Mul(t, 16), lane);
  EXPECT_EQ(c.FloorDiv(position, 16), t);
  EXPECT_EQ(c.FloorDiv(position, 32), c.FloorDiv(t, 2));
  EXPECT_EQ(c.Mod(position, 16), lane);
  EXPECT_EQ(ToString(c.Mod(position, 32)), "s1 + 16*(s0 mod 2)");
}

TEST(Expr, EqualExpressionsAreOnePointer) {
  Context c;
  Expr x = c.NewSymbol({0, 9}), y = c.NewSymbol({0, 9});
  EXPECT_EQ(c.Add(x, y), c.Add(y, x));
  EXPECT_EQ(c.Sub(c.Add(x, y), y), x);
  EXPECT_NE(c.FloorDiv(x, 3), c.FloorDiv(y, 3));
}

TEST(Expr, AffineIn) {
  Context c;
  Expr x = c.NewSymbol({0, 9}), y = c.NewSymbol({0, 9});
  int64_t stride = 0;
  EXPECT_TRUE(IsAffineIn(c.Add(c.Mul(x, 3), c.FloorDiv(y, 2)), 0, &stride));
  EXPECT_EQ(stride, 3);
  EXPECT_FALSE(IsAffineIn(c.FloorDiv(y, 2), 1, &stride));
}

// Random trees: whatever is simplified has the value of what was written.
TEST(Expr, SimplificationKeepsValues) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    Context c;
    std::vector<Range> ranges;
    std::vector<Expr> pool;
    std::vector<std::function<int64_t(std::span<const int64_t>)>> meaning;
    for (size_t s = 0; s < 3; ++s) {
      const int64_t low = pick(-4, 2);
      ranges.push_back({low, low + pick(0, 20)});
      pool.push_back(c.NewSymbol(ranges.back()));
      meaning.push_back([s](std::span<const int64_t> v) { return v[s]; });
    }
    for (int step = 0; step < 8; ++step) {
      const auto i = static_cast<size_t>(pick(0, static_cast<int64_t>(pool.size()) - 1));
      const auto j = static_cast<size_t>(pick(0, static_cast<int64_t>(pool.size()) - 1));
      const int64_t k = pick(1, 12);
      auto a = meaning[i], b = meaning[j];
      switch (pick(0, 4)) {
        case 0:
          pool.push_back(c.Add(pool[i], pool[j]));
          meaning.push_back([=](auto v) { return a(v) + b(v); });
          break;
        case 1:
          pool.push_back(c.Sub(pool[i], pool[j]));
          meaning.push_back([=](auto v) { return a(v) - b(v); });
          break;
        case 2:
          pool.push_back(c.Mul(pool[i], k));
          meaning.push_back([=](auto v) { return a(v) * k; });
          break;
        case 3:
          pool.push_back(c.FloorDiv(pool[i], k));
          meaning.push_back([=](auto v) { return FloorDivide(a(v), k); });
          break;
        case 4:
          pool.push_back(c.Mod(pool[i], k));
          meaning.push_back([=](auto v) { return a(v) - k * FloorDivide(a(v), k); });
          break;
      }
    }
    for (int sample = 0; sample < 10; ++sample) {
      std::vector<int64_t> values;
      for (const Range& r : ranges) values.push_back(pick(r.low, r.high));
      for (size_t i = 0; i < pool.size(); ++i) {
        const int64_t wanted = meaning[i](values);
        ASSERT_EQ(Evaluate(pool[i], values), wanted) << ToString(pool[i]);
        ASSERT_TRUE(pool[i]->range.Contains(wanted)) << ToString(pool[i]);
      }
    }
  }
}

}  // namespace
}  // namespace subfloor::indexing
