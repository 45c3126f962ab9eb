#include "passes/simplify/merge_equal.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/fingerprint.h"
#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

// Hashes the attributes that tell apart instructions which otherwise look alike. What it leaves out, equality
// decides.
struct AttributeHash {
  uint64_t hash = 0;

  void Field(int64_t value) { hash = Mix(hash, static_cast<uint64_t>(value)); }
  void Field(const hlo::IntList& values) {
    for (const int64_t value : values) Field(value);
    Field(static_cast<int64_t>(values.size()));
  }
  void Field(const hlo::SliceRanges& ranges) {
    for (const hlo::SliceDimension& d : ranges) Field(d.start), Field(d.limit), Field(d.stride);
  }
  void Field(const hlo::Padding& padding) {
    for (const hlo::PaddingDimension& d : padding) Field(d.low), Field(d.high), Field(d.interior);
  }
  template <typename T>
    requires std::is_enum_v<T>
  void Field(T value) {
    Field(static_cast<int64_t>(value));
  }
  template <typename T>
    requires(!std::is_enum_v<T>)
  void Field(const T&) {}

  template <typename T>
  void operator()(std::string_view, T& field) {
    Field(field);
  }
  template <typename T, typename D>
  void Optional(std::string_view, T& field, D&&) {
    Field(field);
  }
  template <typename T>
  void Positional(T& field) {
    Field(field);
  }
  void Positional(hlo::ConstantAttributes& constant) {
    Field(constant.elided);
    // The first and last bytes tell nearly all constants apart.
    const auto bytes = constant.literal.bytes();
    const size_t step = std::max<size_t>(1, bytes.size() / 512);
    for (size_t i = 0; i < bytes.size(); i += step) hash = Mix(hash, static_cast<uint64_t>(bytes[i]));
  }
  template <typename T>
  void LayoutConstraints(std::string_view, T&, bool&) {}
};

uint64_t HashOf(const Instruction* instruction) {
  AttributeHash visitor;
  instruction->attributes().VisitFields(visitor);
  uint64_t hash = Mix(visitor.hash, static_cast<uint64_t>(instruction->opcode()));
  hash = Mix(hash, static_cast<uint64_t>(instruction->shape().element_type()));
  if (instruction->shape().IsArray()) {
    for (const int64_t size : instruction->shape().dimensions())
      hash = Mix(hash, static_cast<uint64_t>(size));
  }
  return hash;
}

// The same computation, or for control flow, where each instruction owns what it calls, one that does the
// same.
bool SameCallees(const Instruction* a, const Instruction* b) {
  const bool owns =
      a->opcode() == Opcode::kWhile || a->opcode() == Opcode::kConditional || a->opcode() == Opcode::kCall;
  return std::ranges::equal(a->called_computations(), b->called_computations(),
                            [&](const Computation* x, const Computation* y) {
                              return x == y || (owns && x->instruction_count() == y->instruction_count() &&
                                                hlo::FingerprintOf(*x) == hlo::FingerprintOf(*y));
                            });
}

// But for what they call.
bool SameOperation(const Instruction* a, const Instruction* b) {
  return a->opcode() == b->opcode() && a->shape() == b->shape() && a->attributes() == b->attributes() &&
         a->annotations().backend_config == b->annotations().backend_config;
}

bool MayMerge(const Instruction* instruction) {
  if (instruction->IsParameter() || HasControlEdges(instruction)) return false;
  switch (instruction->opcode()) {
    case Opcode::kCustomCall:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kDomain:
      return false;
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
      return !instruction->HasSideEffect();
    default:
      return !hlo::HasSideEffect(instruction->opcode());
  }
}

struct Key {
  const Instruction* instruction;
  uint64_t hash;
};
struct KeyHash {
  size_t operator()(const Key& key) const { return key.hash; }
};
struct KeyEqual {
  bool operator()(const Key& a, const Key& b) const {
    if (a.hash != b.hash || a.instruction->operand_count() != b.instruction->operand_count()) return false;
    for (int64_t i = 0; i < a.instruction->operand_count(); ++i) {
      if (a.instruction->operand(i) != b.instruction->operand(i)) return false;
    }
    return SameOperation(a.instruction, b.instruction) && SameCallees(a.instruction, b.instruction);
  }
};

