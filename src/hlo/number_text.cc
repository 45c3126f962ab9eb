#include "hlo/number_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "hlo/literal_text.h"
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

}  // namespace

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

}  // namespace subfloor::hlo
