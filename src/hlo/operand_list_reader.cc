// The part of ComputationReader between an instruction's parentheses: operands by name, with or without their
// shapes, instructions in place of names, elements of tuples, a parameter's number, a constant's value.

#include "hlo/computation_reader.h"
#include "hlo/literal_text.h"

namespace subfloor::hlo {

bool ComputationReader::ReadPositional(Call& call) {
  const char* at = lexer_.position();
  if (call.opcode == Opcode::kParameter) {
    int64_t& number = call.attributes.Get<ParameterAttributes>().number;
    if (!lexer_.ReadInteger(number, "a parameter number")) return false;
    return number >= 0 || lexer_.Fail(at, "parameter number {}; they count from 0", number);
  }
  auto& constant = call.attributes.Get<ConstantAttributes>();
  if (!call.has_shape) return lexer_.Fail(call.start, "constant must have its shape written");
  return ReadLiteral(lexer_, call.shape, constant.literal, constant.elided);
}

bool ComputationReader::ReadOperands(Frame& frame, Call& outer) {
  // Instructions nested in operand lists; the innermost last.
  std::vector<std::unique_ptr<Call>> nested;
  Call* call = &outer;
  while (true) {
    if (call->opcode == Opcode::kParameter || call->opcode == Opcode::kConstant) {
      if (!ReadPositional(*call)) return false;
    } else if (lexer_.Peek() != ')') {
      std::unique_ptr<Call> inner;
      if (!ReadOperand(frame, *call, inner)) return false;
      if (inner) {
        call = nested.emplace_back(std::move(inner)).get();
        continue;
      }
      if (lexer_.Accept(',')) {
        if (lexer_.Peek() == ')') return lexer_.FailWanted("an operand");
        continue;
      }
    }
    // Close every call that ends here.
    while (true) {
      if (lexer_.Peek() != ')') return lexer_.FailWanted("`,` or `)`");
      lexer_.Accept(')');
      if (call == &outer) return true;
      // It has no attributes; what cannot do without is refused here as anywhere.
      Pending alone;
      alone.call = std::move(*call);
      if (!CheckAttributes(alone)) return false;
      Instruction* made = Make(frame, alone.call, {}, fmt::format("{}.anon", ToString(alone.call.opcode)));
      if (made == nullptr) return false;
      unwritten_.insert(made);
      nested.pop_back();
      call = nested.empty() ? &outer : nested.back().get();
      call->operands.push_back(made);
      if (!lexer_.Accept(',')) continue;
      if (lexer_.Peek() == ')') return lexer_.FailWanted("an operand");
      break;
    }
  }
}

bool ComputationReader::ReadOperand(Frame& frame, Call& call, std::unique_ptr<Call>& inner) {
  const char* start = lexer_.position();
  Shape written;
  const bool has_shape = AtShape(lexer_);
  if (has_shape && !shapes_.Read(lexer_, written)) return false;
  const char* at = lexer_.position();
  std::string_view name;
  if (!lexer_.ReadName(name, "an operand")) return false;
  if (lexer_.Peek() == '(') {
    // An instruction in place; it has no name and no attributes.
    lexer_.Rewind(at);
    inner = std::make_unique<Call>();
    inner->start = start;
    inner->place = lexer_.PlaceOf(start);
    inner->has_shape = has_shape;
    inner->shape = std::move(written);
    return ReadOpcode(*inner);
  }
  Instruction* value = FindOperand(frame, name, has_shape ? &written : nullptr, at);
  if (value == nullptr) return false;
  if (lexer_.Peek() == '#' && !FollowTupleIndices(frame, value)) return false;
  if (has_shape && !written.Compatible(value->shape())) {
    return lexer_.Fail(start, "operand %{} is written as {}, but is {}", name, written.ToString(false),
                       value->shape().ToString(false));
  }
  call.operands.push_back(value);
  return true;
}

Instruction* ComputationReader::Find(const Frame& frame, std::string_view name) const {
  if (!frame.renamed.empty()) {
    if (const auto it = frame.renamed.find(name); it != frame.renamed.end()) return it->second;
  }
  Instruction* found = module_.FindInstruction(name);
  if (found == nullptr || found->parent() != frame.computation) return nullptr;
  return !unwritten_.empty() && unwritten_.contains(found) ? nullptr : found;
}

bool ComputationReader::Remember(Frame& frame, std::string_view written, Instruction* made) {
  if (made->name() == written) return true;
  if (Find(frame, written) != nullptr) return false;
  frame.renamed.emplace(written, made);
  unwritten_.insert(made);
  return true;
}

Instruction* ComputationReader::FindOperand(Frame& frame, std::string_view name, const Shape* written,
                                            const char* at) {
  if (Instruction* found = Find(frame, name)) return found;
  if (frame.is_bare && written != nullptr) {
    Instruction* parameter =
        frame.computation->AddParameter(frame.computation->parameter_count(), *written, name);
    Remember(frame, name, parameter);
    return parameter;
  }
  if (frame.is_bare) {
    lexer_.Fail(at, "operand %{} has no shape; an instruction alone must have its operands' shapes written",
                name);
  } else {
    lexer_.Fail(at, "no instruction before this one in computation `{}` is called %{}",
                frame.computation->name(), name);
  }
  return nullptr;
}

// `name#1#0`: element 0 of element 1.
bool ComputationReader::FollowTupleIndices(Frame& frame, Instruction*& value) {
  while (lexer_.Peek() == '#') {
    const char* at = lexer_.position();
    int64_t index = 0;
    lexer_.Accept('#');
    if (!lexer_.ReadInteger(index, "an index into a tuple")) return false;
    const Shape& shape = value->shape();
    if (!shape.IsTuple() || index < 0 || index >= shape.tuple_size()) {
      return lexer_.Fail(at, "#{} of %{}, which is {}", index, value->name(), shape.ToString(false));
    }
    const auto place = lexer_.PlaceOf(at);
    const Shape element = shape.tuple_shape(index);
    value =
        frame.computation->Add(Opcode::kGetTupleElement, element, {value}, GetTupleElementAttributes{index});
    value->set_position(place.line, place.column);
    unwritten_.insert(value);
  }
  return true;
}

}  // namespace subfloor::hlo
