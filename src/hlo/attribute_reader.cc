#include <algorithm>
#include <limits>

#include "hlo/attribute_text.h"
#include "hlo/literal_text.h"
#include "hlo/shape_text.h"

namespace subfloor::hlo {
namespace {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The groups of `[2,4]<=[4,2]T(1,0)`: numbers in order, reshaped, transposed, and cut into rows.
bool ExpandIota(const std::vector<int64_t>& tile, const std::vector<int64_t>& dims,
                const std::vector<int64_t>& perm, std::vector<std::vector<int64_t>>& groups) {
  int64_t count = 1;
  for (int64_t size : dims) {
    if (size <= 0 || count > (int64_t{1} << 24) / size) return false;
    count *= size;
  }
  if (tile.size() != 2 || tile[0] <= 0 || tile[1] <= 0 || tile[0] > count || tile[0] * tile[1] != count)
    return false;
  if (perm.size() != dims.size()) return false;
  std::vector<int64_t> strides = RowMajorStrides(dims), sizes(dims.size()), steps(dims.size()),
                       index(dims.size(), 0);
  std::vector<bool> seen(dims.size(), false);
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= static_cast<int64_t>(dims.size()) || seen[static_cast<size_t>(perm[i])])
      return false;
    seen[static_cast<size_t>(perm[i])] = true;
    sizes[i] = dims[static_cast<size_t>(perm[i])];
    steps[i] = strides[static_cast<size_t>(perm[i])];
  }
  int64_t value = 0;
  groups.assign(static_cast<size_t>(tile[0]), {});
  for (auto& group : groups) {
    group.reserve(static_cast<size_t>(tile[1]));
    for (int64_t k = 0; k < tile[1]; ++k) {
      group.push_back(value);
      for (size_t d = index.size(); d-- > 0;) {
        value += steps[d];
        if (++index[d] < sizes[d]) break;
        value -= steps[d] * sizes[d];
        index[d] = 0;
      }
    }
  }
  return true;
}

bool ReadDelimited(Lexer& lexer, char open, char close, std::vector<int64_t>& out) {
  out.clear();
  if (!lexer.Expect(open)) return false;
  if (lexer.Accept(close)) return true;
  do {
    if (!lexer.ReadInteger(out.emplace_back())) return false;
  } while (lexer.Accept(','));
  return lexer.Expect(close);
}

bool ReadLists(Lexer& lexer, std::vector<IntList>& out) {
  out.clear();
  if (!lexer.Expect('{')) return false;
  if (lexer.Accept('}')) return true;
  do {
    if (!ReadIntegerList(lexer, out.emplace_back())) return false;
  } while (lexer.Accept(','));
  return lexer.Expect('}');
}

}  // namespace

bool AttributeReader::Claim(std::string_view field) {
  const uint64_t bit = uint64_t{1} << position_++;
  if (field != name_) return false;
  found_ = true;
  if (fields_seen_ & bit) {
    lexer_.Fail(lexer_.position(), "attribute `{}` is given twice", field);
    return false;
  }
  fields_seen_ |= bit;
  return true;
}

bool AttributeReader::ReadChoice(std::span<const std::string_view> names, size_t& index) {
  const std::string_view word = lexer_.PeekIdentifier();
  for (index = 0; index < names.size(); ++index) {
    if (names[index].empty() || !EqualsIgnoringCase(names[index], word)) continue;
    lexer_.Advance(lexer_.position() + word.size());
    return true;
  }
  std::vector<std::string_view> shown(names.begin(), names.end());
  std::erase(shown, std::string_view());
  return lexer_.FailWanted(fmt::format("one of {}", fmt::join(shown, ", ")));
}

bool AttributeReader::Read(IntList& value) { return ReadIntegerList(lexer_, value); }

