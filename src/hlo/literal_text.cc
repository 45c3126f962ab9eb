#include "hlo/literal_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "hlo/shape_text.h"
#include "types/narrow.h"

namespace subfloor::hlo {
namespace {

int MantissaBits(ElementType type) { return FormatOf(type).mantissa_bits; }

uint64_t MantissaMask(ElementType type) { return (uint64_t{1} << MantissaBits(type)) - 1; }

uint64_t SignBit(ElementType type) {
  const FloatFormat format = FormatOf(type);
  return format.has_sign && format.has_negative_zero ? uint64_t{1} << (BitWidth(type) - 1) : 0;
}

// A NaN's mantissa when nothing is written behind `nan`. Kinds with one NaN have no choice.
uint64_t DefaultPayload(ElementType type) { return QuietNan(type) & MantissaMask(type); }

void StoreBits(std::byte* at, int bytes, uint64_t bits) {
  std::memcpy(at, &bits, static_cast<size_t>(bytes));
}

uint64_t LoadBits(const std::byte* at, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes));
  return bits;
}

// inf, -inf, nan, -nan, nan(0x...), with the cursor at the word or its sign.
bool ReadSpecial(Lexer& lexer, ElementType type, uint64_t& bits) {
  const char* start = lexer.position();
  const bool negative = *start == '-';
  if (negative) lexer.Advance(start + 1);
  const std::string_view word = lexer.PeekIdentifier();
  const FloatFormat format = FormatOf(type);
  if (word == "inf") {
    if (!format.has_infinity) return lexer.Fail(start, "{} has no infinity", ToString(type));
    bits = Infinity(type, negative);
    lexer.Advance(lexer.position() + 3);
    return true;
  }
  if (word != "nan") {
    lexer.Rewind(start);
    return lexer.FailWanted(fmt::format("a number of type {}", ToString(type)));
  }
  if (!format.has_nan) return lexer.Fail(start, "{} has no NaN", ToString(type));
  bits = QuietNan(type) & ~SignBit(type);
  const bool has_payload = lexer.PeekIdentifier().data()[3] == '(';
  lexer.Advance(lexer.position() + 3);
  if (has_payload) {
    lexer.Accept('(');
    const char* at = lexer.position();
    uint64_t payload = 0;
    if (!lexer.Accept("0x")) return lexer.FailWanted("`0x` and the bits of a NaN");
    const char* digits = lexer.position();
    const auto [stop, problem] = std::from_chars(digits, lexer.end(), payload, 16);
    if (problem == std::errc::invalid_argument) return lexer.FailWanted("hexadecimal digits");
    const bool fits = problem == std::errc() && payload <= MantissaMask(type);
    const uint64_t made = (bits & ~MantissaMask(type)) | payload;
    if (!fits || !IsNan(type, made)) {
      return lexer.Fail(at, "{} are no payload bits that a NaN of {} can have",
                        std::string_view(at, static_cast<size_t>(stop - at)), ToString(type));
    }
    bits = made;
    lexer.Advance(stop);
    if (!lexer.Expect(')')) return false;
  }
  if (negative) bits |= SignBit(type);
  return true;
}

bool ReadFloat(Lexer& lexer, ElementType type, uint64_t& bits) {
  const char* start = lexer.position();
  const char first = *start == '-' ? start[1] : *start;
  if (!(first >= '0' && first <= '9') && first != '.') return ReadSpecial(lexer, type, bits);
  const char* const limit = lexer.end();
  const char* stop = nullptr;
  bool out_of_range = false;
  if (type == ElementType::kF32) {
    // Straight to f32: by way of f64 a number close to the middle of two would be rounded twice.
    float value = 0;
    const auto result = std::from_chars(start, limit, value);
    stop = result.ptr;
    if (result.ec == std::errc::result_out_of_range) value = std::strtof(start, nullptr);
    out_of_range = std::isinf(value) || result.ec == std::errc::invalid_argument;
    bits = std::bit_cast<uint32_t>(value);
  } else {
    double value = 0;
    const auto result = std::from_chars(start, limit, value);
    stop = result.ptr;
    if (result.ec == std::errc::result_out_of_range) value = std::strtod(start, nullptr);
    bits = FromDouble(type, value);
    out_of_range = std::isinf(value) || result.ec == std::errc::invalid_argument || IsNan(type, bits) ||
                   (FormatOf(type).has_infinity && IsInfinity(type, bits));
    // The kinds without NaN saturate; a text further out than half a step is an error all the same.
    if (!out_of_range && !FormatOf(type).has_nan && bits == (FromDouble(type, std::copysign(1e300, value)))) {
      const double largest = ToDouble(type, bits);
      const double below = ToDouble(type, bits - 1);
      out_of_range = std::fabs(value) >= std::fabs(largest) + std::fabs(largest - below) / 2;
    }
  }
  if (out_of_range) {
    return lexer.Fail(start, "{} is out of the range of {}",
                      std::string_view(start, static_cast<size_t>(stop - start)), ToString(type));
  }
  lexer.Advance(stop);
  return true;
}

