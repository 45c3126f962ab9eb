#include "evaluator/number.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

template <typename W>
struct PartOf {
  using type = W;
  static constexpr bool kComplex = false;
};
template <typename R>
struct PartOf<Complex<R>> {
  using type = R;
  static constexpr bool kComplex = true;
};

template <typename T>
T ReadAs(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T>
void WriteAs(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

uint64_t ReadBits(const std::byte* at, int bytes) {
  switch (bytes) {
    case 1:
      return ReadAs<uint8_t>(at);
    case 2:
      return ReadAs<uint16_t>(at);
    case 4:
      return ReadAs<uint32_t>(at);
    default:
      return ReadAs<uint64_t>(at);
  }
}
void WriteBits(std::byte* at, int bytes, uint64_t bits) {
  switch (bytes) {
    case 1:
      return WriteAs(at, static_cast<uint8_t>(bits));
    case 2:
      return WriteAs(at, static_cast<uint16_t>(bits));
    case 4:
      return WriteAs(at, static_cast<uint32_t>(bits));
    default:
      return WriteAs(at, bits);
  }
}

/// A NaN keeps its sign and payload on the way to the wide type and back (the conversions of the CPU would
/// make it quiet), so that select, negate, abs and copies keep bits. The payload stands at the top of the
/// wide mantissa.
template <typename R>
R NanFromBits(ElementType type, uint64_t bits) {
  const FloatFormat format = FormatOf(type);
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const bool negative = format.has_negative_zero && (bits >> (BitWidth(type) - 1) & 1) != 0;
  uint64_t wide = mantissa << (52 - format.mantissa_bits);
  if (wide == 0) wide = uint64_t{1} << 51;  // the kinds whose NaN has no mantissa bit of its own
  const uint64_t high = (negative ? uint64_t{0xfff} : uint64_t{0x7ff}) << 52 | wide;
  if constexpr (std::is_same_v<R, Quad>) {
    using Uint128 = unsigned __int128;
    const Uint128 exponent = negative ? 0xffff : 0x7fff;
    return std::bit_cast<Quad>(exponent << 112 | static_cast<Uint128>(wide) << 60);
  } else {
    return std::bit_cast<double>(high);
  }
}
template <typename R>
uint64_t NanToBits(ElementType type, R value) {
  uint64_t mantissa;  // the 52 leading bits of the payload
  if constexpr (std::is_same_v<R, Quad>) {
    mantissa =
        static_cast<uint64_t>(std::bit_cast<unsigned __int128>(value) >> 60) & ((uint64_t{1} << 52) - 1);
  } else {
    mantissa = std::bit_cast<uint64_t>(value) & ((uint64_t{1} << 52) - 1);
  }
  const FloatFormat format = FormatOf(type);
  if (!format.has_infinity) {
    return FromDouble(type,
                      __builtin_signbit(static_cast<double>(value)) ? -__builtin_nan("") : __builtin_nan(""));
  }
  uint64_t bits = mantissa >> (52 - format.mantissa_bits);
  if (bits == 0) bits = uint64_t{1} << (format.mantissa_bits - 1);
  bits |= ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (__builtin_signbit(static_cast<double>(value))) bits |= uint64_t{1} << (BitWidth(type) - 1);
  return bits;
}

template <typename R>
R RealFromBits(ElementType type, uint64_t bits) {
  if (type == ElementType::kBF16) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    if (value == value) return static_cast<R>(value);
  }
  if (IsNan(type, bits)) return NanFromBits<R>(type, bits);
  if constexpr (std::is_same_v<R, Quad>) {
    if (type == ElementType::kF64) return static_cast<Quad>(std::bit_cast<double>(bits));
    return ToQuad(type, bits);
  } else {
    return ToDouble(type, bits);
  }
}
/// A double that is a normal number of a 16-bit float type, rounded to it; false where FromDouble has to
/// decide (subnormal, too large, NaN). The common case of the two types that programs are full of.
template <int kExponentBits>
bool RoundToNormal16(double value, uint64_t& bits) {
  constexpr int kMantissaBits = 15 - kExponentBits, kCut = 52 - kMantissaBits;
  constexpr int64_t kBias = (1 << (kExponentBits - 1)) - 1, kTop = (1 << kExponentBits) - 1;
  const auto wide = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = wide & ~(uint64_t{1} << 63);
  const uint64_t rounded = magnitude + ((uint64_t{1} << (kCut - 1)) - 1) + (magnitude >> kCut & 1);
  // A value just below the least normal number may round up to it, but is left to FromDouble as well.
  const int64_t before = static_cast<int64_t>(magnitude >> 52) - 1023 + kBias;
  const int64_t exponent = static_cast<int64_t>(rounded >> 52) - 1023 + kBias;
  if (before < 1 || exponent >= kTop) return false;
  const uint64_t mantissa = rounded >> kCut & ((uint64_t{1} << kMantissaBits) - 1);
  bits = (wide >> 63) << 15 | static_cast<uint64_t>(exponent) << kMantissaBits | mantissa;
  return true;
}

template <typename R>
uint64_t BitsFromReal(ElementType type, R value) {
  if (value != value) return NanToBits(type, value);
  if constexpr (std::is_same_v<R, Quad>) {
    if (type == ElementType::kF64) return std::bit_cast<uint64_t>(static_cast<double>(value));
    return FromQuad(type, value);
  } else {
    uint64_t bits;
    if (type == ElementType::kBF16 && RoundToNormal16<8>(value, bits)) return bits;
    if (type == ElementType::kF16 && RoundToNormal16<5>(value, bits)) return bits;
    return FromDouble(type, value);
  }
}

/// Storage<T> loops for the types that the host computes in, so that the common ones are fast.
template <typename T, typename W>
void LoadNative(const std::byte* elements, int64_t first, int64_t count, W* out, int64_t stride) {
  const std::byte* at = elements + first * static_cast<int64_t>(sizeof(T));
  const int64_t step = stride * static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; ++i, at += step) out[i] = static_cast<W>(ReadAs<T>(at));
}
template <typename T, typename W>
void StoreNative(std::byte* elements, int64_t first, int64_t count, const W* in) {
  std::byte* at = elements + first * static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < count; ++i)
    WriteAs(at + i * static_cast<int64_t>(sizeof(T)), static_cast<T>(in[i]));
}

