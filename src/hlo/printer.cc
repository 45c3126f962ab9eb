#include "hlo/printer.h"

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/attribute_text.h"
#include "hlo/header_text.h"
#include "hlo/literal_text.h"

namespace subfloor::hlo {
namespace {

// Operations whose `-start` and `-done` are opcodes of their own; `<op>-start` can't mean an async-start
// around them.
bool HasOwnHalves(Opcode opcode) {
  return OpcodeFromString(fmt::format("{}-done", ToString(opcode))).has_value();
}

// The async-start at the beginning of the chain that `instruction` belongs to, or nullptr.
const Instruction* StartOf(const Instruction* instruction) {
  while (instruction != nullptr && instruction->opcode() != Opcode::kAsyncStart) {
    const bool follows =
        instruction->opcode() == Opcode::kAsyncUpdate || instruction->opcode() == Opcode::kAsyncDone;
    instruction = follows && instruction->operand_count() > 0 ? instruction->operand(0) : nullptr;
  }
  return instruction;
}

bool IsAsync(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kAsyncStart || instruction.opcode() == Opcode::kAsyncUpdate ||
         instruction.opcode() == Opcode::kAsyncDone;
}

// True if `start` can be written `<op>-start(...)`: its body is nothing but one operation on the body's
// parameters, and says nothing that would get lost.
bool HasPlainBody(const Instruction& start) {
  if (start.called_computations().size() != 1) return false;
  const Computation& body = *start.called();
  const Instruction* root = body.root();
  if (root == nullptr || root->IsParameter() || root->IsConstant() || IsAsync(*root) ||
      HasOwnHalves(root->opcode()) || root->has_annotations() || !root->control_predecessors().empty() ||
      !root->control_successors().empty() || root->operand_count() != start.operand_count() ||
      body.parameter_count() != start.operand_count() ||
      body.instruction_count() != start.operand_count() + 1 ||
      body.execution_thread() != start.As<AsyncAttributes>().execution_thread.text) {
    return false;
  }
  if (!start.shape().IsTuple() || start.shape().tuple_size() < 2 ||
      start.shape().tuple_shape(1) != root->shape())
    return false;
  for (int64_t i = 0; i < start.operand_count(); ++i) {
    const Instruction* parameter = root->operand(i);
    if (parameter != body.parameter(i) || parameter->has_annotations() ||
        parameter->shape() != start.operand(i)->shape()) {
      return false;
    }
  }
  return true;
}

// The bodies that print as part of `<op>-start`: plain ones that one chain alone uses.
absl::flat_hash_set<const Computation*> SugaredBodies(const Module& module) {
  absl::flat_hash_map<const Computation*, const Instruction*>
      users;  // nullptr: used otherwise, or by two starts
  bool any = false;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      any |= IsAsync(*instruction);
    }
  }
  if (!any) return {};
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Instruction* start = IsAsync(*instruction) ? StartOf(instruction) : nullptr;
      for (const Computation* callee : instruction->called_computations()) {
        auto [entry, fresh] = users.try_emplace(callee, start);
        if (!fresh && entry->second != start) entry->second = nullptr;
      }
    }
  }
  absl::flat_hash_set<const Computation*> bodies;
  for (const auto& [body, start] : users) {
    if (start != nullptr && body != module.entry() && HasPlainBody(*start)) bodies.insert(body);
  }
  return bodies;
}

class Printer {
 public:
  Printer(std::string& out, const PrintOptions& options) : out_(out), options_(options) {}

  void PrintModule(const Module& module) {
    sugared_ = SugaredBodies(module);
    out_ += "HloModule ";
    if (options_.canonical_names) {
      out_ += "module";
    } else {
      AppendPlainName(module.name());
    }
    AppendHeaderAttributes(out_, module.header());
    out_ += "\n\n";
    if (options_.metadata) AppendHeaderTables(out_, module.header());
    bool first = true;
    for (const Computation* computation : module.MakePostOrder()) {
      if (sugared_.contains(computation)) continue;
      if (!first) out_ += '\n';
      first = false;
      PrintComputation(*computation, computation == module.entry());
    }
  }

