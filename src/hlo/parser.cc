#include "hlo/parser.h"

#include <algorithm>

#include "hlo/computation_reader.h"
#include "hlo/foreign_text.h"
#include "hlo/header_text.h"
#include "hlo/literal_text.h"
#include "hlo/shape_text.h"

namespace subfloor::hlo {
namespace {

// `(name: shape, ...) -> shape` with the cursor at the parenthesis, before a computation's body.
bool ReadSignature(Lexer& lexer, ShapeMemory& shapes, std::vector<Shape>& parameters, Shape& result) {
  if (!lexer.Expect('(')) return false;
  if (!lexer.Accept(')')) {
    do {
      std::string_view name;
      if (!lexer.ReadName(name, "a parameter's name") || !lexer.Expect(':') ||
          !shapes.Read(lexer, parameters.emplace_back())) {
        return false;
      }
    } while (lexer.Accept(','));
    if (!lexer.Expect(')')) return false;
  }
  return lexer.Expect("->") && shapes.Read(lexer, result);
}

// What is written before the body must fit what the body says.
bool CheckSignature(Lexer& lexer, const char* at, const Computation& computation,
                    const std::vector<Shape>& parameters, const Shape& result) {
  if (static_cast<int64_t>(parameters.size()) != computation.parameter_count()) {
    return lexer.Fail(at, "the signature of `{}` has {} parameters, its body {}", computation.name(),
                      parameters.size(), computation.parameter_count());
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& actual = computation.parameter(static_cast<int64_t>(i))->shape();
    if (!parameters[i].Compatible(actual)) {
      return lexer.Fail(at, "the signature of `{}` has {} for parameter {}, its body {}", computation.name(),
                        parameters[i].ToString(false), i, actual.ToString(false));
    }
  }
  if (!result.Compatible(computation.root()->shape())) {
    return lexer.Fail(at, "the signature of `{}` has result {}, its body {}", computation.name(),
                      result.ToString(false), computation.root()->shape().ToString(false));
  }
  return true;
}

// True if the text is one instruction: it starts with none of `HloModule`, `ENTRY`, `name {`, `name
// (parameter: ...` and `name () ->`.
bool IsBareInstruction(Lexer& lexer) {
  const char* start = lexer.position();
  if (lexer.AcceptWord("HloModule") || lexer.AcceptWord("ENTRY")) {
    lexer.Rewind(start);
    return false;
  }
  bool is_computation = false;
  if (lexer.Peek() == '%') lexer.Advance(start + 1);
  if (const std::string_view name = lexer.PeekIdentifier(); !name.empty()) {
    lexer.Advance(name.data() + name.size());
    if (lexer.Accept('{')) {
      is_computation = true;
    } else if (lexer.Accept('(')) {
      if (lexer.Accept(')')) {
        is_computation = lexer.StartsWith("->");
      } else {
        if (lexer.Peek() == '%') lexer.Advance(lexer.position() + 1);
        const std::string_view parameter = lexer.PeekIdentifier();
        if (!parameter.empty()) lexer.Advance(parameter.data() + parameter.size());
        is_computation = !parameter.empty() && lexer.Peek() == ':';
      }
    }
  }
  lexer.Rewind(start);
  return !is_computation;
}

bool ReadComputations(Lexer& lexer, Module& module) {
  // An instruction takes about a hundred characters. Large constants take many more, hence the limit.
  module.ReserveNames(std::min<size_t>(lexer.size() / 100, 1 << 16));
  ShapeMemory shapes;
  ComputationReader reader(lexer, module, shapes);
  Computation* entry = nullptr;
  Computation* last = nullptr;
  if (lexer.AtEnd()) return lexer.FailWanted("a computation");
  while (!lexer.AtEnd()) {
    const char* start = lexer.position();
    const bool is_entry = lexer.AcceptWord("ENTRY");
    if (is_entry && entry != nullptr)
      return lexer.Fail(start, "a second ENTRY; the first is `{}`", entry->name());
    std::string_view name;
    // `ENTRY {` is a computation without a name of its own.
    if (is_entry && lexer.Peek() == '{') {
      name = "main";
    } else if (!lexer.ReadName(name, "a computation")) {
      return false;
    }
    const bool has_signature = lexer.Peek() == '(';
    std::vector<Shape> parameters;
    Shape result;
    if (has_signature && !ReadSignature(lexer, shapes, parameters, result)) return false;
    if (lexer.Peek() != '{') return lexer.FailWanted(has_signature ? "`{`" : "`{` or `(`");
    last = reader.ReadBody(name);
    if (last == nullptr) return false;
    if (has_signature && !CheckSignature(lexer, start, *last, parameters, result)) return false;
    if (is_entry) entry = last;
    if (lexer.Accept(',')) {
      std::string thread;
      if (!lexer.AcceptWord("execution_thread")) return lexer.FailWanted("execution_thread");
      if (!lexer.Expect('=') || !lexer.ReadString(thread)) return false;
      last->set_execution_thread(std::move(thread));
    }
  }
  module.set_entry(entry ? entry : last);
  return true;
}

bool ReadModule(Lexer& lexer, Module& module) {
  if (IsBareInstruction(lexer)) {
    if (lexer.AtEnd()) return lexer.FailWanted("HloModule, a computation or an instruction");
    ShapeMemory shapes;
    ComputationReader reader(lexer, module, shapes);
    Computation* computation = reader.ReadBareInstruction();
    if (computation == nullptr) return false;
    module.set_name("_");
    module.set_entry(computation);
    return true;
  }
  if (lexer.AcceptWord("HloModule")) {
    std::string_view name;
    if (!lexer.ReadName(name, "the module's name")) return false;
    module.set_name(std::string(name));
    return ReadHeader(lexer, module.header()) && ReadComputations(lexer, module);
  }
  if (!ReadComputations(lexer, module)) return false;
  module.set_name(fmt::format("module_{}", module.entry()->name()));
  return true;
}

}  // namespace

Result<std::unique_ptr<Module>> ParseModule(std::string_view text, std::string_view file_name) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // UTF-8's mark, which some editors write
  Lexer lexer(text, file_name);
  auto module = std::make_unique<Module>("");
  if (ReadModule(lexer, *module)) return module;
  if (std::string foreign = DescribeForeignText(text); !foreign.empty()) {
    Error error(ErrorKind::kBadInput, std::move(foreign));
    error.At({std::string(file_name), 1, 1});
    return std::unexpected(std::move(error));
  }
  return std::unexpected(std::move(lexer.error()));
}

Result<Shape> ParseShape(std::string_view text) {
  Lexer lexer(text, "");
  Shape shape;
  if (!ReadShape(lexer, shape) || !(lexer.AtEnd() || lexer.FailWanted("the end of the shape"))) {
    return std::unexpected(std::move(lexer.error()));
  }
  return shape;
}

Result<Literal> ParseLiteral(const Shape& shape, std::string_view text) {
  Lexer lexer(text, "");
  Literal literal;
  bool elided = false;
  const bool ok = ReadLiteral(lexer, shape, literal, elided) &&
                  (!elided || lexer.Fail(lexer.position(), "an elided literal has no value")) &&
                  (lexer.AtEnd() || lexer.FailWanted("the end of the literal"));
  if (!ok) return std::unexpected(std::move(lexer.error()));
  return literal;
}

}  // namespace subfloor::hlo
