#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "hlo/lexer.h"
#include "hlo/module.h"
#include "hlo/shape_text.h"

namespace subfloor::hlo {

/// Reads the bodies of computations, `{ instruction* }`, into a module.
///
/// Bodies may stand inside attributes of instructions and instructions inside operand lists; both are kept on
/// explicit stacks, so that nesting costs no machine stack. One reader serves a whole text: it knows the
/// computations read so far by their written names. Errors: false, recorded in the lexer together with the
/// name of the instruction.
class ComputationReader {
 public:
  /// `shapes` is the memory for this text.
  ComputationReader(Lexer& lexer, Module& module, ShapeMemory& shapes)
      : lexer_(lexer), module_(module), shapes_(shapes) {}

  /// Reads `{ ... }` into a new computation called `name`, which later instructions can call by it.
  Computation* ReadBody(std::string_view name);

  /// Reads one instruction that stands for a whole program. Operands with shapes become parameters of a
  /// computation.
  Computation* ReadBareInstruction();

 private:
  // An instruction up to its closing parenthesis.
  struct Call {
    const char* start = nullptr;
    Lexer::LineColumn place = {0, 0};  // of start; asked for in text order, which is what makes it cheap
    std::string_view name;
    bool has_shape = false;
    Shape shape;
    Opcode opcode = Opcode::kAdd;
    std::optional<Opcode> wrapped;  // of `<op>-start`, `<op>-update`, `<op>-done`
    absl::InlinedVector<Instruction*, 4> operands;
    Attributes attributes;
    Attributes wrapped_attributes;
  };

  // A named instruction, whose attributes are being read or about to be.
  struct Pending {
    Call call;
    bool is_root = false;
    uint64_t fields_seen = 0, wrapped_fields_seen = 0;
    uint32_t annotations_seen = 0;
    std::unique_ptr<Annotations> annotations;
    std::vector<Instruction*> control_predecessors;
    absl::InlinedVector<std::pair<int, Computation*>, 2> called;
    // While a list of computations `{a, {...}, b}` is open: the slot of its next element.
    bool in_list = false;
    int next_slot = 0;
  };

  struct Frame {
    Computation* computation = nullptr;
    const char* start = nullptr;
    // Instructions whose written name another computation had taken. All others the module finds by name.
    absl::flat_hash_map<std::string_view, Instruction*, NameHash> renamed;
    Instruction* root = nullptr;
    Instruction* last = nullptr;
    bool has_pending = false;
    bool is_bare = false;
    Pending pending;
  };

  enum class Progress { kDone, kInlineBody, kFailed };

  bool Run();
  bool OpenFrame(std::string_view name);
  bool StartInstruction(Frame& frame);
  bool ReadOpcode(Call& call);
  bool ReadOperands(Frame& frame, Call& outer);
  bool ReadOperand(Frame& frame, Call& call, std::unique_ptr<Call>& inner);
  bool ReadPositional(Call& call);
  /// The instruction written as `name` in this computation so far, or nullptr.
  Instruction* Find(const Frame& frame, std::string_view name) const;
  /// Keeps what `made` was written as. False if the computation already has an instruction of that name.
  bool Remember(Frame& frame, std::string_view written, Instruction* made);
  Instruction* FindOperand(Frame& frame, std::string_view name, const Shape* written, const char* at);
  bool FollowTupleIndices(Frame& frame, Instruction*& value);

  Progress ReadAttributes(Frame& frame);
  Progress ReadCalledList(Pending& pending);
  bool ReadAnnotation(Frame& frame, std::string_view name, bool& found);
  bool FailUnknownAttribute(const Pending& pending, std::string_view name, const char* at);
  bool ReadCalledName(Pending& pending, int slot);

  bool CheckAttributes(const Pending& pending);
  bool FinishInstruction(Frame& frame);
  bool FinishComputation(Frame& frame);
  /// Makes the instruction of a call, or nullptr after an error.
  Instruction* Make(Frame& frame, Call& call, std::span<Computation* const> called, std::string_view name);
  bool SettleAsync(Call& call, absl::InlinedVector<Computation*, 2>& called);
  bool InferMissingShape(Call& call, std::span<Computation* const> called);
  bool ReserveParameter(Frame& frame, const Call& call);

  Lexer& lexer_;
  Module& module_;
  ShapeMemory& shapes_;
  absl::flat_hash_map<std::string_view, Computation*, NameHash> computations_;
  absl::flat_hash_set<const Instruction*> unwritten_;  // instructions whose name does not stand in the text
  std::vector<std::unique_ptr<Frame>> frames_;
  size_t parameter_slots_ = 0;  // of all computations; the text's size bounds them
};

}  // namespace subfloor::hlo
