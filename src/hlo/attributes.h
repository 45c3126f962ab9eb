#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "hlo/opcode.h"
#include "types/literal.h"
#include "types/shape.h"

/// The attributes that an opcode's meaning depends on, one struct a family.
///
/// Each struct lists its fields once, in `Visit`, with the names they have in HLO text. Parser, printer,
/// equality and fingerprint all walk that list, so a new attribute is one line here. A visitor is called as
///   visitor(name, field)                   the field is always written
///   visitor.Optional(name, field, default) written only when it differs from `default`
namespace subfloor::hlo {

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
enum class FusionKind : uint8_t { kLoop, kInput, kOutput, kCustom };
enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
enum class TransposeKind : uint8_t { kNoTranspose, kTranspose, kAdjoint };
enum class RandomDistribution : uint8_t { kUniform, kNormal };
enum class RandomAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
enum class Precision : uint8_t { kDefault, kHigh, kHighest };
enum class CustomCallSchedule : uint8_t { kNone, kLatest, kEarliest };
enum class CustomCallApi : uint8_t { kOriginal, kStatusReturning, kStatusReturningUnified, kTypedFfi };

/// Algorithms a dot may be asked for, as `dot_<name>`.
// clang-format off
#define SUBFLOOR_DOT_ALGORITHMS(X)                                                                \
  X(kUnset, "") X(kAnyF8AnyF8F32, "dot_any_f8_any_f8_f32")                                        \
  X(kAnyF8AnyF8F32FastAccum, "dot_any_f8_any_f8_f32_fast_accum") X(kF16F16F16, "dot_f16_f16_f16") \
  X(kF16F16F32, "dot_f16_f16_f32") X(kBF16BF16BF16, "dot_bf16_bf16_bf16")                         \
  X(kBF16BF16F32, "dot_bf16_bf16_f32") X(kBF16BF16F32X3, "dot_bf16_bf16_f32_x3")                  \
  X(kBF16BF16F32X6, "dot_bf16_bf16_f32_x6") X(kBF16BF16F32X9, "dot_bf16_bf16_f32_x9")             \
  X(kTF32TF32F32, "dot_tf32_tf32_f32") X(kTF32TF32F32X3, "dot_tf32_tf32_f32_x3")                  \
  X(kF32F32F32, "dot_f32_f32_f32") X(kF64F64F64, "dot_f64_f64_f64")
// clang-format on
enum class DotAlgorithm : uint8_t {
#define X(enumerator, text) enumerator,
  SUBFLOOR_DOT_ALGORITHMS(X)
#undef X
};

/// One dimension of a window, as `window={size= stride= pad= lhs_dilate= rhs_dilate= rhs_reversal=}` gives
/// it.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;      ///< may be negative
  int64_t padding_high = 0;     ///< may be negative
  int64_t base_dilation = 1;    ///< lhs_dilate
  int64_t window_dilation = 1;  ///< rhs_dilate
  bool reversal = false;
  bool operator==(const WindowDimension&) const = default;
};
using Window = std::vector<WindowDimension>;

struct PaddingDimension {
  int64_t low = 0;       ///< may be negative
  int64_t high = 0;      ///< may be negative
  int64_t interior = 0;  ///< 0 or more
  bool operator==(const PaddingDimension&) const = default;
};
using Padding = std::vector<PaddingDimension>;

struct SliceDimension {
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceDimension&) const = default;
};
using SliceRanges = std::vector<SliceDimension>;

/// Which dimension plays which part in a convolution: `b01f_01io->b01f`. Unknown dimensions (`?`) are none of
/// them.
struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0;
  std::vector<int64_t> input_spatial;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  std::vector<int64_t> kernel_spatial;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> output_spatial;
  std::string text;  ///< as written; what is printed
  bool operator==(const ConvolutionDimensions&) const = default;
};

/// Groups of replica or partition ids. `groups` is always filled in where the form allows it; `text` is the
/// form that was written ("{{0,1},{2,3}}", "[2,4]<=[8]", "mesh[...]") and is printed back. No groups means
/// one group of everyone.
struct ReplicaGroups {
  std::vector<std::vector<int64_t>> groups;
  std::string text;
  bool operator==(const ReplicaGroups&) const = default;
};

