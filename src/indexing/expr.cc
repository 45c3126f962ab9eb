#include "indexing/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace subfloor::indexing {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t FloorModulo(int64_t a, int64_t b) { return a - b * FloorDivide(a, b); }

// Bounds saturate: a range that would leave int64 is as good as unknown, and only widens.
int64_t SaturatingMul(int64_t a, int64_t b) {
  int64_t r;
  if (!__builtin_mul_overflow(a, b, &r)) return r;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}
int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

Range RangeOf(int64_t constant, std::span<const Term> terms) {
  Range r{constant, constant};
  for (const Term& t : terms) {
    const int64_t x = SaturatingMul(t.coefficient, t.atom->range.low);
    const int64_t y = SaturatingMul(t.coefficient, t.atom->range.high);
    r.low = SaturatingAdd(r.low, std::min(x, y));
    r.high = SaturatingAdd(r.high, std::max(x, y));
  }
  return r;
}

size_t Hash(int64_t constant, std::span<const Term> terms) {
  size_t h = static_cast<size_t>(constant) * 0x9E3779B97F4A7C15u + terms.size();
  for (const Term& t : terms) {
    h = (h ^ static_cast<size_t>(t.coefficient)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ static_cast<size_t>(t.atom->id)) * 0x94D049BB133111EBu;
  }
  return h;
}

// Splits e = divisor * quotient + rest, moving whole multiples of the divisor to the quotient.
struct Split {
  int64_t quotient_constant = 0, rest_constant = 0;
  std::vector<Term> quotient, rest;
};
Split SplitBy(Expr e, int64_t divisor) {
  Split s;
  s.quotient_constant = FloorDivide(e->constant, divisor);
  s.rest_constant = FloorModulo(e->constant, divisor);
  for (const Term& t : e->terms) {
    // The part of the coefficient below the divisor stays, so that 17*x by 16 gives x + (x by 16).
    const int64_t q = t.coefficient >= 0 ? t.coefficient / divisor : -((-t.coefficient) / divisor);
    const int64_t r = t.coefficient - q * divisor;
    if (q != 0) s.quotient.push_back({q, t.atom});
    if (r != 0) s.rest.push_back({r, t.atom});
  }
  return s;
}

}  // namespace

Context::Context() = default;

Expr Context::Intern(int64_t constant, std::vector<Term> terms) {
  const size_t h = Hash(constant, terms);
  std::vector<Expr>& bucket = node_table_[h];
  for (Expr e : bucket) {
    if (e->constant == constant && e->terms == terms) return e;
  }
  Range range = RangeOf(constant, terms);
  nodes_.push_back({constant, std::move(terms), range, static_cast<int64_t>(nodes_.size())});
  bucket.push_back(&nodes_.back());
  return bucket.back();
}

const Atom* Context::InternAtom(Atom::Kind kind, Expr argument, int64_t divisor, Range range) {
  const Atom*& slot = atom_table_[{static_cast<int>(kind), argument, divisor}];
  if (slot == nullptr) {
    atoms_.push_back({kind, static_cast<int64_t>(atoms_.size()), -1, argument, divisor, range});
    slot = &atoms_.back();
  }
  return slot;
}

Expr Context::OfAtom(const Atom* atom) { return Intern(0, {{1, atom}}); }

Expr Context::Constant(int64_t value) { return Intern(value, {}); }

Expr Context::NewSymbol(Range range) {
  atoms_.push_back(
      {Atom::Kind::kSymbol, static_cast<int64_t>(atoms_.size()), symbol_count(), nullptr, 0, range});
  symbols_.push_back(&atoms_.back());
  return OfAtom(&atoms_.back());
}

Expr Context::Add(Expr a, int64_t b) { return b == 0 ? a : Intern(a->constant + b, a->terms); }

Expr Context::Mul(Expr a, int64_t factor) {
  if (factor == 0) return Constant(0);
  if (factor == 1) return a;
  std::vector<Term> terms = a->terms;
  for (Term& t : terms) t.coefficient *= factor;
  return Intern(a->constant * factor, std::move(terms));
}

