#include "hlo/header_text.h"

#include <algorithm>
#include <array>

#include "hlo/attribute_text.h"
#include "hlo/shape_text.h"

namespace subfloor::hlo {
namespace {

// Attributes kept as text: those printed before the entry's layout, and those after the counts.
constexpr std::array<std::string_view, 6> kOtherAttributes = {"alias_passthrough_params",
                                                              "allow_spmd_sharding_propagation_to_parameters",
                                                              "allow_spmd_sharding_propagation_to_output",
                                                              "frontend_attributes",
                                                              "origin_recovery_table",
                                                              "debug_attributes"};
constexpr std::array<std::string_view, 6> kAttributes = {"is_scheduled",  "input_output_alias",
                                                         "buffer_donor",  "entry_computation_layout",
                                                         "replica_count", "num_partitions"};
constexpr std::array<std::string_view, 4> kTables = {"FileNames", "FunctionNames", "FileLocations",
                                                     "StackFrames"};

bool ReadAliases(Lexer& lexer, std::vector<InputOutputAlias>& out) {
  if (!lexer.Expect('{')) return false;
  if (lexer.Accept('}')) return true;
  do {
    InputOutputAlias& alias = out.emplace_back();
    if (!ReadIntegerList(lexer, alias.output_index) || !lexer.Expect(':') || !lexer.Expect('(') ||
        !lexer.ReadInteger(alias.parameter) || !lexer.Expect(',') ||
        !ReadIntegerList(lexer, alias.parameter_index)) {
      return false;
    }
    if (lexer.Accept(',')) {
      if (lexer.AcceptWord("must-alias")) {
        alias.must_alias = true;
      } else if (!lexer.AcceptWord("may-alias")) {
        return lexer.FailWanted("may-alias or must-alias");
      }
    }
    if (!lexer.Expect(')')) return false;
  } while (lexer.Accept(','));
  return lexer.Expect('}');
}

bool ReadDonors(Lexer& lexer, std::vector<BufferDonor>& out) {
  if (!lexer.Expect('{')) return false;
  if (lexer.Accept('}')) return true;
  do {
    BufferDonor& donor = out.emplace_back();
    if (!lexer.Expect('(') || !lexer.ReadInteger(donor.parameter) || !lexer.Expect(',') ||
        !ReadIntegerList(lexer, donor.parameter_index) || !lexer.Expect(')')) {
      return false;
    }
  } while (lexer.Accept(','));
  return lexer.Expect('}');
}

bool ReadEntryLayout(Lexer& lexer, EntryLayout& out) {
  if (!lexer.Expect('{') || !lexer.Expect('(')) return false;
  if (!lexer.Accept(')')) {
    do {
      if (!ReadShape(lexer, out.parameters.emplace_back())) return false;
    } while (lexer.Accept(','));
    if (!lexer.Expect(')')) return false;
  }
  return lexer.Expect("->") && ReadShape(lexer, out.result) && lexer.Expect('}');
}

bool ReadCount(Lexer& lexer, int64_t& out) {
  const char* at = lexer.position();
  if (!lexer.ReadInteger(out)) return false;
  return out >= 1 || lexer.Fail(at, "a count of {}, wanted 1 or more", out);
}

size_t PlaceOfOther(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kOtherAttributes, name) - kOtherAttributes.begin());
}

bool ReadAttribute(Lexer& lexer, ModuleHeader& header, std::vector<std::string_view>& seen) {
  const char* at = lexer.position();
  std::string_view name;
  if (!lexer.ReadIdentifier(name, "an attribute of the module")) return false;
  if (std::ranges::find(seen, name) != seen.end())
    return lexer.Fail(at, "attribute `{}` is given twice", name);
  seen.push_back(name);
  if (!lexer.Expect('=')) return false;
  if (name == "is_scheduled") return lexer.ReadBool(header.is_scheduled);
  if (name == "input_output_alias") return ReadAliases(lexer, header.input_output_alias);
  if (name == "buffer_donor") return ReadDonors(lexer, header.buffer_donor);
  if (name == "entry_computation_layout") return ReadEntryLayout(lexer, header.entry_layout.emplace());
  if (name == "replica_count") return ReadCount(lexer, header.replica_count);
  if (name == "num_partitions") return ReadCount(lexer, header.num_partitions);
  if (PlaceOfOther(name) == kOtherAttributes.size()) {
    return lexer.Fail(at, "no attribute of a module is called `{}`; it takes {}, {}", name,
                      fmt::join(kAttributes, ", "), fmt::join(kOtherAttributes, ", "));
  }
  std::string_view value;
  if (!lexer.ReadRawValue(value, "a value")) return false;
  header.other.emplace_back(name, value);
  return true;
}