bool ReadIntegerElement(Lexer& lexer, ElementType type, uint64_t& bits) {
  const char* start = lexer.position();
  if (!lexer.AtInteger()) return lexer.FailWanted(fmt::format("an integer of type {}", ToString(type)));
  const char* const limit = lexer.end();
  const char* stop = nullptr;
  bool fits = false;
  if (IsSigned(type)) {
    int64_t value = 0;
    const auto result = std::from_chars(start, limit, value);
    stop = result.ptr;
    const int shift = 64 - BitWidth(type);
    fits = result.ec == std::errc() && (value >= INT64_MIN >> shift && value <= INT64_MAX >> shift);
    bits = static_cast<uint64_t>(value) & (~uint64_t{0} >> shift);
  } else {
    const char* digits = start + (*start == '-');
    const auto result = std::from_chars(digits, limit, bits);
    stop = result.ptr;
    fits = result.ec == std::errc() && bits <= ~uint64_t{0} >> (64 - BitWidth(type)) &&
           (digits == start || bits == 0);
  }
  if (!fits) {
    return lexer.Fail(start, "{} is out of the range of {}",
                      std::string_view(start, static_cast<size_t>(stop - start)), ToString(type));
  }
  if (*stop == '.' || *stop == 'e' || *stop == 'E') {
    return lexer.Fail(start, "a number with a fraction or an exponent, wanted an integer of type {}",
                      ToString(type));
  }
  lexer.Advance(stop);
  return true;
}

bool ReadPred(Lexer& lexer, uint64_t& bits) {
  const std::string_view word = lexer.PeekIdentifier();
  if (word == "true" || word == "false") {
    bits = word == "true";
    lexer.Advance(lexer.position() + word.size());
    return true;
  }
  int64_t value = 0;
  if (!lexer.AtInteger()) return lexer.FailWanted("true, false or an integer");
  if (!lexer.ReadInteger(value)) return false;
  bits = value != 0;
  return true;
}

bool ReadElement(Lexer& lexer, ElementType type, std::byte* at) {
  uint64_t bits = 0;
  if (IsComplex(type)) {
    const ElementType part = ComponentType(type);
    const int bytes = ByteWidth(part);
    if (lexer.Peek() != '(') {
      // A real number alone has no imaginary part.
      if (!ReadFloat(lexer, part, bits)) return false;
      StoreBits(at, bytes, bits);
      StoreBits(at + bytes, bytes, 0);
      return true;
    }
    uint64_t imaginary = 0;
    if (!lexer.Expect('(') || !ReadFloat(lexer, part, bits)) return false;
    lexer.Accept(',');
    if (!ReadFloat(lexer, part, imaginary) || !lexer.Expect(')')) return false;
    StoreBits(at, bytes, bits);
    StoreBits(at + bytes, bytes, imaginary);
    return true;
  }
  const bool ok = IsFloat(type)  ? ReadFloat(lexer, type, bits)
                  : IsPred(type) ? ReadPred(lexer, bits)
                                 : ReadIntegerElement(lexer, type, bits);
  if (!ok) return false;
  StoreBits(at, ByteWidth(type), bits);
  return true;
}

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

void AppendFloat(std::string& out, ElementType type, uint64_t bits) {
  if (IsNan(type, bits)) {
    const uint64_t sign = SignBit(type);
    const uint64_t payload = bits & MantissaMask(type);
    out += bits & sign ? "-nan" : "nan";
    if (payload != DefaultPayload(type)) fmt::format_to(std::back_inserter(out), "(0x{:x})", payload);
    return;
  }
  if (FormatOf(type).has_infinity && IsInfinity(type, bits)) {
    out += bits & SignBit(type) ? "-inf" : "inf";
    return;
  }
  char text[48];
  const auto write = [&](auto value, int digits) {
    return static_cast<size_t>(
        std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr - text);
  };
  size_t length = 0;
  if (type == ElementType::kF32) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    float back = 0;
    length = write(value, 6);
    std::from_chars(text, text + length, back);
    if (back != value) length = write(value, 9);
  } else if (type == ElementType::kF64) {
    const auto value = std::bit_cast<double>(bits);
    double back = 0;
    length = write(value, 15);
    std::from_chars(text, text + length, back);
    if (back != value) length = write(value, 17);
  } else {
    // ceil(1 + p log10 2) digits tell apart all values of p significant bits.
    const int significant = MantissaBits(type) + 1;
    length = write(ToDouble(type, bits), 2 + significant * 30103 / 100000);
  }
  out.append(text, length);
}

void AppendElement(std::string& out, ElementType type, const std::byte* at) {
  if (IsComplex(type)) {
    const ElementType part = ComponentType(type);
    const int bytes = ByteWidth(part);
    out += '(';
    AppendFloat(out, part, LoadBits(at, bytes));
    out += ", ";
    AppendFloat(out, part, LoadBits(at + bytes, bytes));
    out += ')';
    return;
  }
  AppendNumber(out, type, LoadBits(at, ByteWidth(type)));
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
  for (size_t i = 0; i * step < bytes.size(); ++i)
    StoreBits(&bytes[i * step], static_cast<int>(step), pattern[i % 16]);
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

void AppendNumber(std::string& out, ElementType type, uint64_t bits) {
  if (IsFloat(type)) return AppendFloat(out, type, bits);
  if (IsPred(type)) {
    out += bits != 0 ? "true" : "false";
    return;
  }
  char text[24];
  const auto result = IsSigned(type) ? std::to_chars(text, text + sizeof text, ToInt(type, bits))
                                     : std::to_chars(text, text + sizeof text, bits);
  out.append(text, result.ptr);
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
