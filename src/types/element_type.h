#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace subfloor {

/// Every element type of the language: X(enumerator, HLO text, bits, class).
/// Bits are those of one element when packed; pred counts as 8 because it is a byte wherever it is stored.
#define SUBFLOOR_ELEMENT_TYPES(X)                    \
  X(kPred, "pred", 8, kPredClass)                    \
  X(kS1, "s1", 1, kSignedClass)                      \
  X(kS2, "s2", 2, kSignedClass)                      \
  X(kS4, "s4", 4, kSignedClass)                      \
  X(kS8, "s8", 8, kSignedClass)                      \
  X(kS16, "s16", 16, kSignedClass)                   \
  X(kS32, "s32", 32, kSignedClass)                   \
  X(kS64, "s64", 64, kSignedClass)                   \
  X(kU1, "u1", 1, kUnsignedClass)                    \
  X(kU2, "u2", 2, kUnsignedClass)                    \
  X(kU4, "u4", 4, kUnsignedClass)                    \
  X(kU8, "u8", 8, kUnsignedClass)                    \
  X(kU16, "u16", 16, kUnsignedClass)                 \
  X(kU32, "u32", 32, kUnsignedClass)                 \
  X(kU64, "u64", 64, kUnsignedClass)                 \
  X(kF16, "f16", 16, kFloatClass)                    \
  X(kBF16, "bf16", 16, kFloatClass)                  \
  X(kF32, "f32", 32, kFloatClass)                    \
  X(kF64, "f64", 64, kFloatClass)                    \
  X(kC64, "c64", 64, kComplexClass)                  \
  X(kC128, "c128", 128, kComplexClass)               \
  X(kF8E5M2, "f8e5m2", 8, kFloatClass)               \
  X(kF8E4M3, "f8e4m3", 8, kFloatClass)               \
  X(kF8E3M4, "f8e3m4", 8, kFloatClass)               \
  X(kF8E4M3FN, "f8e4m3fn", 8, kFloatClass)           \
  X(kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, kFloatClass) \
  X(kF8E4M3FNUZ, "f8e4m3fnuz", 8, kFloatClass)       \
  X(kF8E5M2FNUZ, "f8e5m2fnuz", 8, kFloatClass)       \
  X(kF8E8M0FNU, "f8e8m0fnu", 8, kFloatClass)         \
  X(kF4E2M1FN, "f4e2m1fn", 4, kFloatClass)           \
  X(kF6E2M3FN, "f6e2m3fn", 6, kFloatClass)           \
  X(kF6E3M2FN, "f6e3m2fn", 6, kFloatClass)           \
  X(kToken, "token", 0, kOtherClass)                 \
  X(kOpaque, "opaque", 0, kOtherClass)               \
  X(kTuple, "tuple", 0, kOtherClass)                 \
  X(kBuffer, "b", 0, kOtherClass)

enum class ElementType : uint8_t {
#define X(enumerator, text, bits, cls) enumerator,
  SUBFLOOR_ELEMENT_TYPES(X)
#undef X
};

enum class ElementClass : uint8_t {
  kPredClass,
  kSignedClass,
  kUnsignedClass,
  kFloatClass,
  kComplexClass,
  kOtherClass
};

/// The name as HLO text writes it: "f32", "s4", "f8e4m3fn". `tuple` never appears in text.
std::string_view ToString(ElementType type);
/// nullopt when no element type is written so.
std::optional<ElementType> ElementTypeFromString(std::string_view text);

/// Bits of one packed element: 4 for s4, 8 for pred, 128 for c128, 0 for token, opaque, tuple and buffer.
int BitWidth(ElementType type);
/// Bytes of one unpacked element, as literals and caller's buffers hold it: sub-byte types take one byte.
int ByteWidth(ElementType type);

ElementClass ClassOf(ElementType type);
inline bool IsPred(ElementType t) { return t == ElementType::kPred; }
inline bool IsSigned(ElementType t) { return ClassOf(t) == ElementClass::kSignedClass; }
inline bool IsUnsigned(ElementType t) { return ClassOf(t) == ElementClass::kUnsignedClass; }
inline bool IsIntegral(ElementType t) { return IsSigned(t) || IsUnsigned(t); }
inline bool IsFloat(ElementType t) { return ClassOf(t) == ElementClass::kFloatClass; }
inline bool IsComplex(ElementType t) { return ClassOf(t) == ElementClass::kComplexClass; }
/// True for types an array can have, false for token, opaque, tuple and buffer.
inline bool IsArrayType(ElementType t) { return ClassOf(t) != ElementClass::kOtherClass; }
/// True for s1 s2 s4 u1 u2 u4 and the 4- and 6-bit floats.
inline bool IsSubByte(ElementType t) { return IsArrayType(t) && BitWidth(t) < 8; }

/// f32 for c64, f64 for c128; any other type is its own component.
ElementType ComponentType(ElementType type);

/// Field widths and special values of a floating-point type.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  ///< stored, without the hidden bit
  int bias;
  bool has_infinity;
  bool has_nan;
  bool has_negative_zero;  ///< false for the fnuz kinds (0x80 is their NaN) and f8e8m0fnu
  bool has_sign;           ///< false for f8e8m0fnu only
};
/// Precondition: IsFloat(type).
FloatFormat FormatOf(ElementType type);

}  // namespace subfloor