bool MergeIn(Computation& computation) {
  bool changed = false;
  absl::flat_hash_set<Key, KeyHash, KeyEqual> seen;
  for (Instruction* instruction : computation.MakePostOrder()) {
    if (!MayMerge(instruction)) continue;
    uint64_t hash = HashOf(instruction);
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      hash = Mix(hash, static_cast<uint64_t>(instruction->operand(i)->id()));
    }
    const auto [it, fresh] = seen.insert({instruction, hash});
    if (fresh) continue;
    instruction->ReplaceAllUsesWith(const_cast<Instruction*>(it->instruction));
    computation.Remove(instruction);
    changed = true;
  }
  return changed;
}

// Small computations only: reducers and comparators, which come by the dozen.
constexpr int64_t kMaxComparedInstructions = 24;

// Equal instruction by instruction in post order, operands by position. Callees must be the same ones: with
// loops in loops, comparing what is inside for each pair would cost the cube of the depth.
bool SameStructure(const Computation& a, const Computation& b) {
  if (a.instruction_count() != b.instruction_count() || a.parameter_count() != b.parameter_count() ||
      a.execution_thread() != b.execution_thread()) {
    return false;
  }
  const auto order_a = a.MakePostOrder(), order_b = b.MakePostOrder();
  absl::flat_hash_map<const Instruction*, size_t> place_a, place_b;
  for (size_t i = 0; i < order_a.size(); ++i) {
    const Instruction *x = order_a[i], *y = order_b[i];
    if (!SameOperation(x, y) || !std::ranges::equal(x->called_computations(), y->called_computations()) ||
        HasControlEdges(x) || HasControlEdges(y) || x->operand_count() != y->operand_count()) {
      return false;
    }
    for (int64_t k = 0; k < x->operand_count(); ++k) {
      if (place_a[x->operand(k)] != place_b[y->operand(k)]) return false;
    }
    place_a[x] = i;
    place_b[y] = i;
  }
  return place_a[a.root()] == place_b[b.root()];
}

bool MergeSmallComputations(hlo::Module& module) {
  absl::flat_hash_map<uint64_t, std::vector<Computation*>> by_hash;
  absl::flat_hash_map<const Computation*, Computation*> merged;
  for (Computation* computation : module.MakePostOrder()) {
    for (Instruction* instruction : computation->instructions()) {
      switch (instruction->opcode()) {  // these own what they call
        case Opcode::kWhile:
        case Opcode::kConditional:
        case Opcode::kFusion:
        case Opcode::kCall:
        case Opcode::kCustomCall:
        case Opcode::kAsyncStart:
        case Opcode::kAsyncUpdate:
        case Opcode::kAsyncDone:
          continue;
        default:
          break;
      }
      for (int64_t i = 0; i < static_cast<int64_t>(instruction->called_computations().size()); ++i) {
        if (auto it = merged.find(instruction->called(i)); it != merged.end())
          instruction->set_called(i, it->second);
      }
    }
    if (computation->IsEntry() || computation->instruction_count() > kMaxComparedInstructions) continue;
    uint64_t hash = 0;
    for (const Instruction* instruction : computation->MakePostOrder()) hash = Mix(hash, HashOf(instruction));
    std::vector<Computation*>& candidates = by_hash[hash];
    const auto equal = std::ranges::find_if(
        candidates, [&](Computation* other) { return SameStructure(*other, *computation); });
    if (equal == candidates.end())
      candidates.push_back(computation);
    else
      merged[computation] = *equal;
  }
  return !merged.empty() && module.RemoveUnusedComputations() > 0;
}

}  // namespace

Result<bool> MergeEqualInstructions(hlo::Module& module, PassContext&) {
  bool changed = MergeSmallComputations(module);
  for (Computation* computation : module.MakePostOrder()) changed |= MergeIn(*computation);
  return changed;
}

}  // namespace subfloor::passes