void LoadInt(ElementType type, const std::byte* elements, int64_t first, int64_t count, int64_t* out,
             int64_t stride) {
  switch (type) {
    case ElementType::kS8:
      return LoadNative<int8_t>(elements, first, count, out, stride);
    case ElementType::kS16:
      return LoadNative<int16_t>(elements, first, count, out, stride);
    case ElementType::kS32:
      return LoadNative<int32_t>(elements, first, count, out, stride);
    case ElementType::kS64:
    case ElementType::kU64:
      return LoadNative<int64_t>(elements, first, count, out, stride);
    case ElementType::kU8:
      return LoadNative<uint8_t>(elements, first, count, out, stride);
    case ElementType::kU16:
      return LoadNative<uint16_t>(elements, first, count, out, stride);
    case ElementType::kU32:
      return LoadNative<uint32_t>(elements, first, count, out, stride);
    default:  // pred and what is narrower than a byte
      LoadNative<uint8_t>(elements, first, count, out, stride);
      for (int64_t i = 0; i < count; ++i) out[i] = WrapInt(type, out[i]);
  }
}

void StoreInt(ElementType type, std::byte* elements, int64_t first, int64_t count, const int64_t* in) {
  switch (ByteWidth(type)) {
    case 2:
      return StoreNative<uint16_t>(elements, first, count, in);
    case 4:
      return StoreNative<uint32_t>(elements, first, count, in);
    case 8:
      return StoreNative<uint64_t>(elements, first, count, in);
    default:
      break;
  }
  if (IsPred(type)) {
    for (int64_t i = 0; i < count; ++i) WriteAs(elements + first + i, static_cast<uint8_t>(in[i] != 0));
    return;
  }
  const auto mask = static_cast<int64_t>((uint64_t{1} << BitWidth(type)) - 1);
  for (int64_t i = 0; i < count; ++i) WriteAs(elements + first + i, static_cast<uint8_t>(in[i] & mask));
}

