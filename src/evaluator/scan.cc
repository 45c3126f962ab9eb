// scan: a computation walks along one dimension and carries values from slice to slice.

#include <algorithm>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

// A slice holds its elements in row-major order, whether or not its shape keeps the dimension.
Result<Literal> SliceOf(const Literal& array, int64_t dim, int64_t i, const Shape& slice_shape) {
  const Slicing slicing(array.shape(), dim);
  Literal slice = SF_TRY(Literal::Zeros(slice_shape));
  if (static_cast<int64_t>(slice.bytes().size()) != slicing.slice_bytes()) {
    return BadInput("a slice of {} along dimension {} is no {}", array.shape().ToString(false), dim,
                    slice_shape.ToString(false));
  }
  const std::byte* from = array.bytes().data() + i * slicing.inner;
  std::byte* to = slice.mutable_bytes().data();
  for (int64_t o = 0; o < slicing.outer; ++o, from += slicing.length * slicing.inner, to += slicing.inner) {
    std::copy_n(from, slicing.inner, to);
  }
  return slice;
}

Status PutSlice(Literal& array, int64_t dim, int64_t i, const Literal& slice) {
  const Slicing slicing(array.shape(), dim);
  if (static_cast<int64_t>(slice.bytes().size()) != slicing.slice_bytes()) {
    return BadInput("{} is no slice of {} along dimension {}", slice.shape().ToString(false),
                    array.shape().ToString(false), dim);
  }
  const std::byte* from = slice.bytes().data();
  std::byte* to = array.mutable_bytes().data() + i * slicing.inner;
  for (int64_t o = 0; o < slicing.outer; ++o, from += slicing.inner, to += slicing.length * slicing.inner) {
    std::copy_n(from, slicing.inner, to);
  }
  return {};
}

}  // namespace

Result<Literal> EvaluateScan(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::ScanAttributes>();
  const hlo::Computation& body = *instruction.called();
  const auto carry_count = static_cast<size_t>(attributes.num_carries);
  if (attributes.dimensions.size() != 1 || attributes.num_carries < 0 || carry_count > operands.size()) {
    return BadInput("a scan over {} dimensions with {} carries", attributes.dimensions.size(),
                    attributes.num_carries);
  }
  const int64_t dim = attributes.dimensions[0];
  const size_t input_count = operands.size() - carry_count;
  if (body.parameter_count() != static_cast<int64_t>(operands.size())) {
    return BadInput("a scan with {} operands whose computation has {} parameters", operands.size(),
                    body.parameter_count());
  }
  const bool tuple = instruction.shape().IsTuple();
  const size_t result_count = tuple ? static_cast<size_t>(instruction.shape().tuple_size()) : 1;
  if (result_count < carry_count)
    return BadInput("a scan with {} results and {} carries", result_count, carry_count);
  const size_t output_count = result_count - carry_count;
  const auto result_shape = [&](size_t i) -> const Shape& {
    return tuple ? instruction.shape().tuple_shape(static_cast<int64_t>(i)) : instruction.shape();
  };

  int64_t length = 0;
  if (input_count > 0) {
    length = operands[0]->shape().dimension(dim);
  } else if (output_count > 0) {
    length = result_shape(0).dimension(dim);
  }
  std::vector<Literal> outputs, carries;
  for (size_t i = 0; i < output_count; ++i) outputs.push_back(SF_TRY(Literal::Zeros(result_shape(i))));
  for (size_t i = 0; i < carry_count; ++i) carries.push_back(*operands[input_count + i]);

  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = attributes.is_reverse ? length - 1 - step : step;
    std::vector<Literal> arguments;
    for (size_t i = 0; i < input_count; ++i) {
      arguments.push_back(
          SF_TRY(SliceOf(*operands[i], dim, at, body.parameter(static_cast<int64_t>(i))->shape())));
    }
    for (Literal& carry : carries) arguments.push_back(std::move(carry));
    Literal value = SF_TRY(context.Call(body, std::move(arguments)));
    std::vector<Literal> parts;
    if (value.shape().IsTuple()) {
      for (Literal& part : value.mutable_elements()) parts.push_back(std::move(part));
    } else {
      parts.push_back(std::move(value));
    }
    if (parts.size() != result_count) {
      return BadInput("the computation of a scan gives {} results, {} are wanted", parts.size(),
                      result_count);
    }
    for (size_t i = 0; i < output_count; ++i) SF_CHECK(PutSlice(outputs[i], dim, at, parts[i]));
    for (size_t i = 0; i < carry_count; ++i) carries[i] = std::move(parts[output_count + i]);
  }
  for (Literal& carry : carries) outputs.push_back(std::move(carry));
  return tuple ? Literal::Tuple(std::move(outputs)) : std::move(outputs[0]);
}

}  // namespace subfloor::evaluator
