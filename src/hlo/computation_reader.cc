#include "hlo/computation_reader.h"

#include <algorithm>

#include "base/nearest.h"
#include "hlo/called_attributes.h"
#include "hlo/shape_inference.h"

namespace subfloor::hlo {

// Bodies. ---------------------------------------------------------------------------------------------------

Computation* ComputationReader::ReadBody(std::string_view name) {
  const char* at = lexer_.position();
  if (computations_.contains(name)) {
    lexer_.Fail(at, "a second computation is called `{}`", name);
    return nullptr;
  }
  if (!lexer_.Expect('{') || !OpenFrame(name)) return nullptr;
  Computation* computation = frames_.back()->computation;
  if (!Run()) return nullptr;
  computations_.emplace(name, computation);
  return computation;
}

bool ComputationReader::OpenFrame(std::string_view name) {
  auto& frame = frames_.emplace_back(std::make_unique<Frame>());
  frame->start = lexer_.position();
  frame->computation = module_.AddComputation(name);
  return true;
}

bool ComputationReader::Run() {
  while (!frames_.empty()) {
    Frame& frame = *frames_.back();
    bool ok = true;
    if (frame.has_pending) {
      const Progress progress = ReadAttributes(frame);
      if (progress == Progress::kInlineBody) {
        const CalledAttribute first =
            CalledAttributesOf(frame.pending.call.wrapped.value_or(frame.pending.call.opcode))[0];
        ok = OpenFrame(fmt::format("{}.{}", frame.pending.call.name, first.name));
        if (ok) continue;
      }
      ok = progress == Progress::kDone && FinishInstruction(frame);
    } else if (lexer_.Accept('}')) {
      ok = FinishComputation(frame);
      if (ok) {
        Computation* finished = frame.computation;
        frames_.pop_back();
        if (!frames_.empty()) {
          Pending& caller = frames_.back()->pending;
          caller.called.emplace_back(caller.next_slot++, finished);
        }
        continue;
      }
    } else {
      ok = StartInstruction(frame);
    }
    if (!ok) {
      for (size_t i = frames_.size(); i-- > 0;) {
        if (frames_[i]->pending.call.name.empty()) continue;
        if (lexer_.error().instruction().empty()) lexer_.error().In(frames_[i]->pending.call.name);
        break;
      }
      frames_.clear();
      return false;
    }
  }
  return true;
}

bool ComputationReader::FinishComputation(Frame& frame) {
  Computation& computation = *frame.computation;
  frame.pending.call.name = {};  // an error from here on is about the computation
  if (frame.last == nullptr)
    return lexer_.Fail(frame.start, "computation `{}` has no instruction", computation.name());
  computation.set_root(frame.root ? frame.root : frame.last);
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    if (computation.parameter(i) == nullptr) {
      return lexer_.Fail(frame.start, "computation `{}` has {} parameters but none of number {}",
                         computation.name(), computation.parameter_count(), i);
    }
  }
  return true;
}

Computation* ComputationReader::ReadBareInstruction() {
  OpenFrame("_");
  Frame& frame = *frames_.back();
  Computation* computation = frame.computation;
  frame.is_bare = true;
  // The instruction's end is the text's: bodies inside its attributes go through Run, so this frame is closed
  // by hand.
  Call& call = frame.pending.call;
  bool ok = true;
  const char* start = lexer_.position();
  lexer_.AcceptWord("ROOT");
  std::string_view name;
  if (!AtShape(lexer_) && (lexer_.Peek() == '%' || !lexer_.PeekIdentifier().empty())) {
    ok = lexer_.ReadName(name, "an instruction") && lexer_.Accept('=');
    if (!ok && !lexer_.failed()) {
      lexer_.Rewind(start);
      name = {};
      ok = true;
    }
  }
  call.start = start;
  call.place = lexer_.PlaceOf(start);
  if (ok && AtShape(lexer_)) {
    call.has_shape = true;
    ok = shapes_.Read(lexer_, call.shape);
  }
  ok = ok && ReadOpcode(call);
  if (ok) {
    call.name = name.empty() ? ToString(call.opcode) : name;
    frame.has_pending = true;
    ok = ReadOperands(frame, call);
  }
  while (ok && frame.has_pending) {
    const Progress progress = ReadAttributes(frame);
    if (progress == Progress::kInlineBody) {
      // Run to the end of the inline body only: it stops when this frame is the last.
      std::vector<std::unique_ptr<Frame>> outer;
      outer.swap(frames_);
      OpenFrame(fmt::format("{}.body", call.name));
      Computation* body = frames_.back()->computation;
      ok = Run();
      outer.swap(frames_);
      if (ok) frame.pending.called.emplace_back(frame.pending.next_slot++, body);
      continue;
    }
    ok = progress == Progress::kDone && FinishInstruction(frame);
  }
  if (ok && !lexer_.AtEnd()) ok = lexer_.FailWanted("the end of the instruction");
  if (!ok && lexer_.error().instruction().empty()) lexer_.error().In(call.name);
  ok = ok && FinishComputation(frame);
  frames_.clear();
  return ok ? computation : nullptr;
}