/// f32 and f64, whose NaNs alone take the long way.
template <typename T, typename W>
void LoadFloat(ElementType type, const std::byte* elements, int64_t first, int64_t count, W* out,
               int64_t stride) {
  LoadNative<T>(elements, first, count, out, stride);
  for (int64_t i = 0; i < count; ++i) {
    if (out[i] == out[i]) continue;
    out[i] = RealFromBits<W>(
        type, ReadBits(elements + (first + i * stride) * static_cast<int64_t>(sizeof(T)), sizeof(T)));
  }
}
template <typename T, typename W>
void StoreFloat(ElementType type, std::byte* elements, int64_t first, int64_t count, const W* in) {
  StoreNative<T>(elements, first, count, in);
  for (int64_t i = 0; i < count; ++i) {
    if (in[i] == in[i]) continue;
    WriteBits(elements + (first + i) * static_cast<int64_t>(sizeof(T)), sizeof(T), NanToBits(type, in[i]));
  }
}

template <typename R>
R RealFromInt(ElementType type, int64_t value) {
  if (type == ElementType::kU64) return static_cast<R>(static_cast<uint64_t>(value));
  return static_cast<R>(value);
}

}  // namespace

WideKind WideKindOf(ElementType type) {
  switch (ClassOf(type)) {
    case ElementClass::kFloatClass:
      return type == ElementType::kF64 ? WideKind::kQuad : WideKind::kDouble;
    case ElementClass::kComplexClass:
      return type == ElementType::kC128 ? WideKind::kComplexQuad : WideKind::kComplexDouble;
    default:
      return WideKind::kInt;
  }
}

int64_t WideSize(WideKind kind) {
  return WithWide(kind, []<typename W>() { return static_cast<int64_t>(sizeof(W)); });
}

int64_t WrapInt(ElementType type, int64_t value) {
  if (IsPred(type)) return value != 0;
  const int shift = 64 - BitWidth(type);
  const uint64_t high = static_cast<uint64_t>(value) << shift;
  return IsSigned(type) ? static_cast<int64_t>(high) >> shift : static_cast<int64_t>(high >> shift);
}

double IntToDouble(ElementType to, ElementType from, int64_t value) {
  const bool is_unsigned = from == ElementType::kU64;
  if (to == ElementType::kC64) to = ElementType::kF32;
  return ToDouble(to, is_unsigned ? FromUint(to, static_cast<uint64_t>(value)) : FromInt(to, value));
}
Quad IntToQuad(ElementType from, int64_t value) { return RealFromInt<Quad>(from, value); }

template <typename W>
void Load(ElementType type, const std::byte* elements, int64_t first, int64_t count, W* out, int64_t stride) {
  using R = typename PartOf<W>::type;
  constexpr bool kComplex = PartOf<W>::kComplex;
  if constexpr (std::is_same_v<W, int64_t>) {
    LoadInt(type, elements, first, count, out, stride);
  } else {
    if constexpr (!kComplex) {
      if (type == ElementType::kF32) return LoadFloat<float>(type, elements, first, count, out, stride);
      if (type == ElementType::kF64) return LoadFloat<double>(type, elements, first, count, out, stride);
    }
    const ElementType part = ComponentType(type);
    const int part_bytes = ByteWidth(part), bytes = ByteWidth(type);
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* at = elements + (first + i * stride) * bytes;
      R re, im = 0;
      if (IsFloat(part)) {
        re = RealFromBits<R>(part, ReadBits(at, part_bytes));
        if (IsComplex(type)) im = RealFromBits<R>(part, ReadBits(at + part_bytes, part_bytes));
      } else {
        int64_t value;
        LoadInt(type, elements, first + i * stride, 1, &value, 1);
        re = RealFromInt<R>(type, value);
      }
      if constexpr (kComplex) {
        out[i] = {re, im};
      } else {
        out[i] = re;
      }
    }
  }
}

