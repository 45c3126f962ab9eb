// The part of ComputationReader behind an instruction's parentheses: which `name=value` belongs to what, and
// whether all are there. attribute_reader.cc reads the values.

#include <algorithm>
#include <array>
#include <bit>

#include "hlo/attribute_text.h"
#include "hlo/called_attributes.h"
#include "hlo/computation_reader.h"

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

}  // namespace subfloor::hlo
