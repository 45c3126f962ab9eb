#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "hlo/attributes.h"
#include "hlo/opcode.h"
#include "types/shape.h"

namespace subfloor::hlo {

class Computation;
class Instruction;

/// One place where a value is used: operand `operand_index` of `user`.
struct Use {
  Instruction* user;
  int64_t operand_index;
};

/// What instructions may carry and nobody interprets, kept as it was written (braces and quotes included),
/// plus the few of them that somebody does. Absent on most instructions that a compiler makes.
struct Annotations {
  std::string sharding;
  std::string frontend_attributes;
  std::string statistics;
  std::string parameter_replication;
  std::string origin;
  std::string metadata;        ///< the text between the braces of metadata={...}
  std::string backend_config;  ///< as written: "quoted" or {dictionary}
  bool operator==(const Annotations&) const = default;

  /// The value of one field of the metadata (op_name, source_file, ...), unquoted; empty if absent.
  std::string MetadataField(std::string_view field) const;
};

/// One operation of a computation.
///
/// Owned by its Computation; its address is stable until removed. Operand and use lists are kept in step in
/// constant time per edge. Not thread-safe; a Module is for one thread at a time.
class Instruction {
 public:
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  Opcode opcode() const { return opcode_; }
  const std::string& name() const { return name_; }
  /// Number unique in the module, never used again; ascending in order of creation.
  int64_t id() const { return id_; }
  const Shape& shape() const { return shape_; }
  Shape& mutable_shape() { return shape_; }
  Computation* parent() const { return parent_; }

  // Operands and uses. --------------------------------------------------------------------------------------
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  Instruction* operand(int64_t i) const { return operands_[static_cast<size_t>(i)].value; }
  /// A copy, so that it stays valid while the graph changes.
  std::vector<Instruction*> operands() const;
  std::span<const Use> uses() const { return uses_; }
  int64_t use_count() const { return static_cast<int64_t>(uses_.size()); }
  /// Distinct users, in the order of their first use.
  std::vector<Instruction*> users() const;
  bool IsRoot() const;

  void ReplaceOperand(int64_t i, Instruction* value);
  void AppendOperand(Instruction* value);
  void RemoveOperand(int64_t i);
  /// Every use, and the root of the computation if this is it, becomes `value`. Control edges stay.
  void ReplaceAllUsesWith(Instruction* value);

  // Control edges: `successor` runs after this. -------------------------------------------------------------
  std::span<Instruction* const> control_predecessors() const { return control_predecessors_; }
  std::span<Instruction* const> control_successors() const { return control_successors_; }
  void AddControlSuccessor(Instruction* successor);
  void RemoveControlEdges();

  // Attributes. ---------------------------------------------------------------------------------------------
  const Attributes& attributes() const { return attributes_; }
  /// The attributes as the struct that this opcode carries. Precondition: the opcode carries a T.
  template <typename T>
  const T& As() const {
    return attributes_.Get<T>();
  }
  template <typename T>
  T& MutableAs() {
    return attributes_.Get<T>();
  }
  template <typename T>
  const T* TryAs() const {
    return attributes_.TryGet<T>();
  }
  /// Shorthand for As<DimensionsAttributes>().dimensions.
  std::span<const int64_t> dimensions() const { return As<DimensionsAttributes>().dimensions; }

  /// Called computations in the order of their attribute names: while (condition, body), conditional (its
  /// branches), select-and-scatter (select, scatter), else the one of to_apply or calls.
  std::span<Computation* const> called_computations() const { return called_; }
  Computation* called(int64_t i = 0) const { return called_[static_cast<size_t>(i)]; }
  void set_called(int64_t i, Computation* computation);

  const Annotations& annotations() const;
  Annotations& mutable_annotations();
  bool has_annotations() const { return annotations_ != nullptr; }

  // Questions asked everywhere. -----------------------------------------------------------------------------
  bool IsConstant() const { return opcode_ == Opcode::kConstant; }
  bool IsParameter() const { return opcode_ == Opcode::kParameter; }
  int64_t parameter_number() const { return As<ParameterAttributes>().number; }
  const Literal& literal() const { return As<ConstantAttributes>().literal; }
  bool IsElementwise() const { return hlo::IsElementwise(opcode_); }
  /// By opcode, by custom_call_has_side_effect, or by an instruction inside a called computation.
  bool HasSideEffect() const;

  /// Where the instruction stood in the text it was parsed from; 0 when it was made otherwise.
  int line() const { return line_; }
  int column() const { return column_; }
  void set_position(int line, int column) { line_ = line, column_ = column; }

 private:
  friend class Computation;
  friend class Module;
  struct OperandSlot {
    Instruction* value;
    size_t use_position;  // where this edge stands in value->uses_
  };

  Instruction(Opcode opcode, Shape shape, Attributes attributes);
  void AddUse(size_t operand_index);
  void DropUse(size_t operand_index);

  // What becoming an operand touches stands together.
  Opcode opcode_;
  int line_ = 0, column_ = 0;
  int64_t id_ = -1;
  Computation* parent_ = nullptr;
  std::string name_;
  Shape shape_;
  // Most instructions have two operands and two uses at most, and own no memory for them.
  absl::InlinedVector<Use, 2> uses_;
  absl::InlinedVector<OperandSlot, 2> operands_;
  size_t slot_ = 0;  // index in parent_->instructions_
  absl::InlinedVector<Instruction*, 2> control_predecessors_, control_successors_;
  absl::InlinedVector<Computation*, 2> called_;
  Attributes attributes_;
  std::unique_ptr<Annotations> annotations_;
};

/// The attribute names under which an opcode lists its called computations; "branch_computations" stands for
/// a list. Empty for opcodes that call nothing. `count` tells forms apart (a conditional by predicate has two
/// names).
std::vector<std::string_view> CalledComputationNames(const Instruction& instruction);

}  // namespace subfloor::hlo
