// reduce and map: a computation applied to elements.

#include <algorithm>

#include "evaluator/combiner.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;

/// One literal, or a tuple when there are several.
Literal OneOrTuple(std::vector<Literal> values, const Shape& shape) {
  return shape.IsTuple() ? Literal::Tuple(std::move(values)) : std::move(values[0]);
}

const Shape& PartShape(const Shape& shape, int64_t i) {
  return shape.IsTuple() ? shape.tuple_shape(i) : shape;
}

}  // namespace

// The inputs are read once, in row-major order, so that each output meets its elements in ascending index
// order.
Result<Literal> EvaluateReduce(Context& context, const Instruction& instruction, Operands operands) {
  const size_t components = operands.size() / 2;
  const Operands inputs = operands.first(components), inits = operands.subspan(components);
  Combiner combiner =
      SF_TRY(Combiner::Make(context, *instruction.called(), static_cast<int64_t>(components)));

  const Shape& shape = inputs[0]->shape();
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<bool> reduced(rank, false);
  for (int64_t dimension : instruction.dimensions()) reduced[static_cast<size_t>(dimension)] = true;
  // How far each input dimension moves in the output; 0 for those that vanish.
  std::vector<int64_t> output_strides(rank, 0);
  int64_t output_count = 1;
  for (size_t d = rank; d-- > 0;) {
    if (reduced[d]) continue;
    output_strides[d] = output_count;
    output_count *= shape.dimension(static_cast<int64_t>(d));
  }

  Accumulators accumulators = combiner.MakeAccumulators(output_count);
  for (size_t c = 0; c < components; ++c) accumulators.Fill(c, 0, output_count, *inits[c], 0);

  if (shape.element_count() > 0 && output_count > 0) {
    // Rows of the innermost dimension, or of the innermost ones as long as they share their fate.
    size_t outer = rank;
    int64_t row = 1;
    while (outer > 0 && reduced[outer - 1] == reduced[rank - 1])
      row *= shape.dimension(static_cast<int64_t>(--outer));
    const bool fold_row = rank > 0 && reduced[rank - 1];
    std::vector<int64_t> index(outer, 0);
    int64_t input = 0, output = 0;
    while (true) {
      SF_CHECK(fold_row ? combiner.FoldRun(accumulators, output, inputs, input, row)
                        : combiner.FoldEach(accumulators, output, inputs, input, row));
      input += row;
      size_t d = outer;
      bool more = false;
      while (d > 0 && !more) {
        --d;
        output += output_strides[d];
        if (++index[d] < shape.dimension(static_cast<int64_t>(d))) {
          more = true;
        } else {
          output -= output_strides[d] * index[d];
          index[d] = 0;
        }
      }
      if (!more) break;
    }
  }

  std::vector<Literal> results;
  for (size_t c = 0; c < components; ++c) {
    Literal result = SF_TRY(Literal::Zeros(PartShape(instruction.shape(), static_cast<int64_t>(c))));
    if (result.element_type() != accumulators.type(c)) {
      return BadInput("the reducer gives {}, but the result is {}", ToString(accumulators.type(c)),
                      result.shape().ToString());
    }
    accumulators.Write(c, 0, output_count, result, 0);
    results.push_back(std::move(result));
  }
  return OneOrTuple(std::move(results), instruction.shape());
}

Result<Literal> EvaluateMap(Context& context, const Instruction& instruction, Operands operands) {
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  std::byte* bytes = result.mutable_bytes().data();
  const int64_t count = instruction.shape().element_count();
  const hlo::Computation& computation = *instruction.called();
  const ElementType type = result.element_type();
  if (static_cast<int64_t>(operands.size()) != computation.parameter_count()) {
    return BadInput("{} operands mapped by {}, which has {} parameters", operands.size(), computation.name(),
                    computation.parameter_count());
  }

  if (auto program = ScalarProgram::Compile(computation); program && program->result_count() == 1) {
    for (int64_t first = 0; first < count; first += ScalarProgram::kWidth) {
      const int64_t run = std::min(ScalarProgram::kWidth, count - first);
      for (size_t i = 0; i < operands.size(); ++i) {
        const auto parameter = static_cast<int64_t>(i);
        LoadAs(WideKindOf(program->parameter_type(parameter)), operands[i]->element_type(),
               operands[i]->bytes().data(), first, run, program->parameter(parameter));
      }
      program->Run(run);
      StoreAs(WideKindOf(program->result_type(0)), type, bytes, first, run, program->result(0));
    }
    return result;
  }
  const int64_t element_bytes = ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Literal> arguments;
    for (const Literal* operand : operands) {
      const int64_t size = ByteWidth(operand->element_type());
      arguments.push_back(SF_TRY(Literal::FromBytes(
          Shape::Scalar(operand->element_type()),
          operand->bytes().subspan(static_cast<size_t>(i * size), static_cast<size_t>(size)))));
    }
    const Literal value = SF_TRY(context.Call(computation, std::move(arguments)));
    std::copy(value.bytes().begin(), value.bytes().end(), bytes + i * element_bytes);
  }
  return result;
}

}  // namespace subfloor::evaluator