/// `{output index}: (operand, {operand index})` of fusions and custom calls.
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};

/// An integer that may be absent, such as channel_id.
using OptionalInt = std::optional<int64_t>;
using IntList = std::vector<int64_t>;
using PrecisionList = std::vector<Precision>;
using PairList = std::vector<std::pair<int64_t, int64_t>>;
using AliasList = std::vector<OutputOperandAlias>;
/// Text between braces (or a quoted string) that is kept as it was written.
struct RawText {
  std::string text;
  bool operator==(const RawText&) const = default;
};
/// A quoted string.
struct QuotedText {
  std::string text;
  bool operator==(const QuotedText&) const = default;
};

struct NoAttributes {
  template <class V> void Visit(V&&) {}
  bool operator==(const NoAttributes&) const = default;
};

/// Transcendental ops may say how exact they must be; kept, not acted on: ours are within 2 ULP anyway.
struct ElementwiseAttributes {
  RawText result_accuracy;
  template <class V> void Visit(V&& v) { v.Optional("result_accuracy", result_accuracy, RawText{}); }
  bool operator==(const ElementwiseAttributes&) const = default;
};

/// broadcast, transpose, reverse, concatenate, reduce, map, get/set-dimension-size: `dimensions={...}`.
struct DimensionsAttributes {
  IntList dimensions;
  template <class V> void Visit(V&& v) { v("dimensions", dimensions); }
  bool operator==(const DimensionsAttributes&) const = default;
};

struct ReshapeAttributes {
  int64_t inferred_dimension = -1;
  template <class V> void Visit(V&& v) { v.Optional("inferred_dimension", inferred_dimension, int64_t{-1}); }
  bool operator==(const ReshapeAttributes&) const = default;
};

struct IotaAttributes {
  int64_t iota_dimension = 0;
  template <class V> void Visit(V&& v) { v("iota_dimension", iota_dimension); }
  bool operator==(const IotaAttributes&) const = default;
};

struct SliceAttributes {
  SliceRanges slice;
  template <class V> void Visit(V&& v) { v("slice", slice); }
  bool operator==(const SliceAttributes&) const = default;
};

struct PadAttributes {
  Padding padding;
  template <class V> void Visit(V&& v) { v("padding", padding); }
  bool operator==(const PadAttributes&) const = default;
};

struct DynamicSliceAttributes {
  IntList sizes;
  template <class V> void Visit(V&& v) { v("dynamic_slice_sizes", sizes); }
  bool operator==(const DynamicSliceAttributes&) const = default;
};

struct GatherAttributes {
  IntList offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
      start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  IntList slice_sizes;
  bool indices_are_sorted = false;
  template <class V> void Visit(V&& v) {
    v("offset_dims", offset_dims);
    v("collapsed_slice_dims", collapsed_slice_dims);
    v("start_index_map", start_index_map);
    v.Optional("operand_batching_dims", operand_batching_dims, IntList{});
    v.Optional("start_indices_batching_dims", start_indices_batching_dims, IntList{});
    v("index_vector_dim", index_vector_dim);
    v("slice_sizes", slice_sizes);
    v.Optional("indices_are_sorted", indices_are_sorted, false);
  }
  bool operator==(const GatherAttributes&) const = default;
};

struct ScatterAttributes {
  IntList update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
      scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  template <class V> void Visit(V&& v) {
    v("update_window_dims", update_window_dims);
    v("inserted_window_dims", inserted_window_dims);
    v("scatter_dims_to_operand_dims", scatter_dims_to_operand_dims);
    v.Optional("input_batching_dims", input_batching_dims, IntList{});
    v.Optional("scatter_indices_batching_dims", scatter_indices_batching_dims, IntList{});
    v("index_vector_dim", index_vector_dim);
    v.Optional("indices_are_sorted", indices_are_sorted, false);
    v.Optional("unique_indices", unique_indices, false);
  }
  bool operator==(const ScatterAttributes&) const = default;
};