bool ReadTable(Lexer& lexer, std::string_view title, ModuleHeader& header) {
  auto& [name, lines] = header.tables.emplace_back();
  name = title;
  while (lexer.AtInteger()) {
    int64_t number = 0;
    std::string_view entry;
    if (!lexer.ReadInteger(number)) return false;
    if (lexer.Peek() == '{' ? !lexer.ReadBalanced(entry)
                            : !lexer.ReadRawString(entry, "a quoted name or `{`"))
      return false;
    lines.push_back(fmt::format("{} {}", number, entry));
  }
  return true;
}

}  // namespace

bool ReadHeader(Lexer& lexer, ModuleHeader& header) {
  std::vector<std::string_view> seen;
  while (lexer.Accept(',')) {
    if (!ReadAttribute(lexer, header, seen)) return false;
  }
  std::ranges::sort(header.other, {}, [](const auto& entry) { return PlaceOfOther(entry.first); });
  while (true) {
    const std::string_view word = lexer.PeekIdentifier();
    if (std::ranges::find(kTables, word) == kTables.end()) return true;
    const char* at = lexer.position();
    lexer.Advance(at + word.size());
    // A computation may have such a name.
    if (!lexer.AtInteger() && (lexer.Peek() == '{' || lexer.Peek() == '(')) {
      lexer.Rewind(at);
      return true;
    }
    if (!ReadTable(lexer, word, header)) return false;
  }
}

void AppendHeaderAttributes(std::string& out, const ModuleHeader& header) {
  const auto append_other = [&](size_t from, size_t to) {
    for (const auto& [name, value] : header.other) {
      const size_t place = PlaceOfOther(name);
      if (place >= from && place < to) fmt::format_to(std::back_inserter(out), ", {}={}", name, value);
    }
  };
  if (header.is_scheduled) out += ", is_scheduled=true";
  if (!header.input_output_alias.empty()) {
    out += ", input_output_alias={ ";
    for (size_t i = 0; i < header.input_output_alias.size(); ++i) {
      const InputOutputAlias& alias = header.input_output_alias[i];
      if (i > 0) out += ", ";
      AppendIntegerList(out, alias.output_index);
      fmt::format_to(std::back_inserter(out), ": ({}, ", alias.parameter);
      AppendIntegerList(out, alias.parameter_index);
      out += alias.must_alias ? ", must-alias)" : ", may-alias)";
    }
    out += " }";
  }
  if (!header.buffer_donor.empty()) {
    out += ", buffer_donor={ ";
    for (size_t i = 0; i < header.buffer_donor.size(); ++i) {
      fmt::format_to(std::back_inserter(out), "{}({}, ", i > 0 ? ", " : "", header.buffer_donor[i].parameter);
      AppendIntegerList(out, header.buffer_donor[i].parameter_index);
      out += ')';
    }
    out += " }";
  }
  append_other(0, 1);
  if (header.entry_layout) {
    out += ", entry_computation_layout={(";
    for (size_t i = 0; i < header.entry_layout->parameters.size(); ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
      out += header.entry_layout->parameters[i].ToString(/*with_layout=*/true, /*index_comments=*/true);
    }
    out += ")->";
    out += header.entry_layout->result.ToString(/*with_layout=*/true, /*index_comments=*/true);
    out += '}';
  }
  append_other(1, 3);
  if (header.replica_count != 1)
    fmt::format_to(std::back_inserter(out), ", replica_count={}", header.replica_count);
  if (header.num_partitions != 1)
    fmt::format_to(std::back_inserter(out), ", num_partitions={}", header.num_partitions);
  append_other(3, kOtherAttributes.size() + 1);
}

void AppendHeaderTables(std::string& out, const ModuleHeader& header) {
  for (const auto& [title, lines] : header.tables) {
    out += title;
    out += '\n';
    for (const std::string& line : lines) {
      out += line;
      out += '\n';
    }
    out += '\n';
  }
}

}  // namespace subfloor::hlo