Expr Context::Combine(Expr a, int64_t ka, Expr b, int64_t kb) {
  std::vector<Term> terms;
  terms.reserve(a->terms.size() + b->terms.size());
  size_t i = 0, j = 0;
  while (i < a->terms.size() || j < b->terms.size()) {
    const bool take_a =
        j == b->terms.size() || (i < a->terms.size() && a->terms[i].atom->id <= b->terms[j].atom->id);
    const bool take_b =
        i == a->terms.size() || (j < b->terms.size() && b->terms[j].atom->id <= a->terms[i].atom->id);
    Term t{0, take_a ? a->terms[i].atom : b->terms[j].atom};
    if (take_a) t.coefficient += ka * a->terms[i++].coefficient;
    if (take_b) t.coefficient += kb * b->terms[j++].coefficient;
    if (t.coefficient != 0) terms.push_back(t);
  }
  Expr sum = Intern(a->constant * ka + b->constant * kb, std::move(terms));
  // k*(x mod c) + k*c*(x floordiv c) = k*x: what makes linearize undo delinearize.
  for (const Term& t : sum->terms) {
    if (t.atom->kind != Atom::Kind::kMod) continue;
    const int64_t k = t.coefficient, c = t.atom->divisor;
    Expr quotient = FloorDiv(t.atom->argument, c);
    if (quotient->terms.size() != 1 || quotient->terms[0].coefficient != 1) continue;
    const Atom* partner = quotient->terms[0].atom;
    for (const Term& u : sum->terms) {
      if (u.atom != partner || u.coefficient != k * c) continue;
      std::vector<Term> rest;
      for (const Term& v : sum->terms) {
        if (v.atom != t.atom && v.atom != partner) rest.push_back(v);
      }
      // quotient = partner + constant, so k*c*partner = k*c*quotient - k*c*constant.
      Expr remaining = Intern(sum->constant - k * c * quotient->constant, std::move(rest));
      return Combine(remaining, 1, t.atom->argument, k);
    }
  }
  return sum;
}

Expr Context::FloorDiv(Expr a, int64_t divisor) {
  if (divisor == 1) return a;
  if (a->IsConstant()) return Constant(FloorDivide(a->constant, divisor));
  if (a->range.Within(0, divisor - 1)) return Constant(0);
  Split split = SplitBy(a, divisor);
  Expr quotient = Intern(split.quotient_constant, std::move(split.quotient));
  Expr rest = Intern(split.rest_constant, std::move(split.rest));
  if (rest->range.Within(0, divisor - 1)) return quotient;
  if (rest->IsConstant()) return Add(quotient, FloorDivide(rest->constant, divisor));

  // rest = g*A + B with g a divisor and 0 <= B < g: (g*A + B) floordiv c = A floordiv (c/g).
  std::vector<int64_t> candidates;
  for (const Term& t : rest->terms) candidates.push_back(std::gcd(t.coefficient, divisor));
  std::sort(candidates.rbegin(), candidates.rend());
  for (int64_t g : candidates) {
    if (g <= 1) break;
    Split parts;
    parts.quotient_constant = FloorDivide(rest->constant, g);
    parts.rest_constant = FloorModulo(rest->constant, g);
    for (const Term& t : rest->terms) {
      if (t.coefficient % g == 0)
        parts.quotient.push_back({t.coefficient / g, t.atom});
      else
        parts.rest.push_back(t);
    }
    if (!RangeOf(parts.rest_constant, parts.rest).Within(0, g - 1)) continue;
    Expr inner = Intern(parts.quotient_constant, std::move(parts.quotient));
    return Add(quotient, FloorDiv(inner, divisor / g));
  }
  // (x floordiv a) floordiv b = x floordiv a*b.
  if (rest->terms.size() == 1 && rest->constant == 0 && rest->terms[0].coefficient == 1 &&
      rest->terms[0].atom->kind == Atom::Kind::kFloorDiv) {
    const Atom* inner = rest->terms[0].atom;
    int64_t product;
    if (!__builtin_mul_overflow(inner->divisor, divisor, &product)) {
      return Add(quotient, FloorDiv(inner->argument, product));
    }
  }
  const Range range{FloorDivide(rest->range.low, divisor), FloorDivide(rest->range.high, divisor)};
  if (range.low == range.high) return Add(quotient, range.low);
  return Add(quotient, OfAtom(InternAtom(Atom::Kind::kFloorDiv, rest, divisor, range)));
}

Expr Context::Mod(Expr a, int64_t divisor) {
  if (divisor == 1) return Constant(0);
  if (a->range.Within(0, divisor - 1)) return a;
  std::vector<Term> kept;
  for (const Term& t : a->terms) {
    const int64_t r = t.coefficient % divisor;  // keeps the sign, so that small negative strides stay small
    if (r != 0) kept.push_back({r, t.atom});
  }
  Expr rest = Intern(FloorModulo(a->constant, divisor), std::move(kept));
  if (rest->IsConstant()) return rest;
  if (rest->range.Within(0, divisor - 1)) return rest;
  // All of one quotient: subtract it.
  const int64_t q = FloorDivide(rest->range.low, divisor);
  if (q == FloorDivide(rest->range.high, divisor)) return Add(rest, -q * divisor);

  std::vector<int64_t> candidates;
  for (const Term& t : rest->terms) candidates.push_back(std::gcd(t.coefficient, divisor));
  std::sort(candidates.rbegin(), candidates.rend());
  for (int64_t g : candidates) {
    if (g <= 1) break;
    std::vector<Term> multiples, others;
    for (const Term& t : rest->terms) {
      if (t.coefficient % g == 0)
        multiples.push_back({t.coefficient / g, t.atom});
      else
        others.push_back(t);
    }
    const int64_t low = FloorModulo(rest->constant, g);
    if (!RangeOf(low, others).Within(0, g - 1)) continue;
    Expr inner = Mod(Intern(FloorDivide(rest->constant, g), std::move(multiples)), divisor / g);
    return Add(Mul(inner, g), Intern(low, std::move(others)));
  }
  return OfAtom(InternAtom(Atom::Kind::kMod, rest, divisor, {0, divisor - 1}));
}

