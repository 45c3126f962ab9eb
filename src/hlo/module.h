#pragma once

#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "hlo/computation.h"
#include "hlo/name_table.h"

namespace subfloor::hlo {

/// `{output index}: (parameter, {parameter index}, may-alias|must-alias)` of the header.
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;
  bool operator==(const InputOutputAlias&) const = default;
};

/// `(parameter, {parameter index})`: a buffer that the program may overwrite.
struct BufferDonor {
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

/// Shapes with layouts that callers see. Absent in text that gives none; then parameters and root decide.
struct EntryLayout {
  std::vector<Shape> parameters;
  Shape result;
  bool operator==(const EntryLayout&) const = default;
};

/// What stands between `HloModule name` and the first computation.
struct ModuleHeader {
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  std::optional<EntryLayout> entry_layout;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  /// Header attributes that nobody interprets (frontend_attributes,
  /// allow_spmd_sharding_propagation_to_output, ...): name and value as written, in canonical order of names.
  std::vector<std::pair<std::string, std::string>> other;
  /// FileNames, FunctionNames, FileLocations and StackFrames tables: title and lines, as written.
  std::vector<std::pair<std::string, std::vector<std::string>>> tables;
};

/// A program: computations, one of them the entry. Move-only; owns everything. Destruction does not recurse.
class Module {
 public:
  explicit Module(std::string name);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ModuleHeader& header() { return header_; }
  const ModuleHeader& header() const { return header_; }

  Computation* entry() const { return entry_; }
  void set_entry(Computation* computation) { entry_ = computation; }

  /// In order of insertion; text order for parsed modules. Adding or removing invalidates the view.
  auto computations() const {
    return computations_ | std::views::filter([](const auto& p) { return p != nullptr; }) |
           std::views::transform([](const auto& p) -> Computation* { return p.get(); });
  }
  int64_t computation_count() const { return static_cast<int64_t>(live_); }
  int64_t instruction_count() const;
  /// Makes room for the names of about so many instructions.
  void ReserveNames(size_t instructions) { instruction_names_.Reserve(instructions); }
  /// The instruction of this name in any computation, or nullptr.
  Instruction* FindInstruction(std::string_view name) const { return instruction_names_.Find(name); }
  /// Called before callers, the entry last; computations that nothing calls included before the entry.
  /// Deterministic.
  std::vector<Computation*> MakePostOrder() const;

  /// Makes an empty computation; the name is made unique. The first one added is the entry until set_entry
  /// says otherwise.
  Computation* AddComputation(std::string_view name);
  /// Removes a computation that nothing calls.
  void RemoveComputation(Computation* computation);
  /// Removes every computation that the entry does not reach. Returns how many went.
  int64_t RemoveUnusedComputations();
  /// A copy of `original` (of any module) and, if `deep`, of all that it calls; if not, called computations
  /// are shared.
  Computation* CloneComputation(const Computation& original, std::string_view name = {}, bool deep = false);

  /// A deep copy of the whole module, names and ids included.
  std::unique_ptr<Module> Clone() const;

  /// The shapes with layouts that callers see: the header's, or the parameters' and the root's.
  EntryLayout entry_layout() const;

 private:
  friend class Computation;
  friend class Instruction;

  std::string name_;
  ModuleHeader header_;
  std::vector<std::unique_ptr<Computation>> computations_;
  int64_t live_ = 0;
  Computation* entry_ = nullptr;
  int64_t next_id_ = 0;
  NameTable<Instruction> instruction_names_;
  NameTable<Computation> computation_names_;
};

}  // namespace subfloor::hlo
