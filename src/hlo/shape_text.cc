#include "hlo/shape_text.h"

#include <array>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/nearest.h"

namespace subfloor::hlo {
namespace {

std::optional<ElementType> TypeNamed(std::string_view name) {
  // Most arrays are of few types; the table behind ElementTypeFromString is searched from its start.
  if (name == "f32") return ElementType::kF32;
  if (name == "s32") return ElementType::kS32;
  if (name == "bf16") return ElementType::kBF16;
  return ElementTypeFromString(name);
}

bool FailUnknownType(Lexer& lexer, std::string_view name) {
  static constexpr std::array kNames = {
#define X(enumerator, text, bits, cls) std::string_view(text),
      SUBFLOOR_ELEMENT_TYPES(X)
#undef X
  };
  std::string_view nearest = Nearest(name, kNames);
  if (nearest == "tuple" || nearest == "b") nearest = {};  // not written as `type[...]`
  if (nearest.empty()) return lexer.Fail(lexer.position(), "no element type is called `{}`", name);
  return lexer.Fail(lexer.position(), "no element type is called `{}`; the nearest is `{}`", name, nearest);
}

// The text of `(...)` as it stands, parentheses inside matched.
bool ReadParenthesized(Lexer& lexer, std::string& out) {
  const char* start = lexer.position();
  int64_t depth = 0;
  for (const char* p = start; *p != '\0'; ++p) {
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    if (depth == 0 && p > start) {
      out.assign(start + 1, p);
      lexer.Advance(p + 1);
      return true;
    }
    if (depth == 0) break;
  }
  return lexer.FailWanted("a text in parentheses");
}

bool ReadTypeInParentheses(Lexer& lexer, std::optional<ElementType>& out) {
  std::string_view name;
  if (!lexer.Expect('(')) return false;
  const char* at = lexer.position();
  if (!lexer.ReadIdentifier(name, "an element type")) return false;
  out = TypeNamed(name);
  if (!out) {
    lexer.Rewind(at);
    return FailUnknownType(lexer, name);
  }
  return lexer.Expect(')');
}

bool ReadIntegerInParentheses(Lexer& lexer, int64_t& out) {
  return lexer.Expect('(') && lexer.ReadInteger(out) && lexer.Expect(')');
}

bool ReadTile(Lexer& lexer, std::vector<std::vector<int64_t>>& tiles) {
  std::vector<int64_t> tile;
  if (!lexer.Expect('(')) return false;
  if (lexer.Accept(')')) {
    tiles.push_back(std::move(tile));
    return true;
  }
  do {
    int64_t size = LayoutExtras::kCombineDimension;
    if (!lexer.Accept('*')) {
      const char* at = lexer.position();
      if (!lexer.ReadInteger(size, "a tile size or `*`")) return false;
      if (size < 0) return lexer.Fail(at, "a tile of size {}; sizes are 0 or more", size);
    }
    tile.push_back(size);
  } while (lexer.Accept(','));
  tiles.push_back(std::move(tile));
  return lexer.Expect(')');
}

// The parts behind the colon of a layout, up to its closing brace. They come in one order, all optional.
bool ReadLayoutParts(Lexer& lexer, Layout& layout) {
  LayoutExtras extras;
  const char* at = lexer.position();
  if (lexer.Accept('D')) {
    return lexer.FailWith(
        Error(ErrorKind::kNotSupported,
              "a layout with D(...), of sparse levels; a layout without that part would work"),
        at);
  }
  if (lexer.Accept('T')) {
    do {
      if (!ReadTile(lexer, extras.tiles)) return false;
    } while (lexer.Peek() == '(');
  }
  if (lexer.Accept('L') && !ReadIntegerInParentheses(lexer, extras.tail_padding_alignment)) return false;
  if (lexer.Accept('#') && !ReadTypeInParentheses(lexer, extras.index_type)) return false;
  if (lexer.Accept('*') && !ReadTypeInParentheses(lexer, extras.pointer_type)) return false;
  at = lexer.position();
  if (lexer.Accept('E')) {
    if (!ReadIntegerInParentheses(lexer, layout.element_bits)) return false;
    if (layout.element_bits < 0 || layout.element_bits > 1024) {
      return lexer.Fail(at, "elements of {} bits; E(n) takes 0 to 1024", layout.element_bits);
    }
  }
  if (lexer.Peek() == 'S' && lexer.PeekNext() == '(') {
    lexer.Accept('S');
    if (!ReadIntegerInParentheses(lexer, extras.memory_space)) return false;
  }
  if (lexer.Accept("SC") && !ReadParenthesized(lexer, extras.split_configs)) return false;
  if (lexer.Accept('P') && !ReadParenthesized(lexer, extras.physical_shape)) return false;
  if (lexer.Accept('M') && !ReadIntegerInParentheses(lexer, extras.metadata_prefix_bytes)) return false;
  if (lexer.Peek() != '}')
    return lexer.FailWanted("`}` or a part of a layout: T L # * E S SC P M, in this order");
  static const LayoutExtras kNone;
  if (extras != kNone) layout.extras = std::make_shared<const LayoutExtras>(std::move(extras));
  return true;
}

bool ReadLayout(Lexer& lexer, Shape& shape) {
  const char* start = lexer.position();
  Layout layout;
  lexer.Accept('{');
  if (lexer.AtInteger()) {
    layout.minor_to_major.reserve(static_cast<size_t>(shape.rank()));
    do {
      if (!lexer.ReadInteger(layout.minor_to_major.emplace_back(), "a dimension number")) return false;
    } while (lexer.Accept(','));
  }
  if (lexer.Accept(':') && !ReadLayoutParts(lexer, layout)) return false;
  if (!lexer.Expect('}')) return false;
  const auto rank = static_cast<size_t>(shape.rank());
  if (layout.minor_to_major.size() != rank) {
    return lexer.Fail(start, "a layout of {} dimensions for {}, which has {}", layout.minor_to_major.size(),
                      shape.ToString(), rank);
  }
  // A permutation, checked with one mark per dimension.
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (int64_t dimension : layout.minor_to_major) {
    if (dimension < 0 || static_cast<size_t>(dimension) >= rank || seen[static_cast<size_t>(dimension)]) {
      return lexer.Fail(
          start, "a layout must name each dimension from 0 to {} once, {} is {}", rank - 1, dimension,
          dimension < 0 || static_cast<size_t>(dimension) >= rank ? "none of them" : "there twice");
    }
    seen[static_cast<size_t>(dimension)] = true;
  }
  // The layout of a scalar says nothing unless it has more parts; one form of it is enough.
  if (rank > 0 || layout.element_bits != 0 || layout.extras) shape.set_layout(std::move(layout));
  return true;
}

// `type[dimensions]{layout}` with the cursor at the type.
bool ReadLeaf(Lexer& lexer, Shape& out) {
  const char* const start = lexer.position();
  std::string_view name;
  if (!lexer.ReadIdentifier(name, "a shape")) return false;
  const std::optional<ElementType> type = TypeNamed(name);
  if (!type || *type == ElementType::kTuple || *type == ElementType::kBuffer) {
    lexer.Rewind(start);
    return FailUnknownType(lexer, name);
  }
  // Cursor positions inside are needed to see whether a layout is adjacent, so `]` is not read by Accept.
  if (!lexer.Expect('[')) return false;
  absl::InlinedVector<int64_t, 6> dimensions;
  absl::InlinedVector<bool, 6> dynamic;
  bool any_dynamic = false;
  if (lexer.Peek() != ']') {
    do {
      int64_t size = Shape::kUnbounded;
      bool is_dynamic = true;
      if (!lexer.Accept('?')) {
        is_dynamic = lexer.Accept("<=");
        const char* at = lexer.position();
        if (!lexer.ReadInteger(size, "a dimension: a size, `<=` and a bound, or `?`")) return false;
        if (size < 0) return lexer.Fail(at, "a dimension of size {}; sizes are 0 or more", size);
      }
      dimensions.push_back(size);
      dynamic.push_back(is_dynamic);
      any_dynamic |= is_dynamic;
    } while (lexer.Accept(','));
  }
  if (lexer.Peek() != ']') return lexer.FailWanted("`]`", /*quote=*/false);
  const bool brace_adjacent = lexer.PeekNext() == '{';
  lexer.Accept(']');
  if (*type == ElementType::kToken || *type == ElementType::kOpaque) {
    if (!dimensions.empty())
      return lexer.Fail(start, "{} has no dimensions, found {}", name, dimensions.size());
    out = *type == ElementType::kToken ? Shape::Token() : Shape::Opaque();
    if (brace_adjacent && lexer.PeekNext() == '}') lexer.Advance(lexer.position() + 2);
    return true;
  }
  Result<Shape> shape =
      Shape::Array(*type, dimensions, any_dynamic ? std::span<const bool>(dynamic) : std::span<const bool>());
  if (!shape) return lexer.FailWith(std::move(shape).error(), start);
  out = *std::move(shape);
  if (lexer.Peek() != '{') return true;
  const char next = *(lexer.position() + 1);
  const bool is_layout =
      (next >= '0' && next <= '9') || next == ':' || (next == '}' && brace_adjacent && dimensions.empty());
  return !is_layout || ReadLayout(lexer, out);
}

// The text of an array's shape without spaces, comments or odd parts of a layout, which are nearly all; else
// empty.
std::string_view PlainArrayText(const char* start) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const char* p = start;
  while (is_letter(*p) || is_digit(*p)) ++p;
  if (*p != '[') return {};
  for (++p; *p != ']'; ++p) {
    if (!is_digit(*p) && *p != ',') return {};
  }
  ++p;
  if (*p == '{') {
    if (!is_digit(p[1])) return {};
    for (++p; *p != '}'; ++p) {
      if (!is_digit(*p) && *p != ',') return {};
    }
    ++p;
  }
  return {start, static_cast<size_t>(p - start)};
}

}  // namespace

