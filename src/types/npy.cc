#include "types/npy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "types/narrow.h"

namespace subfloor {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// What the dictionary in the header says.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> sizes;
  size_t data_offset = 0;
};

// Reads the header's Python dictionary: three keys in any order, values a string, a boolean and a tuple of
// integers.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : rest_(text) {}

  Status Read(Header& header) {
    SF_CHECK(Expect('{'));
    bool descr = false, order = false, shape = false;
    while (!Accept('}')) {
      const std::string key = SF_TRY(ReadString());
      SF_CHECK(Expect(':'));
      if (key == "descr") {
        if (Accept('[')) return NotSupported("a .npy file of structures; arrays of plain numbers would work");
        header.descr = SF_TRY(ReadString());
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = SF_TRY(ReadBool());
        order = true;
      } else if (key == "shape") {
        header.sizes = SF_TRY(ReadTuple());
        shape = true;
      } else {
        return BadInput("the .npy header has an unknown key '{}'", key);
      }
      if (!Accept(',')) {
        SF_CHECK(Expect('}'));
        break;
      }
    }
    if (!descr || !order || !shape)
      return BadInput("the .npy header lacks one of descr, fortran_order and shape");
    return {};
  }

 private:
  void SkipSpace() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool Accept(char c) {
    SkipSpace();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  Status Expect(char c) {
    if (Accept(c)) return {};
    return BadInput("the .npy header wants '{}' where '{}' stands", c, rest_.substr(0, 12));
  }
  Result<std::string> ReadString() {
    SkipSpace();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') {
      return BadInput("the .npy header wants a string where '{}' stands", rest_.substr(0, 12));
    }
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return BadInput("the .npy header has a string without an end");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  Result<bool> ReadBool() {
    SkipSpace();
    for (bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    return BadInput("the .npy header wants True or False where '{}' stands", rest_.substr(0, 12));
  }
  Result<std::vector<int64_t>> ReadTuple() {
    SF_CHECK(Expect('('));
    std::vector<int64_t> values;
    while (!Accept(')')) {
      SkipSpace();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc())
        return BadInput("the .npy header wants a size where '{}' stands", rest_.substr(0, 12));
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      (void)(Accept('L') || Accept('l'));  // as Python 2 wrote long integers
      values.push_back(value);
      if (!Accept(',')) {
        SF_CHECK(Expect(')'));
        break;
      }
    }
    return values;
  }

  std::string_view rest_;
};

Result<Header> ReadHeader(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || text.size() < 10)
    return BadInput("not a .npy file: it does not start with \\x93NUMPY");
  const auto byte = [&](size_t i) { return static_cast<size_t>(file[i]); };
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    return NotSupported("a .npy file of format {}; 1, 2 and 3 would work", version);
  const size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) return BadInput("the .npy file ends within its header");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (text.size() - start < length) return BadInput("the .npy file ends within its header");
  Header header;
  header.data_offset = start + length;
  SF_CHECK(DictionaryReader(text.substr(start, length)).Read(header));
  return header;
}

// NumPy's one-letter kinds with a size in bytes.
std::optional<ElementType> TypeOf(std::string_view kind_and_size) {
  using enum ElementType;
  constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"b1", kPred}, {"i1", kS8},  {"i2", kS16}, {"i4", kS32}, {"i8", kS64}, {"u1", kU8},  {"u2", kU16},
      {"u4", kU32},  {"u8", kU64}, {"f2", kF16}, {"f4", kF32}, {"f8", kF64}, {"c8", kC64}, {"c16", kC128}};
  for (const auto& [text, type] : kTypes) {
    if (text == kind_and_size) return type;
  }
  return std::nullopt;
}

// The type in which an element type is written.
ElementType StoredType(ElementType type) {
  using enum ElementType;
  if (IsSubByte(type) && IsSigned(type)) return kS8;
  if (IsSubByte(type) && IsUnsigned(type)) return kU8;
  if (IsFloat(type) && type != kF16 && type != kF64) return kF32;
  return type;
}

std::string DescrOf(ElementType stored) {
  const char kind = IsPred(stored)       ? 'b'
                    : IsSigned(stored)   ? 'i'
                    : IsUnsigned(stored) ? 'u'
                    : IsFloat(stored)    ? 'f'
                                         : 'c';
  return fmt::format("{}{}{}", ByteWidth(stored) == 1 ? '|' : '<', kind, ByteWidth(stored));
}