/// dot, ragged-dot (the ragged fields) and scaled-dot.
struct DotAttributes {
  IntList lhs_batch, lhs_contracting, rhs_batch, rhs_contracting, lhs_ragged, rhs_group;
  PrecisionList operand_precision;
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  RawText sparsity;
  template <class V> void Visit(V&& v) {
    v.Optional("lhs_batch_dims", lhs_batch, IntList{});
    v.Optional("lhs_contracting_dims", lhs_contracting, IntList{});
    v.Optional("rhs_batch_dims", rhs_batch, IntList{});
    v.Optional("rhs_contracting_dims", rhs_contracting, IntList{});
    v.Optional("lhs_ragged_dims", lhs_ragged, IntList{});
    v.Optional("rhs_group_dims", rhs_group, IntList{});
    v.Optional("operand_precision", operand_precision, PrecisionList{});
    v.Optional("algorithm", algorithm, DotAlgorithm::kUnset);
    v.Optional("sparsity", sparsity, RawText{});
  }
  bool operator==(const DotAttributes&) const = default;
};

struct ConvolutionAttributes {
  Window window;
  ConvolutionDimensions dimensions;
  int64_t feature_group_count = 1, batch_group_count = 1;
  PrecisionList operand_precision;
  RawText convolution_kind, sparsity_config;
  template <class V> void Visit(V&& v) {
    v("window", window);
    v("dim_labels", dimensions);
    v.Optional("feature_group_count", feature_group_count, int64_t{1});
    v.Optional("batch_group_count", batch_group_count, int64_t{1});
    v.Optional("operand_precision", operand_precision, PrecisionList{});
    v.Optional("convolution_kind", convolution_kind, RawText{});
    v.Optional("sparsity_config", sparsity_config, RawText{});
  }
  bool operator==(const ConvolutionAttributes&) const = default;
};

/// reduce-window and select-and-scatter.
struct WindowAttributes {
  Window window;
  template <class V> void Visit(V&& v) { v("window", window); }
  bool operator==(const WindowAttributes&) const = default;
};

struct ReducePrecisionAttributes {
  int64_t exponent_bits = 8, mantissa_bits = 23;
  template <class V> void Visit(V&& v) {
    v("exponent_bits", exponent_bits);
    v("mantissa_bits", mantissa_bits);
  }
  bool operator==(const ReducePrecisionAttributes&) const = default;
};

struct CompareAttributes {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
  template <class V> void Visit(V&& v) {
    v("direction", direction);
    v.Optional("type", type, ComparisonType::kDefault);
  }
  bool operator==(const CompareAttributes&) const = default;
};

struct GetTupleElementAttributes {
  int64_t index = 0;
  template <class V> void Visit(V&& v) { v("index", index); }
  bool operator==(const GetTupleElementAttributes&) const = default;
};

/// `parameter(n)`: the number stands where operands would.
struct ParameterAttributes {
  int64_t number = 0;
  template <class V> void Visit(V&& v) { v.Positional(number); }
  bool operator==(const ParameterAttributes&) const = default;
};

/// `constant(literal)`. An elided constant `{...}` has a made-up value: its bytes follow from its shape
/// alone.
struct ConstantAttributes {
  Literal literal;
  bool elided = false;
  template <class V> void Visit(V&& v) { v.Positional(*this); }
  bool operator==(const ConstantAttributes& o) const {
    return elided == o.elided && literal.Identical(o.literal);
  }
};

struct FftAttributes {
  FftType fft_type = FftType::kFft;
  IntList fft_length;
  template <class V> void Visit(V&& v) {
    v("fft_type", fft_type);
    v("fft_length", fft_length);
  }
  bool operator==(const FftAttributes&) const = default;
};

struct CholeskyAttributes {
  bool lower = false;
  template <class V> void Visit(V&& v) { v.Optional("lower", lower, false); }
  bool operator==(const CholeskyAttributes&) const = default;
};

struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  TransposeKind transpose_a = TransposeKind::kNoTranspose;
  template <class V> void Visit(V&& v) {
    v.Optional("left_side", left_side, false);
    v.Optional("lower", lower, false);
    v.Optional("unit_diagonal", unit_diagonal, false);
    v("transpose_a", transpose_a);
  }
  bool operator==(const TriangularSolveAttributes&) const = default;
};

struct RngAttributes {
  RandomDistribution distribution = RandomDistribution::kUniform;
  template <class V> void Visit(V&& v) { v("distribution", distribution); }
  bool operator==(const RngAttributes&) const = default;
};