bool ReadIntegerList(Lexer& lexer, std::vector<int64_t>& out, std::string_view wanted) {
  out.clear();
  if (!lexer.Accept('{')) return lexer.FailWanted(wanted);
  if (lexer.Accept('}')) return true;
  absl::InlinedVector<int64_t, 8> values;  // so that the list, which is kept, is allocated once
  do {
    if (!lexer.ReadInteger(values.emplace_back())) return false;
  } while (lexer.Accept(','));
  out.assign(values.begin(), values.end());
  return lexer.Expect('}');
}

// Reads a shape, with a memory of those read before or without.
class ShapeReader {
 public:
  ShapeReader(Lexer& lexer, ShapeMemory* memory) : lexer_(lexer), memory_(memory) {}
  bool Read(Shape& out);

 private:
  bool ReadArray(Shape& out);

  Lexer& lexer_;
  ShapeMemory* memory_;
};

bool AtShape(const Lexer& lexer) {
  if (lexer.Peek() == '(') return true;
  const std::string_view name = lexer.PeekIdentifier();
  if (name.empty()) return false;
  const char* behind = name.data() + name.size();
  return *behind == '[' || (name == "b" && *behind == '(');
}

bool ReadShape(Lexer& lexer, Shape& out) { return ShapeReader(lexer, nullptr).Read(out); }

