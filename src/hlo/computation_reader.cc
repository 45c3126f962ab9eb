#include "hlo/computation_reader.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "hlo/attribute_text.h"
#include "hlo/called_attributes.h"
#include "hlo/literal_text.h"
#include "hlo/shape_inference.h"
#include "hlo/shape_text.h"

namespace subfloor::hlo {
namespace {

constexpr std::array<std::string_view, 8> kAnnotationNames = {
    "metadata", "sharding",   "frontend_attributes",  "backend_config", "control-predecessors",
    "origin",   "statistics", "parameter_replication"};

// Attributes that the text of an instruction may leave out although they are always printed.
bool MayBeOmitted(Opcode opcode, std::string_view field) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kMap:
      return field == "dimensions";
    case Opcode::kTopK:
      return field == "largest";
    case Opcode::kScan:
      return field == "num_carries";
    case Opcode::kTriangularSolve:
      return field == "transpose_a";
    default:
      return field == "window";
  }
}

AttributeNames NamesOf(Opcode opcode) {
  Attributes attributes = DefaultAttributes(opcode);
  AttributeNames names;
  attributes.VisitFields(names);
  return names;
}

// One bit for each field, in the order of the Visit list, that text must give.
uint64_t RequiredFields(Opcode opcode) {
  static const auto kTable = [] {
    std::array<uint64_t, kOpcodeCount> table = {};
    for (int i = 0; i < kOpcodeCount; ++i) {
      const auto op = static_cast<Opcode>(i);
      const AttributeNames names = NamesOf(op);
      for (size_t k = 0; k < names.fields().size(); ++k) {
        if (names.fields()[k].required && !MayBeOmitted(op, names.fields()[k].name)) {
          table[static_cast<size_t>(i)] |= uint64_t{1} << k;
        }
      }
    }
    return table;
  }();
  return kTable[static_cast<size_t>(opcode)];
}