struct RngBitGeneratorAttributes {
  RandomAlgorithm algorithm = RandomAlgorithm::kDefault;
  template <class V> void Visit(V&& v) { v("algorithm", algorithm); }
  bool operator==(const RngBitGeneratorAttributes&) const = default;
};

struct RngStateAttributes {
  int64_t delta = 1;
  template <class V> void Visit(V&& v) { v("delta", delta); }
  bool operator==(const RngStateAttributes&) const = default;
};

struct BatchNormAttributes {
  double epsilon = 0;
  int64_t feature_index = 0;
  template <class V> void Visit(V&& v) {
    v("epsilon", epsilon);
    v("feature_index", feature_index);
  }
  bool operator==(const BatchNormAttributes&) const = default;
};

struct SortAttributes {
  IntList dimensions;
  bool is_stable = false;
  template <class V> void Visit(V&& v) {
    v("dimensions", dimensions);
    v.Optional("is_stable", is_stable, false);
  }
  bool operator==(const SortAttributes&) const = default;
};

struct TopKAttributes {
  int64_t k = 0;
  bool largest = true, is_stable = false;
  template <class V> void Visit(V&& v) {
    v("k", k);
    v("largest", largest);
    v.Optional("is_stable", is_stable, false);
  }
  bool operator==(const TopKAttributes&) const = default;
};

struct ScanAttributes {
  IntList dimensions;
  int64_t num_carries = 0;
  bool is_reverse = false;
  std::optional<bool> is_associative;
  template <class V> void Visit(V&& v) {
    v("dimensions", dimensions);
    v("num_carries", num_carries);
    v.Optional("is_reverse", is_reverse, false);
    v.Optional("is_associative", is_associative, std::optional<bool>{});
  }
  bool operator==(const ScanAttributes&) const = default;
};

struct CallAttributes {
  bool is_composite = false;
  template <class V> void Visit(V&& v) { v.Optional("is_composite", is_composite, false); }
  bool operator==(const CallAttributes&) const = default;
};

struct FusionAttributes {
  FusionKind kind = FusionKind::kLoop;
  AliasList output_to_operand_aliasing;
  template <class V> void Visit(V&& v) {
    v("kind", kind);
    v.Optional("output_to_operand_aliasing", output_to_operand_aliasing, AliasList{});
  }
  bool operator==(const FusionAttributes&) const = default;
};

struct CustomCallAttributes {
  QuotedText target;
  Window window;
  std::optional<ConvolutionDimensions> dim_labels;
  int64_t feature_group_count = 1, batch_group_count = 1;
  std::vector<Shape> operand_layout_constraints;
  bool has_operand_layout_constraints = false;
  bool has_side_effect = false;
  AliasList output_to_operand_aliasing;
  RawText padding_type;
  std::optional<Literal> literal;
  PrecisionList operand_precision;
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  CustomCallApi api_version = CustomCallApi::kOriginal;
  template <class V> void Visit(V&& v) {
    v("custom_call_target", target);
    v.Optional("window", window, Window{});
    v.Optional("dim_labels", dim_labels, std::optional<ConvolutionDimensions>{});
    v.Optional("feature_group_count", feature_group_count, int64_t{1});
    v.Optional("batch_group_count", batch_group_count, int64_t{1});
    v.LayoutConstraints("operand_layout_constraints", operand_layout_constraints,
                        has_operand_layout_constraints);
    v.Optional("custom_call_has_side_effect", has_side_effect, false);
    v.Optional("output_to_operand_aliasing", output_to_operand_aliasing, AliasList{});
    v.Optional("padding_type", padding_type, RawText{});
    v.Optional("literal", literal, std::optional<Literal>{});
    v.Optional("operand_precision", operand_precision, PrecisionList{});
    v.Optional("schedule", schedule, CustomCallSchedule::kNone);
    v.Optional("api_version", api_version, CustomCallApi::kOriginal);
  }
  bool operator==(const CustomCallAttributes& o) const;
};