// Row-major bytes of `count` elements, from the file's own element order and byte order. `part_bytes` is what
// one number takes: half an element of a complex type.
std::vector<std::byte> Normalize(std::span<const std::byte> data, const Header& header, size_t element_bytes,
                                 size_t part_bytes, bool big_endian) {
  std::vector<std::byte> bytes(data.size());
  if (!header.fortran_order || header.sizes.size() < 2) {
    std::copy(data.begin(), data.end(), bytes.begin());
  } else {
    // Walk the row-major order of the result and keep the matching column-major offset.
    const size_t rank = header.sizes.size();
    std::vector<size_t> stride(rank, 1);
    for (size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * static_cast<size_t>(header.sizes[d - 1]);
    std::vector<int64_t> index(rank, 0);
    size_t from = 0;
    for (size_t to = 0; to < data.size(); to += element_bytes) {
      std::memcpy(&bytes[to], &data[from * element_bytes], element_bytes);
      for (size_t d = rank; d-- > 0;) {
        from += stride[d];
        if (++index[d] < header.sizes[d]) break;
        from -= stride[d] * static_cast<size_t>(header.sizes[d]);
        index[d] = 0;
      }
    }
  }
  if (big_endian) {
    for (size_t i = 0; i + part_bytes <= bytes.size(); i += part_bytes) {
      std::reverse(&bytes[i], &bytes[i] + part_bytes);
    }
  }
  return bytes;
}

// A file's numbers as they lie there: `type` is nullopt for raw elements (V1, V2).
struct Stored {
  std::optional<ElementType> type;
  size_t element_bytes = 0;
  std::vector<int64_t> sizes;
  std::vector<std::byte> bytes;
};

Result<Stored> ReadStored(std::span<const std::byte> file) {
  const Header header = SF_TRY(ReadHeader(file));
  Stored stored;
  stored.sizes = header.sizes;
  std::string_view descr = header.descr;
  bool big_endian = false;
  if (!descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos) {
    big_endian = descr.front() == '>';
    descr.remove_prefix(1);
  }
  stored.type = TypeOf(descr);
  if (stored.type) {
    stored.element_bytes = static_cast<size_t>(ByteWidth(*stored.type));
  } else if (descr == "V1" || descr == "V2") {
    stored.element_bytes = static_cast<size_t>(descr[1] - '0');
  } else {
    return NotSupported(
        "a .npy file of type '{}'; bool, integers of 1 to 8 bytes, float16, float32, float64, complex64 and "
        "complex128 "
        "would work",
        header.descr);
  }
  const Shape shape = SF_TRY(Shape::Array(stored.type.value_or(ElementType::kU16), stored.sizes));
  const auto data = file.subspan(header.data_offset);
  const size_t wanted_bytes = static_cast<size_t>(shape.element_count()) * stored.element_bytes;
  if (data.size() != wanted_bytes) {
    return BadInput("the .npy file has {} bytes of data; {} wants {}", data.size(), shape.ToString(),
                    wanted_bytes);
  }
  const bool complex = stored.type && IsComplex(*stored.type);
  stored.bytes =
      Normalize(data, header, stored.element_bytes, stored.element_bytes / (complex ? 2 : 1), big_endian);
  if (stored.type == ElementType::kPred) {
    for (std::byte& b : stored.bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
  return stored;
}

bool SameNumber(ElementType a_type, uint64_t a, ElementType b_type, uint64_t b) {
  if (IsNan(a_type, a) || IsNan(b_type, b)) return IsNan(a_type, a) && IsNan(b_type, b);
  return ToQuad(a_type, a) == ToQuad(b_type, b);
}

// `from` with another element type, exactly or not at all.
Result<Literal> ConvertExactly(const Literal& from, const Shape& wanted) {
  const ElementType source = ComponentType(from.element_type()),
                    target = ComponentType(wanted.element_type());
  if (IsComplex(from.element_type()) != IsComplex(wanted.element_type())) {
    return BadInput("the .npy file holds {}, which does not convert to {}", ToString(from.element_type()),
                    ToString(wanted.element_type()));
  }
  const int parts = IsComplex(wanted.element_type()) ? 2 : 1;
  Literal result = SF_TRY(Literal::Zeros(wanted));
  for (int64_t i = 0; i < wanted.element_count(); ++i) {
    for (int part = 0; part < parts; ++part) {
      const uint64_t bits = parts == 2 ? GetPartBits(from, i, part) : GetBits(from, i);
      const uint64_t converted = ConvertBits(source, target, bits);
      if (!SameNumber(source, bits, target, converted)) {
        return BadInput("element {} of the .npy file is {}, which {} cannot hold exactly", i,
                        ToDouble(source, bits), ToString(target));
      }
      if (parts == 2) {
        SetPartBits(result, i, part, converted);
      } else {
        SetBits(result, i, converted);
      }
    }
  }
  return result;
}

template <typename T>
Result<T> NamingPath(Result<T> result, const std::string& path) {
  if (!result) result.error().Prepend(path);
  return result;
}

}  // namespace

Result<std::vector<std::byte>> WriteNpy(const Literal& literal) {
  if (!literal.shape().IsArray()) {
    return BadInput("a .npy file holds one array, not {}", literal.shape().ToString(/*with_layout=*/false));
  }
  const ElementType stored = StoredType(literal.element_type());
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", DescrOf(stored),
                  fmt::join(literal.shape().dimensions(), ", "), literal.shape().rank() == 1 ? "," : "");
  // Spaces and a newline bring the data to a multiple of 64 bytes.
  size_t start = 10;
  if (dictionary.size() + 64 > 0xffff) start = 12;
  const size_t padded = (start + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(padded - start - dictionary.size() - 1, ' ');
  dictionary.push_back('\n');

  std::vector<std::byte> file;
  const auto append = [&](const void* from, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    file.insert(file.end(), bytes, bytes + size);
  };
  append(kMagic.data(), kMagic.size());
  const char version[] = {static_cast<char>(start == 10 ? 1 : 2), 0};
  append(version, 2);
  const auto length = static_cast<uint32_t>(dictionary.size());
  append(&length, start - 8);
  append(dictionary.data(), dictionary.size());
  if (stored == literal.element_type()) {
    append(literal.bytes().data(), literal.bytes().size());
    return file;
  }
  for (int64_t i = 0; i < literal.shape().element_count(); ++i) {
    const uint64_t bits = ConvertBits(literal.element_type(), stored, GetBits(literal, i));
    append(&bits, static_cast<size_t>(ByteWidth(stored)));
  }
  return file;
}

Result<Literal> ReadNpy(std::span<const std::byte> file) {
  const Stored stored = SF_TRY(ReadStored(file));
  if (!stored.type) return BadInput("the .npy file holds raw elements; the wanted type must be told");
  return Literal::FromBytes(SF_TRY(Shape::Array(*stored.type, stored.sizes)), stored.bytes);
}

Result<Literal> ReadNpy(std::span<const std::byte> file, const Shape& wanted) {
  if (!wanted.IsArray())
    return BadInput("a .npy file holds one array, not {}", wanted.ToString(/*with_layout=*/false));
  const Stored stored = SF_TRY(ReadStored(file));
  if (!std::ranges::equal(stored.sizes, wanted.dimensions())) {
    return BadInput("the .npy file has shape ({}); {} is wanted", fmt::join(stored.sizes, ", "),
                    wanted.ToString(/*with_layout=*/false));
  }
  if (!stored.type) {
    const auto width = static_cast<size_t>(ByteWidth(wanted.element_type()));
    if (!IsFloat(wanted.element_type()) || IsSubByte(wanted.element_type()) ||
        width != stored.element_bytes) {
      return BadInput("the .npy file holds raw elements of {} bytes, which are no {}", stored.element_bytes,
                      ToString(wanted.element_type()));
    }
    return Literal::FromBytes(wanted, stored.bytes);
  }
  if (*stored.type == wanted.element_type()) return Literal::FromBytes(wanted, stored.bytes);
  return ConvertExactly(
      SF_TRY(Literal::FromBytes(SF_TRY(Shape::Array(*stored.type, stored.sizes)), stored.bytes)), wanted);
}

Status WriteNpyFile(const std::string& path, const Literal& literal) {
  const std::vector<std::byte> bytes = SF_TRY(WriteNpy(literal));
  return WriteFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<Literal> ReadNpyFile(const std::string& path) {
  const std::string bytes = SF_TRY(ReadFile(path));
  return NamingPath(ReadNpy(std::as_bytes(std::span(bytes))), path);
}

Result<Literal> ReadNpyFile(const std::string& path, const Shape& wanted) {
  const std::string bytes = SF_TRY(ReadFile(path));
  return NamingPath(ReadNpy(std::as_bytes(std::span(bytes)), wanted), path);
}

}  // namespace subfloor