  void PrintComputation(const Computation& computation, bool is_entry) {
    if (is_entry) out_ += "ENTRY ";
    AppendName(computation);
    if (options_.signatures) AppendSignature(computation);
    out_ += " {\n";
    for (const Instruction* instruction : computation.MakePostOrder()) {
      out_ += "  ";
      PrintInstruction(*instruction);
      out_ += '\n';
    }
    out_ += '}';
    if (!computation.execution_thread().empty()) {
      out_ += ", execution_thread=";
      AppendQuoted(out_, computation.execution_thread());
    }
    out_ += '\n';
  }

  void PrintInstruction(const Instruction& instruction) {
    if (instruction.IsRoot()) out_ += "ROOT ";
    AppendName(instruction);
    out_ += " = ";
    AppendShape(instruction.shape());
    out_ += ' ';
    const Instruction* start = IsAsync(instruction) ? StartOf(&instruction) : nullptr;
    const bool is_sugared =
        start != nullptr && !start->called_computations().empty() && sugared_.contains(start->called()) &&
        (instruction.called_computations().empty() || instruction.called() == start->called());
    if (is_sugared) {
      out_ += ToString(start->called()->root()->opcode());
      out_ += instruction.opcode() == Opcode::kAsyncStart    ? "-start"
              : instruction.opcode() == Opcode::kAsyncUpdate ? "-update"
                                                             : "-done";
    } else {
      out_ += ToString(instruction.opcode());
    }
    out_ += '(';
    if (instruction.IsParameter()) {
      AppendInteger(instruction.parameter_number());
    } else if (instruction.IsConstant()) {
      AppendConstant(instruction.As<ConstantAttributes>());
    } else {
      AppendOperands(instruction);
    }
    out_ += ')';
    AppendFields(instruction);
    if (!is_sugared) {
      AppendCalled(instruction);
    } else if (&instruction == start) {
      AppendFields(*start->called()->root());
      AppendCalled(*start->called()->root());
    }
    AppendAnnotations(instruction);
  }

  /// All names of a module are numbered as they are met.
  void set_sugared(absl::flat_hash_set<const Computation*> bodies) { sugared_ = std::move(bodies); }

 private:
  template <typename T>
  void AppendNumbered(char letter, const T* object) {
    if (options_.percent) out_ += '%';
    out_ += letter;
    AppendInteger(numbers_.try_emplace(object, static_cast<int64_t>(numbers_.size())).first->second);
  }

  void AppendName(const Instruction& instruction) {
    if (options_.canonical_names) return AppendNumbered('i', &instruction);
    AppendName(instruction.name());
  }

  void AppendName(const Computation& computation) {
    if (options_.canonical_names) return AppendNumbered('c', &computation);
    AppendName(computation.name());
  }

  // Where text has no `%` by custom: the module's name and parameters in a signature.
  void AppendPlainName(const std::string& name) {
    if (!IsPlain(name)) out_ += '%';
    out_ += name;
  }

  static bool IsPlain(const std::string& name) {
    return !name.empty() &&
           (name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
  }

  void AppendName(const std::string& name) {
    // Without its `%` a name must not begin with a digit or be a word of the language.
    const bool is_word = name == "ROOT" || name == "ENTRY" || name == "HloModule" || name == "FileNames" ||
                         name == "FunctionNames" || name == "FileLocations" || name == "StackFrames";
    if (options_.percent || !IsPlain(name) || is_word) out_ += '%';
    out_ += name;
  }

  void AppendInteger(int64_t value) {
    char text[24];
    out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  }

  void AppendIndexComment(size_t i) {
    if (!options_.index_comments || i == 0 || i % 5 != 0) return;
    out_ += "/*index=";
    AppendInteger(static_cast<int64_t>(i));
    out_ += "*/";
  }

  void AppendShape(const Shape& shape) {
    out_ += shape.ToString(/*with_layout=*/true, options_.index_comments);
  }

  void AppendSignature(const Computation& computation) {
    out_ += " (";
    for (size_t i = 0; i < computation.parameters().size(); ++i) {
      const Instruction* parameter = computation.parameters()[i];
      if (parameter == nullptr) continue;
      if (i > 0) out_ += ", ";
      if (options_.canonical_names) {
        fmt::format_to(std::back_inserter(out_), "p{}", i);
      } else {
        AppendPlainName(parameter->name());
      }
      out_ += ": ";
      out_ += parameter->shape().ToString(/*with_layout=*/false, options_.index_comments);
    }
    out_ += ") -> ";
    if (computation.root())
      out_ += computation.root()->shape().ToString(/*with_layout=*/false, options_.index_comments);
  }

  void AppendOperands(const Instruction& instruction) {
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      if (i > 0) out_ += ", ";
      AppendIndexComment(static_cast<size_t>(i));
      if (options_.operand_shapes) {
        AppendShape(instruction.operand(i)->shape());
        out_ += ' ';
      }
      AppendName(*instruction.operand(i));
    }
  }