/// All collectives, and the -start halves of the asynchronous ones. Fields that an op does not have stay at
/// their default.
struct CollectiveAttributes {
  OptionalInt channel_id;
  ReplicaGroups replica_groups;
  IntList dimensions;                ///< all-gather, reduce-scatter, all-to-all
  PairList source_target_pairs;      ///< collective-permute
  std::vector<IntList> slice_sizes;  ///< in-place collective-permute
  bool constrain_layout = false, use_global_device_ids = false, has_dynamic_root = false;
  RawText mode;
  template <class V> void Visit(V&& v) {
    v.Optional("channel_id", channel_id, OptionalInt{});
    v.Optional("replica_groups", replica_groups, ReplicaGroups{});
    v.Optional("source_target_pairs", source_target_pairs, PairList{});
    v.Optional("slice_sizes", slice_sizes, std::vector<IntList>{});
    v.Optional("dimensions", dimensions, IntList{});
    v.Optional("constrain_layout", constrain_layout, false);
    v.Optional("use_global_device_ids", use_global_device_ids, false);
    v.Optional("has_dynamic_root", has_dynamic_root, false);
    v.Optional("mode", mode, RawText{});
  }
  bool operator==(const CollectiveAttributes&) const = default;
};

struct SendRecvAttributes {
  OptionalInt channel_id;
  bool is_host_transfer = false;
  template <class V> void Visit(V&& v) {
    v.Optional("channel_id", channel_id, OptionalInt{});
    v.Optional("is_host_transfer", is_host_transfer, false);
  }
  bool operator==(const SendRecvAttributes&) const = default;
};

struct InfeedAttributes {
  QuotedText config;
  template <class V> void Visit(V&& v) { v.Optional("infeed_config", config, QuotedText{}); }
  bool operator==(const InfeedAttributes&) const = default;
};

struct OutfeedAttributes {
  std::optional<Shape> outfeed_shape;
  QuotedText config;
  template <class V> void Visit(V&& v) {
    v.Optional("outfeed_shape", outfeed_shape, std::optional<Shape>{});
    v.Optional("outfeed_config", config, QuotedText{});
  }
  bool operator==(const OutfeedAttributes&) const = default;
};

struct AsyncAttributes {
  QuotedText execution_thread;  ///< empty for the main thread
  template <class V> void Visit(V&& v) {
    v.Optional("async_execution_thread", execution_thread, QuotedText{});
  }
  bool operator==(const AsyncAttributes&) const = default;
};

struct CopyStartAttributes {
  OptionalInt cross_program_prefetch_index;
  template <class V> void Visit(V&& v) {
    v.Optional("cross_program_prefetch_index", cross_program_prefetch_index, OptionalInt{});
  }
  bool operator==(const CopyStartAttributes&) const = default;
};

struct DomainAttributes {
  RawText domain;
  template <class V> void Visit(V&& v) { v("domain", domain); }
  bool operator==(const DomainAttributes&) const = default;
};

// Every attribute struct that has fields.
// clang-format off
#define SUBFLOOR_ATTRIBUTE_STRUCTS(X)                                                                    \
  X(ElementwiseAttributes) X(DimensionsAttributes) X(ReshapeAttributes) X(IotaAttributes)                \
  X(SliceAttributes) X(PadAttributes) X(DynamicSliceAttributes) X(GatherAttributes) X(ScatterAttributes) \
  X(DotAttributes) X(ConvolutionAttributes) X(WindowAttributes) X(ReducePrecisionAttributes)             \
  X(CompareAttributes) X(GetTupleElementAttributes) X(ParameterAttributes) X(ConstantAttributes)         \
  X(FftAttributes) X(CholeskyAttributes) X(TriangularSolveAttributes) X(RngAttributes)                   \
  X(RngBitGeneratorAttributes) X(RngStateAttributes) X(BatchNormAttributes) X(SortAttributes)            \
  X(TopKAttributes) X(ScanAttributes) X(CallAttributes) X(FusionAttributes) X(CustomCallAttributes)      \
  X(CollectiveAttributes) X(SendRecvAttributes) X(InfeedAttributes) X(OutfeedAttributes)                 \
  X(AsyncAttributes) X(CopyStartAttributes) X(DomainAttributes)
// clang-format on