template <typename W>
void Store(ElementType type, std::byte* elements, int64_t first, int64_t count, const W* in) {
  if constexpr (std::is_same_v<W, int64_t>) {
    StoreInt(type, elements, first, count, in);
  } else {
    const ElementType part = ComponentType(type);
    const int part_bytes = ByteWidth(part), bytes = ByteWidth(type);
    if constexpr (PartOf<W>::kComplex) {
      for (int64_t i = 0; i < count; ++i) {
        std::byte* at = elements + (first + i) * bytes;
        WriteBits(at, part_bytes, BitsFromReal(part, in[i].re));
        if (IsComplex(type)) WriteBits(at + part_bytes, part_bytes, BitsFromReal(part, in[i].im));
      }
    } else {
      if (type == ElementType::kF32) return StoreFloat<float>(type, elements, first, count, in);
      if (type == ElementType::kF64) return StoreFloat<double>(type, elements, first, count, in);
      for (int64_t i = 0; i < count; ++i) {
        std::byte* at = elements + (first + i) * bytes;
        WriteBits(at, part_bytes, BitsFromReal(part, in[i]));
        if (IsComplex(type)) WriteBits(at + part_bytes, part_bytes, 0);
      }
    }
  }
}

template <typename W>
void Round(ElementType type, W* values, int64_t count) {
  if constexpr (std::is_same_v<W, int64_t>) {
    for (int64_t i = 0; i < count; ++i) values[i] = WrapInt(type, values[i]);
  } else {
    using R = typename PartOf<W>::type;
    const ElementType part = ComponentType(type);
    auto round = [part](R value) -> R {
      if (value != value) return RealFromBits<R>(part, NanToBits(part, value));
      if (part == ElementType::kF32) return static_cast<R>(static_cast<float>(value));
      if (part == ElementType::kF64) return static_cast<R>(static_cast<double>(value));
      return RealFromBits<R>(part, BitsFromReal<R>(part, value));
    };
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (PartOf<W>::kComplex) {
        values[i] = {round(values[i].re), round(values[i].im)};
      } else {
        values[i] = round(values[i]);
      }
    }
  }
}

#define SUBFLOOR_WIDE(W)                                                               \
  template void Load<W>(ElementType, const std::byte*, int64_t, int64_t, W*, int64_t); \
  template void Store<W>(ElementType, std::byte*, int64_t, int64_t, const W*);         \
  template void Round<W>(ElementType, W*, int64_t);
SUBFLOOR_WIDE(int64_t)
SUBFLOOR_WIDE(double)
SUBFLOOR_WIDE(Quad)
SUBFLOOR_WIDE(Complex<double>)
SUBFLOOR_WIDE(Complex<Quad>)
#undef SUBFLOOR_WIDE

void LoadAs(WideKind kind, ElementType type, const std::byte* elements, int64_t first, int64_t count,
            void* out, int64_t stride) {
  WithWide(kind, [&]<typename W>() { Load<W>(type, elements, first, count, static_cast<W*>(out), stride); });
}
void StoreAs(WideKind kind, ElementType type, std::byte* elements, int64_t first, int64_t count,
             const void* in) {
  WithWide(kind, [&]<typename W>() { Store<W>(type, elements, first, count, static_cast<const W*>(in)); });
}
void RoundAs(WideKind kind, ElementType type, void* values, int64_t count) {
  WithWide(kind, [&]<typename W>() { Round<W>(type, static_cast<W*>(values), count); });
}

}  // namespace subfloor::evaluator
