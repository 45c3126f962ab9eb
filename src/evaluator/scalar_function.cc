#include "evaluator/scalar_function.h"

#include "types/narrow.h"

namespace subfloor::evaluator {

Result<bool> Predicate::operator()(std::span<const Literal* const> arguments,
                                   std::span<const int64_t> indices) {
  if (program_) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ElementType type = arguments[i]->element_type();
      LoadAs(WideKindOf(program_->parameter_type(static_cast<int64_t>(i))), type,
             arguments[i]->bytes().data(), indices[i], 1, program_->parameter(static_cast<int64_t>(i)));
    }
    program_->Run(1);
    return *program_->result_as<int64_t>(0) != 0;
  }
  std::vector<Literal> scalars;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto size = static_cast<size_t>(ByteWidth(arguments[i]->element_type()));
    scalars.push_back(SF_TRY(
        Literal::FromBytes(Shape::Scalar(arguments[i]->element_type()),
                           arguments[i]->bytes().subspan(static_cast<size_t>(indices[i]) * size, size))));
  }
  return GetAsInt(SF_TRY(context_.Call(computation_, std::move(scalars))), 0) != 0;
}

}  // namespace subfloor::evaluator