namespace internal {
enum class AttributeIndex : uint8_t {
  kNoAttributes,
#define X(name) k##name,
  SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
};
template <typename T>
struct AttributeTraits;
#define X(name)                                                       \
  template <>                                                         \
  struct AttributeTraits<name> {                                      \
    static constexpr AttributeIndex kIndex = AttributeIndex::k##name; \
  };
X(NoAttributes)
SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
}  // namespace internal

template <typename T>
concept AttributeStruct = requires { internal::AttributeTraits<T>::kIndex; };

/// The one struct that an instruction carries; which one follows from its opcode (SUBFLOOR_OPCODES' last
/// column).
///
/// A value, like a variant of all structs; but what copies, compares and destroys is compiled once, in
/// attributes.cc, for every file of the tree includes this one. Fields that all have their default take no
/// memory until somebody asks to change them.
class Attributes {
 public:
  Attributes() = default;  ///< NoAttributes
  template <AttributeStruct T>
  Attributes(T fields)
      : index_(internal::AttributeTraits<T>::kIndex) {  // implicit: a struct is its attributes
    if constexpr (!std::is_same_v<T, NoAttributes>) fields_ = new T(std::move(fields));
  }
  ~Attributes() {
    if (fields_) Destroy();
  }
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept
      : index_(other.index_), fields_(std::exchange(other.fields_, nullptr)) {
    other.index_ = internal::AttributeIndex::kNoAttributes;
  }
  Attributes& operator=(Attributes other) noexcept {
    std::swap(index_, other.index_);
    std::swap(fields_, other.fields_);
    return *this;
  }
  bool operator==(const Attributes& other) const;
  /// Both hold the same struct, whatever its fields.
  bool SameKind(const Attributes& other) const { return index_ == other.index_; }

  template <AttributeStruct T>
  bool Is() const {
    return index_ == internal::AttributeTraits<T>::kIndex;
  }
  /// The struct. Precondition: Is<T>().
  template <AttributeStruct T>
  const T& Get() const {
    return *TryGet<T>();
  }
  template <AttributeStruct T>
  T& Get() {
    return *TryGet<T>();
  }
  /// The struct, or nullptr if it is another one.
  template <AttributeStruct T>
  const T* TryGet() const {
    if constexpr (std::is_same_v<T, NoAttributes>) {
      static constexpr NoAttributes kNone;
      return Is<T>() ? &kNone : nullptr;
    } else {
      return Is<T>() ? static_cast<const T*>(fields()) : nullptr;
    }
  }
  template <AttributeStruct T>
    requires(!std::is_same_v<T, NoAttributes>)
  T* TryGet() {
    return Is<T>() ? static_cast<T*>(OwnFields()) : nullptr;
  }

  /// Hands every field to the visitor, as the struct's own Visit does. Expensive to compile: for parser,
  /// printer and the like. The visitor of a const object must not change what it is handed.
  template <typename V>
  void VisitFields(V&& visitor) {
    Visit(index_, OwnFields(), visitor);
  }
  template <typename V>
  void VisitFields(V&& visitor) const {
    Visit(index_, const_cast<void*>(fields()), visitor);
  }

 private:
  friend Attributes DefaultAttributes(Opcode opcode);
  explicit Attributes(internal::AttributeIndex index) : index_(index) {}

  template <typename V>
  static void Visit(internal::AttributeIndex index, void* fields, V& visitor) {
    switch (index) {
      case internal::AttributeIndex::kNoAttributes:
        return;
#define X(name)                           \
  case internal::AttributeIndex::k##name: \
    return static_cast<name*>(fields)->Visit(visitor);
        SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
    }
  }
  const void* fields() const { return fields_ ? fields_ : DefaultFields(); }
  void* OwnFields() {
    if (fields_ == nullptr) MakeFields();
    return fields_;
  }
  void MakeFields();
  const void* DefaultFields() const;
  void Destroy();

  internal::AttributeIndex index_ = internal::AttributeIndex::kNoAttributes;
  void* fields_ = nullptr;  // null while every field has its default
};

/// The alternative that instructions of this opcode carry, with every field at its default.
Attributes DefaultAttributes(Opcode opcode);

/// Size of the output of a window along one dimension of the base, 0 if it does not fit.
int64_t WindowOutputSize(int64_t base, const WindowDimension& window);

}  // namespace subfloor::hlo