// An instruction up to its closing parenthesis. -------------------------------------------------------------

bool ComputationReader::StartInstruction(Frame& frame) {
  Pending& pending = frame.pending;
  Call& call = pending.call;
  call.name = {};
  call.start = lexer_.position();
  pending.is_root = lexer_.AcceptWord("ROOT");
  std::string_view name;
  const char* name_start = lexer_.position();
  if (!lexer_.ReadName(name, pending.is_root ? "an instruction" : "an instruction or `}`")) return false;
  call.start = name_start;
  call.place = lexer_.PlaceOf(name_start);
  call.name = name;
  if (pending.is_root && frame.root != nullptr) {
    return lexer_.Fail(name_start, "a second ROOT; the first is %{}", frame.root->name());
  }
  if (!lexer_.Expect('=')) return false;
  call.has_shape = AtShape(lexer_);
  if (call.has_shape && !shapes_.Read(lexer_, call.shape)) return false;
  call.operands.clear();
  if (!ReadOpcode(call) || !ReadOperands(frame, call)) return false;
  pending.fields_seen = pending.wrapped_fields_seen = 0;
  pending.annotations_seen = 0;
  pending.control_predecessors.clear();
  pending.called.clear();
  pending.in_list = false;
  pending.next_slot = 0;
  frame.has_pending = true;
  return true;
}

