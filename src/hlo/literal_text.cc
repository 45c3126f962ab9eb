#include "hlo/literal_text.h"

#include <algorithm>
#include <cstring>

#include "hlo/number_text.h"
#include "hlo/shape_text.h"
#include "types/narrow.h"

namespace subfloor::hlo {
namespace {

bool ReadArray(Lexer& lexer, const Shape& shape, Literal& out) {
  const char* const start = lexer.position();
  if (lexer.Peek() != '{' && shape.rank() > 0 && shape.element_count() != 1) {
    return lexer.FailWanted(fmt::format("`{{` and the elements of {}", shape.ToString(false)));
  }
  // Every element takes two characters of text at least: so a short text never makes a large value.
  if (shape.element_count() > 1 && static_cast<uint64_t>(shape.element_count()) > lexer.size()) {
    return lexer.Fail(start, "a literal of {} elements wanted for {}, and the text is shorter",
                      shape.element_count(), shape.ToString(false));
  }
  Result<Literal> zeros = Literal::Zeros(shape);
  if (!zeros) return lexer.FailWith(std::move(zeros).error(), start);
  out = *std::move(zeros);
  std::byte* data = out.mutable_bytes().data();
  const ElementType type = shape.element_type();
  const auto step = static_cast<size_t>(ByteWidth(type));
  const auto rank = static_cast<size_t>(shape.rank());
  if (lexer.Peek() != '{') return ReadElement(lexer, type, data);
  if (rank == 0) return lexer.FailWanted(fmt::format("a scalar of type {}", ToString(type)));
  // How many elements each open brace has had so far.
  std::vector<int64_t> counts;
  size_t element = 0;
  while (true) {
    if (lexer.Peek() == '{') {
      if (counts.size() == rank)
        return lexer.Fail(lexer.position(), "braces nested deeper than the {} dimensions of {}", rank,
                          shape.ToString(false));
      if (!counts.empty() && ++counts.back() > shape.dimension(static_cast<int64_t>(counts.size()) - 1))
        break;
      lexer.Accept('{');
      counts.push_back(0);
    } else if (lexer.Peek() == '}') {
      const int64_t wanted = shape.dimension(static_cast<int64_t>(counts.size()) - 1);
      // `{}` stands for any array without elements.
      const bool empty = shape.element_count() == 0 && counts.back() == 0;
      if (counts.back() != wanted && !empty) {
        return lexer.Fail(lexer.position(), "{} elements in dimension {} of {}, wanted {}", counts.back(),
                          counts.size() - 1, shape.ToString(false), wanted);
      }
      lexer.Accept('}');
      counts.pop_back();
      if (counts.empty()) return true;
      lexer.Accept(',');
    } else {
      if (counts.size() != rank) {
        return lexer.FailWanted(fmt::format("`{{`, as {} has {} dimensions", shape.ToString(false), rank));
      }
      // The run of innermost elements: the loop that large constants spend their time in.
      const int64_t wanted = shape.dimension(static_cast<int64_t>(rank) - 1);
      int64_t& count = counts.back();
      while (lexer.Peek() != '}') {
        if (lexer.AtEnd()) return lexer.FailWanted("an element or `}`");
        if (count == wanted) {
          return lexer.Fail(lexer.position(), "more than {} elements in dimension {} of {}", wanted, rank - 1,
                            shape.ToString(false));
        }
        if (!ReadElement(lexer, type, data + element * step)) return false;
        ++count;
        ++element;
        lexer.Accept(',');
      }
    }
  }
  return lexer.Fail(lexer.position(), "more than {} elements in dimension {} of {}",
                    shape.dimension(static_cast<int64_t>(counts.size()) - 1), counts.size() - 1,
                    shape.ToString(false));
}

void AppendArray(std::string& out, const Literal& literal) {
  const Shape& shape = literal.shape();
  const ElementType type = shape.element_type();
  const std::byte* data = literal.bytes().data();
  const int64_t rank = shape.rank();
  if (rank == 0) return AppendElement(out, type, data);
  if (shape.element_count() == 0) {
    out += "{}";
    return;
  }
  const auto step = static_cast<size_t>(ByteWidth(type));
  const int64_t row = shape.dimension(rank - 1);
  const int64_t rows = shape.element_count() / row;
  // Before row r opens as many outer braces as dimensions begin there, behind it close as many as end.
  std::vector<int64_t> period(static_cast<size_t>(rank - 1));
  int64_t product = 1;
  for (int64_t d = rank - 2; d >= 0; --d) period[static_cast<size_t>(d)] = product *= shape.dimension(d);
  for (int64_t r = 0; r < rows; ++r) {
    if (r > 0) out += ", ";
    for (int64_t p : period) {
      if (r % p == 0) out += "{ ";
    }
    out += '{';
    for (int64_t i = 0; i < row; ++i) {
      if (i > 0) out += ", ";
      AppendElement(out, type, data);
      data += step;
    }
    out += '}';
    for (int64_t p : period) {
      if ((r + 1) % p == 0) out += " }";
    }
  }
}

Literal ElidedLeaf(Literal zeros) {
  const ElementType type = zeros.element_type();
  const std::span<std::byte> bytes = zeros.mutable_bytes();
  const ElementType part = ComponentType(type);
  const auto step = static_cast<size_t>(ByteWidth(part));
  // Sixteen values in turn; 5 is prime to 16, so that neighbours differ and every value comes up.
  uint64_t pattern[16];
  for (uint64_t i = 0; i < 16; ++i) {
    const uint64_t k = i * 5 % 16;
    if (IsFloat(part)) {
      const bool can_be_anything = FormatOf(part).has_sign;
      pattern[i] = FromDouble(part, can_be_anything ? (static_cast<double>(k) - 8) / 16
                                                    : std::ldexp(1.0, -static_cast<int>(k % 4)));
    } else if (BitWidth(part) == 1 || IsPred(part)) {
      pattern[i] = k % 2;
    } else {
      pattern[i] = k % (type == ElementType::kS2 ? 2 : 4);
    }
  }
  for (size_t i = 0; i * step < bytes.size(); ++i) std::memcpy(&bytes[i * step], &pattern[i % 16], step);
  return zeros;
}

}  // namespace

bool ReadLiteral(Lexer& lexer, const Shape& shape, Literal& out, bool& elided) {
  const auto read_elided = [&](const Shape& of, Literal& into) {
    const char* start = lexer.position();
    lexer.Accept('{');
    if (!lexer.Expect("...") || !lexer.Expect('}')) return false;
    Result<Literal> made = ElidedLiteral(of);
    if (!made) return lexer.FailWith(std::move(made).error(), start);
    into = *std::move(made);
    return true;
  };
  const auto at_elided = [&] {
    if (lexer.Peek() != '{') return false;
    const char* start = lexer.position();
    lexer.Accept('{');
    const bool is_elided = lexer.Peek() == '.' && lexer.StartsWith("...");
    lexer.Rewind(start);
    return is_elided;
  };
  elided = at_elided();
  if (elided) return read_elided(shape, out);
  if (shape.IsArray()) return ReadArray(lexer, shape, out);

  // A tuple: one frame per open parenthesis.
  struct Frame {
    const Shape* shape;
    std::vector<Literal> elements;
  };
  std::vector<Frame> open;
  const Shape* current = &shape;
  while (true) {
    // The shape of an element that is no tuple may stand before it: `s32[2]{0} {1, 2}`.
    if (!open.empty() && lexer.Peek() != '(' && AtShape(lexer)) {
      Shape written;
      const char* at = lexer.position();
      if (!ReadShape(lexer, written)) return false;
      if (!written.Compatible(*current)) {
        return lexer.Fail(at, "an element written as {}, wanted {}", written.ToString(false),
                          current->ToString(false));
      }
    }
    Literal value;
    if (current->IsTuple() && !at_elided()) {
      if (!lexer.Expect('(')) return false;
      open.push_back({current, {}});
      if (current->tuple_size() > 0) {
        current = &current->tuple_shape(0);
        continue;
      }
    } else {
      if (at_elided()) {
        if (!read_elided(*current, value)) return false;
      } else if (current->IsArray()) {
        if (!ReadArray(lexer, *current, value)) return false;
      } else if (current->IsToken()) {
        if (!lexer.AcceptWord("token")) return lexer.FailWanted("`token`");
        value = Literal::Token();
      } else {
        return lexer.Fail(lexer.position(), "no literal has the shape {}", current->ToString(false));
      }
      if (open.empty()) {
        out = std::move(value);
        return true;
      }
      open.back().elements.push_back(std::move(value));
    }
    // Close the tuples that are complete, or go on to the next element.
    while (true) {
      Frame& top = open.back();
      const auto done = static_cast<int64_t>(top.elements.size());
      if (done < top.shape->tuple_size()) {
        if (lexer.Peek() == ')') {
          return lexer.Fail(lexer.position(), "{} elements in a tuple of {}", done, top.shape->tuple_size());
        }
        lexer.Accept(',');
        current = &top.shape->tuple_shape(done);
        break;
      }
      if (lexer.Peek() == ',') {
        return lexer.Fail(lexer.position(), "more than {} elements in a tuple", top.shape->tuple_size());
      }
      if (!lexer.Expect(')')) return false;
      Literal tuple = Literal::Tuple(std::move(top.elements));
      tuple.set_shape_layout(*top.shape);
      open.pop_back();
      if (open.empty()) {
        out = std::move(tuple);
        return true;
      }
      open.back().elements.push_back(std::move(tuple));
    }
  }
}

void AppendLiteral(std::string& out, const Literal& literal) {
  struct Frame {
    const Literal* literal;
    size_t next;
  };
  std::vector<Frame> open = {{&literal, 0}};
  while (!open.empty()) {
    Frame& top = open.back();
    if (!top.literal->shape().IsTuple()) {
      if (top.literal->shape().IsArray()) {
        AppendArray(out, *top.literal);
      } else {
        out += "token";
      }
      open.pop_back();
      continue;
    }
    const auto elements = top.literal->elements();
    if (top.next == 0) out += '(';
    if (top.next == elements.size()) {
      out += ')';
      open.pop_back();
      continue;
    }
    if (top.next > 0) out += ", ";
    const Literal* child = &elements[top.next++];
    open.push_back({child, 0});
  }
}

Result<Literal> ElidedLiteral(const Shape& shape) {
  constexpr int64_t kLargest = int64_t{2} << 30;
  int64_t total = 0;
  std::vector<const Shape*> pending = {&shape};
  while (!pending.empty()) {
    const Shape* next = pending.back();
    pending.pop_back();
    for (const Shape& child : next->tuple_shapes()) pending.push_back(&child);
    const int64_t bytes = next->byte_size();
    if (bytes > kLargest - total) {
      return NotSupported(
          "an elided constant of more than 2 GiB; print the program with its large constants");
    }
    total += bytes;
  }
  Literal literal = SF_TRY(Literal::Zeros(shape));
  if (!shape.IsTuple()) return shape.IsArray() ? ElidedLeaf(std::move(literal)) : std::move(literal);
  std::vector<Literal*> tuples = {&literal};
  while (!tuples.empty()) {
    Literal* tuple = tuples.back();
    tuples.pop_back();
    for (Literal& element : tuple->mutable_elements()) {
      if (element.shape().IsTuple()) {
        tuples.push_back(&element);
      } else if (element.shape().IsArray()) {
        element = ElidedLeaf(std::move(element));
      }
    }
  }
  return literal;
}

}  // namespace subfloor::hlo