std::string_view WithoutBraces(std::string_view text) {
  text = text.substr(1, text.size() - 2);
  while (!text.empty() && static_cast<uint8_t>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<uint8_t>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

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
      Instruction* made = Make(frame, *call, {}, fmt::format("{}.anon", ToString(call->opcode)));
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

// Attributes. -----------------------------------------------------------------------------------------------

ComputationReader::Progress ComputationReader::ReadAttributes(Frame& frame) {
  Pending& pending = frame.pending;
  Call& call = pending.call;
  const auto progress = [](bool ok) { return ok ? Progress::kDone : Progress::kFailed; };
  while (true) {
    if (pending.in_list) {
      const Progress list = ReadCalledList(pending);
      if (list != Progress::kDone) return list;
    }
    if (!lexer_.Accept(',')) return Progress::kDone;
    const char* at = lexer_.position();
    std::string_view name;
    if (!lexer_.ReadIdentifier(name, "an attribute")) return Progress::kFailed;
    if (!lexer_.Expect('=')) return Progress::kFailed;

    bool found = false;
    if (!ReadAnnotation(frame, name, found)) return Progress::kFailed;
    if (found) continue;

    AttributeReader reader(lexer_, name, pending.fields_seen);
    call.attributes.VisitFields(reader);
    if (lexer_.failed()) return Progress::kFailed;
    if (reader.found()) continue;
    if (call.wrapped) {
      AttributeReader wrapped_reader(lexer_, name, pending.wrapped_fields_seen);
      call.wrapped_attributes.VisitFields(wrapped_reader);
      if (lexer_.failed()) return Progress::kFailed;
      if (wrapped_reader.found()) continue;
    }

    for (const CalledAttribute& attribute : CalledAttributesOf(call.wrapped.value_or(call.opcode))) {
      if (attribute.name != name) continue;
      found = true;
      const bool twice = std::ranges::any_of(pending.called, [&](const auto& entry) {
        return entry.first == attribute.slot || attribute.is_list;
      });
      if (twice) return progress(lexer_.Fail(at, "the computations of `{}` are given twice", name));
      pending.next_slot = attribute.slot;
      if (attribute.is_list) {
        if (!lexer_.Expect('{')) return Progress::kFailed;
        pending.in_list = !lexer_.Accept('}');
      } else if (lexer_.Accept('{')) {
        return Progress::kInlineBody;
      } else if (!ReadCalledName(pending, attribute.slot)) {
        return Progress::kFailed;
      }
      break;
    }
    if (!found) return progress(FailUnknownAttribute(pending, name, at));
  }
}

// The elements of `{a, {...}, b}`, with the cursor at one or behind one that was inline.
ComputationReader::Progress ComputationReader::ReadCalledList(Pending& pending) {
  while (true) {
    // Behind an element: `,` goes on, `}` ends. Before the first, next_slot is still 0.
    if (pending.next_slot > 0) {
      if (lexer_.Accept('}')) break;
      if (!lexer_.Expect(',')) return Progress::kFailed;
    }
    if (lexer_.Accept('{')) return Progress::kInlineBody;
    if (!ReadCalledName(pending, pending.next_slot)) return Progress::kFailed;
    ++pending.next_slot;
  }
  pending.in_list = false;
  return Progress::kDone;
}

bool ComputationReader::ReadCalledName(Pending& pending, int slot) {
  const char* at = lexer_.position();
  std::string_view name;
  if (!lexer_.ReadName(name, "a computation")) return false;
  auto it = computations_.find(name);
  if (it == computations_.end())
    return lexer_.Fail(at, "no computation before this one is called `{}`", name);
  pending.called.emplace_back(slot, it->second);
  return true;
}

bool ComputationReader::ReadAnnotation(Frame& frame, std::string_view name, bool& found) {
  const auto place = std::ranges::find(kAnnotationNames, name);
  if (place == kAnnotationNames.end()) return true;
  found = true;
  Pending& pending = frame.pending;
  const auto index = static_cast<uint32_t>(place - kAnnotationNames.begin());
  if (pending.annotations_seen >> index & 1) {
    return lexer_.Fail(lexer_.position(), "attribute `{}` is given twice", name);
  }
  pending.annotations_seen |= 1u << index;
  if (name == "control-predecessors") {
    if (!lexer_.Expect('{')) return false;
    if (lexer_.Accept('}')) return true;
    do {
      const char* at = lexer_.position();
      std::string_view before;
      if (!lexer_.ReadName(before, "an instruction")) return false;
      Instruction* found = Find(frame, before);
      if (found == nullptr) {
        return lexer_.Fail(at, "no instruction before this one in computation `{}` is called %{}",
                           frame.computation->name(), before);
      }
      pending.control_predecessors.push_back(found);
    } while (lexer_.Accept(','));
    return lexer_.Expect('}');
  }
  if (!pending.annotations) pending.annotations = std::make_unique<Annotations>();
  Annotations& annotations = *pending.annotations;
  std::string_view value;
  switch (index) {
    case 0:
      if (!lexer_.ReadBalanced(value)) return false;
      annotations.metadata = WithoutBraces(value);
      return true;
    case 3:
      if (lexer_.Peek() != '{' && lexer_.Peek() != '"' && lexer_.Peek() != '\'') {
        return lexer_.FailWanted("a quoted string or `{`");
      }
      if (!lexer_.ReadRawValue(value, "a value")) return false;
      annotations.backend_config = value;
      return true;
    default:
      break;
  }
  if (!lexer_.ReadBalanced(value)) return false;
  if (name == "sharding") annotations.sharding = value;
  if (name == "frontend_attributes") annotations.frontend_attributes = value;
  if (name == "origin") annotations.origin = value;
  if (name == "statistics") annotations.statistics = value;
  if (name == "parameter_replication") annotations.parameter_replication = value;
  return true;
}

bool ComputationReader::FailUnknownAttribute(const Pending& pending, std::string_view name, const char* at) {
  std::vector<std::string_view> allowed;
  const auto add = [&](Opcode opcode) {
    const AttributeNames names = NamesOf(opcode);
    for (const auto& field : names.fields()) allowed.push_back(field.name);
    for (const CalledAttribute& attribute : CalledAttributesOf(opcode)) allowed.push_back(attribute.name);
  };
  const Call& call = pending.call;
  if (call.wrapped) add(*call.wrapped);
  add(call.opcode);
  allowed.insert(allowed.end(), kAnnotationNames.begin(), kAnnotationNames.end());
  return lexer_.Fail(at, "{} has no attribute `{}`; it takes {}",
                     ToString(call.wrapped.value_or(call.opcode)), name, fmt::join(allowed, ", "));
}

// Making instructions. --------------------------------------------------------------------------------------

bool ComputationReader::CheckAttributes(const Pending& pending) {
  const Call& call = pending.call;
  // The wrapped operation's own attributes stand with its start only.
  const Opcode opcode = call.wrapped && call.opcode == Opcode::kAsyncStart ? *call.wrapped : call.opcode;
  const uint64_t seen = call.wrapped ? pending.wrapped_fields_seen : pending.fields_seen;
  if (const uint64_t missing = RequiredFields(opcode) & ~seen; missing != 0) {
    const AttributeNames names = NamesOf(opcode);
    return lexer_.Fail(call.start, "{} wants attribute `{}`", ToString(opcode),
                       names.fields()[static_cast<size_t>(std::countr_zero(missing))].name);
  }
  const auto called = static_cast<int>(pending.called.size());
  if (called < LeastCalled(opcode)) {
    std::vector<std::string_view> names;
    for (const CalledAttribute& attribute : CalledAttributesOf(opcode)) names.push_back(attribute.name);
    return lexer_.Fail(call.start, "{} wants {} called computation{}, found {}; they are given by {}",
                       ToString(opcode), LeastCalled(opcode), LeastCalled(opcode) == 1 ? "" : "s", called,
                       fmt::join(names, ", "));
  }
  // true_computation and false_computation come together.
  for (int slot = 0; slot < called; ++slot) {
    if (std::ranges::find(pending.called, slot, &std::pair<int, Computation*>::first) ==
        pending.called.end()) {
      return lexer_.Fail(call.start, "{} wants `{}`", ToString(opcode),
                         CalledAttributesOf(opcode)[static_cast<size_t>(slot)].name);
    }
  }
  if (opcode == Opcode::kConditional && called == 1 && !call.operands.empty() &&
      call.operands[0]->shape().element_type() == ElementType::kPred) {
    return lexer_.Fail(call.start, "conditional on a pred wants two branches, found 1");
  }
  return true;
}

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