bool ComputationReader::ReadOpcode(Call& call) {
  const char* at = lexer_.position();
  std::string_view word;
  if (!lexer_.ReadIdentifier(word, call.has_shape ? "an opcode" : "a shape or an opcode")) return false;
  call.wrapped.reset();
  if (const std::optional<Opcode> opcode = OpcodeFromString(word)) {
    call.opcode = *opcode;
  } else {
    constexpr std::pair<std::string_view, Opcode> kHalves[] = {
        {"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};
    for (const auto& [suffix, half] : kHalves) {
      if (!word.ends_with(suffix)) continue;
      call.wrapped = OpcodeFromString(word.substr(0, word.size() - suffix.size()));
      call.opcode = half;
    }
    if (!call.wrapped && ElementTypeFromString(word)) {
      return lexer_.Fail(
          at, "found `{}`, wanted a shape or an opcode; a shape has its dimensions in brackets: {}[]", word,
          word);
    }
    if (!call.wrapped) {
      static constexpr std::array kNames = {
#define X(enumerator, text, arity, attributes) std::string_view(text),
          SUBFLOOR_OPCODES(X)
#undef X
      };
      const std::string_view nearest = Nearest(word, kNames);
      return lexer_.Fail(at, "no opcode is called `{}`{}{}{}", word,
                         nearest.empty() ? "" : "; the nearest is `", nearest, nearest.empty() ? "" : "`");
    }
    call.wrapped_attributes = DefaultAttributes(*call.wrapped);
  }
  call.attributes = DefaultAttributes(call.opcode);
  return lexer_.Expect('(');
}

// Making instructions. --------------------------------------------------------------------------------------

bool ComputationReader::FinishInstruction(Frame& frame) {
  Pending& pending = frame.pending;
  Call& call = pending.call;
  if (!CheckAttributes(pending)) return false;
  std::ranges::sort(pending.called, {}, &std::pair<int, Computation*>::first);
  absl::InlinedVector<Computation*, 2> called;
  for (const auto& [slot, computation] : pending.called) called.push_back(computation);
  if ((call.opcode == Opcode::kAsyncStart || call.opcode == Opcode::kAsyncUpdate ||
       call.opcode == Opcode::kAsyncDone) &&
      !SettleAsync(call, called)) {
    return false;
  }
  Instruction* made = Make(frame, call, called, call.name);
  if (made == nullptr) return false;
  if (!Remember(frame, call.name, made)) {
    return lexer_.Fail(call.start, "a second instruction is called %{} in computation `{}`", call.name,
                       frame.computation->name());
  }
  for (Instruction* before : pending.control_predecessors) before->AddControlSuccessor(made);
  if (pending.annotations) made->mutable_annotations() = std::move(*pending.annotations);
  pending.annotations.reset();
  if (pending.is_root) frame.root = made;
  frame.last = made;
  frame.has_pending = false;
  return true;
}

Instruction* ComputationReader::Make(Frame& frame, Call& call, std::span<Computation* const> called,
                                     std::string_view name) {
  const auto operand_count = static_cast<int>(call.operands.size());
  if (const std::optional<int> arity = ArityOf(call.opcode); arity && *arity != operand_count) {
    lexer_.Fail(call.start, "{} with {} operand{}, wanted {}", ToString(call.opcode), operand_count,
                operand_count == 1 ? "" : "s", *arity);
    return nullptr;
  }
  if (!call.has_shape && !InferMissingShape(call, called)) return nullptr;
  if (call.opcode == Opcode::kParameter && !ReserveParameter(frame, call)) return nullptr;
  Instruction* made = frame.computation->Add(call.opcode, call.shape, call.operands,
                                             std::move(call.attributes), called, name);
  made->set_position(call.place.line, call.place.column);
  return made;
}

bool ComputationReader::InferMissingShape(Call& call, std::span<Computation* const> called) {
  if (call.opcode == Opcode::kAsyncStart || call.opcode == Opcode::kAsyncUpdate ||
      call.opcode == Opcode::kAsyncDone) {
    return lexer_.Fail(call.start, "{} must have its shape written", ToString(call.opcode));
  }
  absl::InlinedVector<const Shape*, 4> shapes;
  for (const Instruction* operand : call.operands) shapes.push_back(&operand->shape());
  Result<Shape> shape = InferShape(call.opcode, shapes, call.attributes, called);
  if (!shape) return lexer_.FailWith(std::move(shape).error(), call.start);
  call.shape = *std::move(shape);
  return true;
}

bool ComputationReader::ReserveParameter(Frame& frame, const Call& call) {
  const int64_t number = call.attributes.Get<ParameterAttributes>().number;
  const int64_t count = frame.computation->parameter_count();
  if (number < count) {
    if (frame.computation->parameter(number) == nullptr) return true;
    return lexer_.Fail(call.start, "a second parameter {} in computation `{}`", number,
                       frame.computation->name());
  }
  // Each parameter takes text, so numbers can't outgrow it; this keeps a short text from asking for a long
  // list.
  parameter_slots_ += static_cast<size_t>(number - count) + 1;
  if (static_cast<uint64_t>(number) < lexer_.size() && parameter_slots_ <= lexer_.size()) return true;
  return lexer_.Fail(call.start, "parameter number {} leaves a gap; they count from 0 without one", number);
}

bool ComputationReader::SettleAsync(Call& call, absl::InlinedVector<Computation*, 2>& called) {
  if (call.opcode != Opcode::kAsyncStart) {
    // An update or done runs what its start runs.
    Computation* body = nullptr;
    if (!call.operands.empty()) {
      const Instruction* before = call.operands[0];
      const bool in_chain =
          before->opcode() == Opcode::kAsyncStart || before->opcode() == Opcode::kAsyncUpdate;
      if (in_chain && !before->called_computations().empty()) body = before->called();
    }
    if (call.wrapped) {
      const std::string_view half = call.opcode == Opcode::kAsyncDone ? "done" : "update";
      if (body == nullptr || body->root()->opcode() != *call.wrapped) {
        return lexer_.Fail(call.start,
                           "{}-{} wants the result of a {}-start or {}-update as its first operand",
                           ToString(*call.wrapped), half, ToString(*call.wrapped), ToString(*call.wrapped));
      }
      called.clear();
    }
    if (called.empty() && body != nullptr) called.push_back(body);
    return true;
  }
  if (!call.wrapped) return true;
  if (!call.has_shape || !call.shape.IsTuple() || call.shape.tuple_size() < 2) {
    return lexer_.Fail(call.start, "{}-start wants a shape ((operands), result, ...)",
                       ToString(*call.wrapped));
  }
  Computation* body = module_.AddComputation(fmt::format("{}.body", call.name));
  std::vector<Instruction*> parameters;
  for (const Instruction* operand : call.operands) {
    const auto number = static_cast<int64_t>(parameters.size());
    parameters.push_back(
        body->AddParameter(number, operand->shape(), fmt::format("{}.p{}", call.name, number)));
  }
  if (const std::optional<int> arity = ArityOf(*call.wrapped);
      arity && *arity != static_cast<int>(parameters.size())) {
    return lexer_.Fail(call.start, "{}-start with {} operands, wanted {}", ToString(*call.wrapped),
                       parameters.size(), *arity);
  }
  if (*call.wrapped == Opcode::kParameter || *call.wrapped == Opcode::kConstant) {
    return lexer_.Fail(call.start, "{} can't be started", ToString(*call.wrapped));
  }
  Instruction* root =
      body->Add(*call.wrapped, call.shape.tuple_shape(1), parameters, std::move(call.wrapped_attributes),
                called, fmt::format("{}.wrapped", call.name));
  root->set_position(call.place.line, call.place.column);
  body->set_root(root);
  body->set_execution_thread(call.attributes.Get<AsyncAttributes>().execution_thread.text);
  called.assign(1, body);
  return true;
}

}  // namespace subfloor::hlo
