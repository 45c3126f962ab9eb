#pragma once

#include <type_traits>

#include "evaluator/element_op.h"
#include "evaluator/wide_math.h"

/// Kernels from functions on single wide values: `MakeKernel<Out, In...>(lambda)` loops a stateless lambda,
/// which may take the ElementOp first.
namespace subfloor::evaluator {

template <typename F, typename Out, typename... In>
void RunKernel(const ElementOp& op, const void* const* in, void* out, int64_t count) {
  auto apply = [&]<size_t... I>(std::index_sequence<I...>) {
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_invocable_v<F, const ElementOp&, In...>) {
        static_cast<Out*>(out)[i] = F{}(op, static_cast<const In*>(in[I])[i]...);
      } else {
        static_cast<Out*>(out)[i] = F{}(static_cast<const In*>(in[I])[i]...);
      }
    }
  };
  apply(std::index_sequence_for<In...>{});
}

template <typename Out, typename... In, typename F>
ElementOp::Kernel MakeKernel(F) {
  return &RunKernel<F, Out, In...>;
}

/// Kernels of the ops whose operands and result all have the class's wide type; null where the class lacks
/// the op.
ElementOp::Kernel IntKernel(hlo::Opcode opcode, ElementType type);
ElementOp::Kernel RealKernel(hlo::Opcode opcode, WideKind kind);
ElementOp::Kernel ComplexKernel(hlo::Opcode opcode, WideKind kind);

ElementOp::Kernel CompareKernel(WideKind kind, ElementType type, bool total_order);
ElementOp::Kernel ConvertKernel(WideKind from, WideKind to);
ElementOp::Kernel StochasticConvertKernel(WideKind from);

/// NaN wins, the first one; -0 is less than +0.
template <typename R>
R Maximum(R a, R b) {
  if (IsNaN(a)) return a;
  if (IsNaN(b)) return b;
  if (a == b) return SignBit(a) ? b : a;
  return a > b ? a : b;
}
template <typename R>
R Minimum(R a, R b) {
  if (IsNaN(a)) return a;
  if (IsNaN(b)) return b;
  if (a == b) return SignBit(a) ? a : b;
  return a < b ? a : b;
}

}  // namespace subfloor::evaluator
