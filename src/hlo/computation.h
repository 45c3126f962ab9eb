#pragma once

#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "hlo/instruction.h"

namespace subfloor::hlo {

class Module;

/// A graph of instructions with numbered parameters and one root. Owned by its Module.
class Computation {
 public:
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  const std::string& name() const { return name_; }
  Module* parent() const { return parent_; }
  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  bool IsEntry() const;

  /// Parameters by number.
  std::span<Instruction* const> parameters() const { return parameters_; }
  Instruction* parameter(int64_t i) const { return parameters_[static_cast<size_t>(i)]; }
  int64_t parameter_count() const { return static_cast<int64_t>(parameters_.size()); }

  /// The instructions in order of insertion. Adding or removing invalidates the view: passes take
  /// MakePostOrder().
  auto instructions() const {
    return instructions_ | std::views::filter([](const auto& p) { return p != nullptr; }) |
           std::views::transform([](const auto& p) -> Instruction* { return p.get(); });
  }
  int64_t instruction_count() const { return live_; }
  /// Every instruction, operands and control predecessors before users; those the root does not reach
  /// included. Deterministic. If the module is scheduled this is the schedule.
  std::vector<Instruction*> MakePostOrder() const;

  /// Makes an instruction. The name is made unique; empty means named after the opcode. Attributes must be
  /// the alternative that the opcode carries; default-made ones if left out. No shape check: see builder.h
  /// for that.
  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   Attributes attributes, std::span<Computation* const> called = {},
                   std::string_view name = {});
  Instruction* Add(Opcode opcode, const Shape& shape, std::initializer_list<Instruction*> operands,
                   std::optional<Attributes> attributes = std::nullopt,
                   std::initializer_list<Computation*> called = {}, std::string_view name = {});
  Instruction* AddParameter(int64_t number, const Shape& shape, std::string_view name = {});
  Instruction* AddConstant(Literal literal, std::string_view name = {});
  /// A copy of `original` (of any module) with the given shape and operands; called computations are shared,
  /// annotations and attributes copied, control edges not.
  Instruction* AddClone(const Instruction& original, const Shape& shape,
                        std::span<Instruction* const> operands, std::string_view name = {});

  /// Removes an instruction without uses that is not the root; its control edges go with it. A removed
  /// parameter leaves its number empty until RenumberParameters.
  void Remove(Instruction* instruction);
  /// Removes it, then every operand that has lost its last use and has no side effect, and so on. Parameters
  /// stay. Returns how many went.
  int64_t RemoveWithUnusedOperands(Instruction* instruction);
  /// `old` is replaced everywhere by `value` and removed (with operands left unused). Keeps the name if
  /// `value` was unnamed.
  void Replace(Instruction* old, Instruction* value);
  /// Drops parameters without uses that `unused` marks and renumbers the rest; callers must be changed to
  /// match.
  void RemoveParameter(int64_t number);

  /// Uninterpreted: execution_thread="..." after the closing brace; empty for main.
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) { execution_thread_ = std::move(thread); }

  /// True when it is the body of a kFusion instruction (kept by Instruction creation).
  bool IsFusionBody() const { return fusion_caller_count_ > 0; }

 private:
  friend class Module;
  friend class Instruction;
  explicit Computation(Module* parent) : parent_(parent) {}
  Instruction* Insert(std::unique_ptr<Instruction> instruction, std::span<Instruction* const> operands,
                      std::span<Computation* const> called, std::string_view name);
  void Compact();

  Module* parent_;
  std::string name_;
  std::vector<std::unique_ptr<Instruction>> instructions_;  // removed ones leave a null until compaction
  int64_t live_ = 0;
  std::vector<Instruction*> parameters_;
  Instruction* root_ = nullptr;
  std::string execution_thread_;
  int64_t fusion_caller_count_ = 0;
  size_t slot_ = 0;
};

}  // namespace subfloor::hlo