Expr Context::Linearize(std::span<const Expr> index, std::span<const int64_t> sizes) {
  Expr linear = Constant(0);
  int64_t stride = 1;
  for (size_t i = index.size(); i-- > 0;) {
    linear = Add(linear, Mul(index[i], stride));
    stride *= sizes[i];
  }
  return linear;
}

std::vector<Expr> Context::Delinearize(Expr linear, std::span<const int64_t> sizes) {
  std::vector<Expr> index(sizes.size());
  int64_t stride = 1;
  size_t first = 0;  // the outermost dimension with more than one element needs no modulus
  while (first < sizes.size() && sizes[first] == 1) ++first;
  for (size_t i = sizes.size(); i-- > 0;) {
    const int64_t size = std::max<int64_t>(sizes[i], 1);
    if (size == 1) {
      index[i] = Constant(0);
      continue;
    }
    index[i] = FloorDiv(linear, stride);
    if (i != first) index[i] = Mod(index[i], size);
    stride *= size;
  }
  return index;
}

Expr Context::Substitute(Expr e, std::span<const Expr> replacement) {
  // Nesting of divisions is bounded by the ops of a fusion; sharing inside one expression is small.
  Expr result = Constant(e->constant);
  for (const Term& t : e->terms) {
    Expr value;
    switch (t.atom->kind) {
      case Atom::Kind::kSymbol: {
        const auto s = static_cast<size_t>(t.atom->symbol);
        value = s < replacement.size() && replacement[s] != nullptr ? replacement[s] : OfAtom(t.atom);
        break;
      }
      case Atom::Kind::kFloorDiv:
        value = FloorDiv(Substitute(t.atom->argument, replacement), t.atom->divisor);
        break;
      case Atom::Kind::kMod:
        value = Mod(Substitute(t.atom->argument, replacement), t.atom->divisor);
        break;
    }
    result = Combine(result, 1, value, t.coefficient);
  }
  return result;
}

void ForEachSymbol(Expr e, const std::function<void(int64_t)>& visit) {
  for (const Term& t : e->terms) {
    if (t.atom->kind == Atom::Kind::kSymbol)
      visit(t.atom->symbol);
    else
      ForEachSymbol(t.atom->argument, visit);
  }
}

bool DependsOn(Expr e, int64_t symbol) {
  for (const Term& t : e->terms) {
    if (t.atom->kind == Atom::Kind::kSymbol ? t.atom->symbol == symbol : DependsOn(t.atom->argument, symbol))
      return true;
  }
  return false;
}

int64_t CountDivisions(Expr e) {
  int64_t count = 0;
  for (const Term& t : e->terms) {
    if (t.atom->kind != Atom::Kind::kSymbol) count += 1 + CountDivisions(t.atom->argument);
  }
  return count;
}

bool IsAffineIn(Expr e, int64_t symbol, int64_t* stride) {
  *stride = 0;
  for (const Term& t : e->terms) {
    if (t.atom->kind == Atom::Kind::kSymbol) {
      if (t.atom->symbol == symbol) *stride = t.coefficient;
    } else if (DependsOn(t.atom->argument, symbol)) {
      return false;
    }
  }
  return true;
}

std::string ToString(Expr e) {
  std::string text;
  for (const Term& t : e->terms) {
    std::string atom;
    switch (t.atom->kind) {
      case Atom::Kind::kSymbol:
        atom = fmt::format("s{}", t.atom->symbol);
        break;
      case Atom::Kind::kFloorDiv:
        atom = fmt::format("({} floordiv {})", ToString(t.atom->argument), t.atom->divisor);
        break;
      case Atom::Kind::kMod:
        atom = fmt::format("({} mod {})", ToString(t.atom->argument), t.atom->divisor);
        break;
    }
    if (!text.empty()) text += " + ";
    text += t.coefficient == 1 ? atom : fmt::format("{}*{}", t.coefficient, atom);
  }
  if (e->constant != 0 || text.empty()) text += fmt::format("{}{}", text.empty() ? "" : " + ", e->constant);
  return text;
}

}  // namespace subfloor::indexing