bool AttributeReader::Read(SliceRanges& value) {
  value.clear();
  if (!lexer_.Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    SliceDimension& range = value.emplace_back();
    if (!lexer_.Expect('[') || !lexer_.ReadInteger(range.start) || !lexer_.Expect(':') ||
        !lexer_.ReadInteger(range.limit)) {
      return false;
    }
    if (lexer_.Accept(':') && !lexer_.ReadInteger(range.stride)) return false;
    if (!lexer_.Expect(']')) return false;
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

bool AttributeReader::Read(ReplicaGroups& value) {
  const char* start = lexer_.position();
  value = {};
  const char* stop = nullptr;
  if (lexer_.Peek() == '{') {
    if (!ReadLists(lexer_, value.groups)) return false;
    // Rewritten, so that spaces do not matter.
    value.text = "{";
    for (size_t i = 0; i < value.groups.size(); ++i) {
      if (i > 0) value.text += ',';
      AppendIntegerList(value.text, value.groups[i]);
    }
    value.text += '}';
    return true;
  }
  if (lexer_.Peek() == '[') {
    std::vector<int64_t> tile, dims, perm;
    if (!ReadDelimited(lexer_, '[', ']', tile) || !lexer_.Expect("<=") ||
        !ReadDelimited(lexer_, '[', ']', dims)) {
      return false;
    }
    value.text = fmt::format("[{}]<=[{}]", fmt::join(tile, ","), fmt::join(dims, ","));
    if (lexer_.Accept('T')) {
      if (!ReadDelimited(lexer_, '(', ')', perm)) return false;
      value.text += fmt::format("T({})", fmt::join(perm, ","));
    } else {
      for (size_t i = 0; i < dims.size(); ++i) perm.push_back(static_cast<int64_t>(i));
    }
    if (!ExpandIota(tile, dims, perm, value.groups)) {
      return lexer_.Fail(
          start,
          "{} is no list of groups; wanted [groups,size]<=[sizes], with T(permutation) if need be, of "
          "equal products up to 2^24",
          value.text);
    }
    return true;
  }
  // The form by named mesh axes: one run of text up to the comma or line end outside of all brackets.
  int64_t depth = 0;
  for (stop = start; stop < lexer_.end(); ++stop) {
    if (*stop == '[' || *stop == '{' || *stop == '(') ++depth;
    if (*stop == ']' || *stop == '}' || *stop == ')') --depth;
    if (depth < 0 || (depth == 0 && (*stop == ',' || *stop == '\n'))) break;
  }
  value.text.assign(start, stop);
  while (!value.text.empty() &&
         (value.text.back() == ' ' || value.text.back() == '\r' || value.text.back() == '\t')) {
    value.text.pop_back();
  }
  if (lexer_.PeekIdentifier().empty()) return lexer_.FailWanted("groups such as {{0,1},{2,3}} or [2,2]<=[4]");
  lexer_.Advance(stop);
  return true;
}

bool AttributeReader::Read(PairList& value) {
  const char* start = lexer_.position();
  std::vector<IntList> lists;
  if (!ReadLists(lexer_, lists)) return false;
  value.clear();
  for (const IntList& list : lists) {
    if (list.size() != 2)
      return lexer_.Fail(start, "a list of {} where pairs {{source,target}} are wanted", list.size());
    value.emplace_back(list[0], list[1]);
  }
  return true;
}

bool AttributeReader::Read(std::vector<IntList>& value) { return ReadLists(lexer_, value); }

bool AttributeReader::Read(AliasList& value) {
  value.clear();
  if (!lexer_.Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    OutputOperandAlias& alias = value.emplace_back();
    if (!ReadIntegerList(lexer_, alias.output_index) || !lexer_.Expect(':') || !lexer_.Expect('(') ||
        !lexer_.ReadInteger(alias.operand) || !lexer_.Expect(',') ||
        !ReadIntegerList(lexer_, alias.operand_index) || !lexer_.Expect(')')) {
      return false;
    }
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

bool AttributeReader::Read(PrecisionList& value) {
  value.clear();
  if (!lexer_.Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    if (!Read(value.emplace_back())) return false;
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

bool AttributeReader::Read(RawText& value) {
  std::string_view text;
  if (!lexer_.ReadRawValue(text, "a value")) return false;
  value.text = text;
  return true;
}

bool AttributeReader::Read(QuotedText& value) { return lexer_.ReadString(value.text); }

bool AttributeReader::Read(Shape& value) { return ReadShape(lexer_, value); }

bool AttributeReader::Read(Literal& value) {
  Shape shape;
  bool elided = false;
  return ReadShape(lexer_, shape) && ReadLiteral(lexer_, shape, value, elided);
}

bool AttributeReader::ReadShapes(std::vector<Shape>& shapes) {
  shapes.clear();
  if (!lexer_.Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    if (!ReadShape(lexer_, shapes.emplace_back())) return false;
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

}  // namespace subfloor::hlo