  void AppendConstant(const ConstantAttributes& constant) {
    const Literal& literal = constant.literal;
    const bool is_large = !literal.shape().IsArray() || literal.shape().element_count() > 10;
    if (constant.elided || (is_large && !options_.print_large_constants)) {
      out_ += "{...}";
    } else {
      AppendLiteral(out_, literal);
    }
  }

  void AppendFields(const Instruction& instruction) {
    AttributePrinter printer(out_);
    instruction.attributes().VisitFields(printer);
  }

  void AppendCalled(const Instruction& instruction) {
    const auto called = instruction.called_computations();
    if (called.empty()) return;
    // The halves of an async chain share the start's computation, which alone names it.
    if (instruction.opcode() == Opcode::kAsyncUpdate || instruction.opcode() == Opcode::kAsyncDone) {
      const Instruction* before = instruction.operand_count() > 0 ? instruction.operand(0) : nullptr;
      if (before != nullptr && IsAsync(*before) && !before->called_computations().empty() &&
          before->called() == called[0]) {
        return;
      }
    }
    const std::vector<std::string_view> names = CalledComputationNames(instruction);
    if (names.size() == called.size() && names[0] != "branch_computations" &&
        names[0] != "called_computations") {
      for (size_t i = 0; i < called.size(); ++i) {
        out_ += ", ";
        out_ += names[i];
        out_ += '=';
        AppendName(*called[i]);
      }
      return;
    }
    out_ += ", ";
    out_ += names.empty()                                  ? "called_computations"
            : instruction.opcode() == Opcode::kConditional ? "branch_computations"
                                                           : names[0];
    out_ += "={";
    for (size_t i = 0; i < called.size(); ++i) {
      if (i > 0) out_ += ", ";
      AppendName(*called[i]);
    }
    out_ += '}';
  }

  void AppendText(std::string_view name, const std::string& text) {
    if (text.empty()) return;
    out_ += ", ";
    out_ += name;
    out_ += '=';
    out_ += text;
  }

  void AppendAnnotations(const Instruction& instruction) {
    const Annotations& annotations = instruction.annotations();
    AppendText("sharding", annotations.sharding);
    AppendText("frontend_attributes", annotations.frontend_attributes);
    if (!instruction.control_predecessors().empty()) {
      out_ += ", control-predecessors={";
      for (size_t i = 0; i < instruction.control_predecessors().size(); ++i) {
        if (i > 0) out_ += ", ";
        AppendName(*instruction.control_predecessors()[i]);
      }
      out_ += '}';
    }
    AppendText("statistics", annotations.statistics);
    AppendText("parameter_replication", annotations.parameter_replication);
    if (options_.metadata) {
      AppendText("origin", annotations.origin);
      if (!annotations.metadata.empty()) {
        out_ += ", metadata={";
        out_ += annotations.metadata;
        out_ += '}';
      }
    }
    AppendText("backend_config", annotations.backend_config);
  }

  std::string& out_;
  const PrintOptions& options_;
  absl::flat_hash_set<const Computation*> sugared_;
  absl::flat_hash_map<const void*, int64_t> numbers_;
};

}  // namespace

std::string Print(const Module& module, const PrintOptions& options) {
  std::string out;
  Printer(out, options).PrintModule(module);
  return out;
}

std::string Print(const Computation& computation, const PrintOptions& options) {
  std::string out;
  Printer(out, options).PrintComputation(computation, computation.IsEntry());
  return out;
}

std::string Print(const Instruction& instruction, const PrintOptions& options) {
  std::string out;
  Printer(out, options).PrintInstruction(instruction);
  return out;
}

}  // namespace subfloor::hlo
