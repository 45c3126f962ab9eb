#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/attributes.h"
#include "hlo/lexer.h"

/// Attribute values as HLO text writes them: the readers and writers behind `name=` for every type of field
/// that the Visit lists of attributes.h mention. Parser and printer are one visitor each over those lists.
namespace subfloor::hlo {

/// The spellings of an enumeration, in the order of its values.
template <typename E>
inline constexpr std::array<std::string_view, 0> kEnumNames = {};
template <>
inline constexpr std::array kEnumNames<ComparisonDirection> =
    std::to_array<std::string_view>({"EQ", "NE", "GE", "GT", "LE", "LT"});
template <>
inline constexpr std::array kEnumNames<ComparisonType> =
    std::to_array<std::string_view>({"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"});
template <>
inline constexpr std::array kEnumNames<FusionKind> =
    std::to_array<std::string_view>({"kLoop", "kInput", "kOutput", "kCustom"});
template <>
inline constexpr std::array kEnumNames<FftType> =
    std::to_array<std::string_view>({"FFT", "IFFT", "RFFT", "IRFFT"});
template <>
inline constexpr std::array kEnumNames<TransposeKind> =
    std::to_array<std::string_view>({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
template <>
inline constexpr std::array kEnumNames<RandomDistribution> =
    std::to_array<std::string_view>({"rng_uniform", "rng_normal"});
template <>
inline constexpr std::array kEnumNames<RandomAlgorithm> =
    std::to_array<std::string_view>({"rng_default", "rng_three_fry", "rng_philox"});
template <>
inline constexpr std::array kEnumNames<Precision> =
    std::to_array<std::string_view>({"default", "high", "highest"});
template <>
inline constexpr std::array kEnumNames<CustomCallSchedule> =
    std::to_array<std::string_view>({"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"});
template <>
inline constexpr std::array kEnumNames<CustomCallApi> =
    std::to_array<std::string_view>({"API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                     "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"});
template <>
inline constexpr std::array kEnumNames<DotAlgorithm> = std::to_array<std::string_view>({
#define X(enumerator, text) text,
    SUBFLOOR_DOT_ALGORITHMS(X)
#undef X
});

/// Reads one attribute: made with its name, it finds the field of that name in a Visit list and reads the
/// value into it.
class AttributeReader {
 public:
  /// `fields_seen` has one bit a field, by position in the Visit list; a second value for a field is an
  /// error.
  AttributeReader(Lexer& lexer, std::string_view name, uint64_t& fields_seen)
      : lexer_(lexer), name_(name), fields_seen_(fields_seen) {}

  /// True if a field has this name; whether it could be read, the lexer knows.
  bool found() const { return found_; }

  template <typename T>
  void operator()(std::string_view field, T& value) {
    if (Claim(field)) Read(value);
  }
  template <typename T>
  void Optional(std::string_view field, T& value, const T&) {
    if (Claim(field)) Read(value);
  }
  template <typename T>
  void Positional(T&) {}
  void LayoutConstraints(std::string_view field, std::vector<Shape>& shapes, bool& has) {
    if (Claim(field)) has = ReadShapes(shapes);
  }

 private:
  bool Claim(std::string_view field);

  bool Read(int64_t& value) { return lexer_.ReadInteger(value, "an integer", /*wrap=*/true); }
  bool Read(bool& value) { return lexer_.ReadBool(value); }
  bool Read(double& value) { return lexer_.ReadDouble(value); }
  bool Read(IntList& value);
  bool Read(Window& value);
  bool Read(Padding& value);
  bool Read(SliceRanges& value);
  bool Read(ConvolutionDimensions& value);
  bool Read(ReplicaGroups& value);
  bool Read(PairList& value);
  bool Read(std::vector<IntList>& value);
  bool Read(AliasList& value);
  bool Read(PrecisionList& value);
  bool Read(RawText& value);
  bool Read(QuotedText& value);
  bool Read(Shape& value);
  bool Read(Literal& value);
  template <typename E>
    requires std::is_enum_v<E>
  bool Read(E& value) {
    return ReadEnum(kEnumNames<E>, value);
  }
  template <typename T>
  bool Read(std::optional<T>& value) {
    return Read(value.emplace());
  }
  bool ReadShapes(std::vector<Shape>& shapes);
  template <typename E>
  bool ReadEnum(std::span<const std::string_view> names, E& value) {
    size_t index = 0;
    if (!ReadChoice(names, index)) return false;
    value = static_cast<E>(index);
    return true;
  }
  bool ReadChoice(std::span<const std::string_view> names, size_t& index);

  Lexer& lexer_;
  std::string_view name_;
  uint64_t& fields_seen_;
  int position_ = 0;
  bool found_ = false;
};

/// Writes `, name=value` for every field that needs to be written.
class AttributePrinter {
 public:
  explicit AttributePrinter(std::string& out) : out_(out) {}

  template <typename T>
  void operator()(std::string_view field, const T& value) {
    if constexpr (std::is_same_v<T, Window>) {
      if (value.empty()) return;  // nothing to say, and `window={}` reads badly
    }
    Begin(field);
    Write(value);
  }
  template <typename T>
  void Optional(std::string_view field, const T& value, const T& otherwise) {
    if constexpr (std::is_same_v<T, std::optional<Literal>>) {
      if (!value) return;
    } else {
      if (value == otherwise) return;
    }
    Begin(field);
    Write(value);
  }
  template <typename T>
  void Positional(const T&) {}
  void LayoutConstraints(std::string_view field, const std::vector<Shape>& shapes, bool has);

 private:
  void Begin(std::string_view field);
  void Write(int64_t value);
  void Write(bool value) { out_ += value ? "true" : "false"; }
  void Write(double value);
  void Write(const IntList& value);
  void Write(const Window& value);
  void Write(const Padding& value);
  void Write(const SliceRanges& value);
  void Write(const ConvolutionDimensions& value);
  void Write(const ReplicaGroups& value);
  void Write(const PairList& value);
  void Write(const std::vector<IntList>& value);
  void Write(const AliasList& value);
  void Write(const PrecisionList& value);
  void Write(const RawText& value) { out_ += value.text; }
  void Write(const QuotedText& value);
  void Write(const Shape& value);
  void Write(const Literal& value);
  template <typename E>
    requires std::is_enum_v<E>
  void Write(E value) {
    out_ += kEnumNames<E>[static_cast<size_t>(value)];
  }
  template <typename T>
  void Write(const std::optional<T>& value) {
    Write(*value);
  }

  std::string& out_;
};

/// Lists the names of a Visit list, and which of its fields text must give.
class AttributeNames {
 public:
  struct Field {
    std::string_view name;
    bool required;
  };
  template <typename T>
  void operator()(std::string_view field, const T&) {
    fields_.push_back({field, true});
  }
  template <typename T>
  void Optional(std::string_view field, const T&, const T&) {
    fields_.push_back({field, false});
  }
  template <typename T>
  void Positional(const T&) {}
  template <typename... T>
  void LayoutConstraints(std::string_view field, T&&...) {
    fields_.push_back({field, false});
  }
  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

/// `{0,1}` of a shape index or any list of integers.
void AppendIntegerList(std::string& out, std::span<const int64_t> values);
/// `text` in double quotes, with escapes where it needs them.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace subfloor::hlo