bool ShapeMemory::Read(Lexer& lexer, Shape& out) { return ShapeReader(lexer, this).Read(out); }

bool ShapeReader::ReadArray(Shape& out) {
  if (memory_ == nullptr) return ReadLeaf(lexer_, out);
  const std::string_view text = PlainArrayText(lexer_.position());
  if (text.empty()) return ReadLeaf(lexer_, out);
  const char* start = lexer_.position();
  const char* behind = start + text.size();
  lexer_.Advance(behind);
  // A layout may stand apart from the dimensions.
  if (lexer_.Peek() == '{' && text.back() == ']') {
    lexer_.Rewind(start);
    return ReadLeaf(lexer_, out);
  }
  auto [entry, fresh] = memory_->by_text_.try_emplace(text);
  if (fresh) {
    lexer_.Rewind(start);
    if (!ReadLeaf(lexer_, entry->second)) return false;
  }
  out = entry->second;
  return true;
}

bool ShapeReader::Read(Shape& out) {
  Lexer& lexer = lexer_;
  if (lexer.Peek() != '(' && lexer.Peek() != 'b') return ReadArray(out);
  // One frame per open parenthesis.
  struct Frame {
    std::vector<Shape> elements;
    bool is_buffer;
    const char* start;
  };
  std::vector<Frame> open;
  while (true) {
    const char* start = lexer.position();
    const bool is_buffer = lexer.Peek() == 'b' && lexer.PeekNext() == '(';
    Shape shape;
    if (is_buffer || lexer.Peek() == '(') {
      lexer.Advance(start + (is_buffer ? 2 : 1));
      open.push_back({{}, is_buffer, start});
      if (lexer.Peek() != ')') continue;
    } else {
      if (!ReadArray(shape)) return false;
      if (open.empty()) {
        out = std::move(shape);
        return true;
      }
      open.back().elements.push_back(std::move(shape));
      if (lexer.Accept(',')) continue;
    }
    // Close as many as end here.
    while (true) {
      if (lexer.Peek() != ')') return lexer.FailWanted("`,` or `)`");
      lexer.Accept(')');
      Frame closed = std::move(open.back());
      open.pop_back();
      if (closed.is_buffer) {
        if (closed.elements.size() != 1 || !closed.elements[0].IsArray()) {
          return lexer.Fail(closed.start, "a buffer holds one array");
        }
        shape = Shape::Buffer(std::move(closed.elements[0]));
      } else {
        shape = Shape::Tuple(std::move(closed.elements));
      }
      if (open.empty()) {
        out = std::move(shape);
        return true;
      }
      open.back().elements.push_back(std::move(shape));
      if (lexer.Accept(',')) break;
    }
  }
}

}  // namespace subfloor::hlo
