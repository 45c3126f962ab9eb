#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Decides which instructions one kernel computes together, and outlines each such set as a fusion.
///
/// Every computation of control flow is walked once from its root upward. An instruction joins the kernels of
/// its users when every user sits in a kernel, each of them takes it (Group::Refuses), and computing it there
/// costs no more than storing it:
///  - one kernel: elements computed more often than once must be cheap against the kernel's own work;
///  - several kernels: besides, the bytes that each would read must be fewer than those of writing and
///  reading the value.
/// Otherwise it becomes the root of a kernel of its own. A kernel is a loop over its root, a reduction with
/// what feeds it and an epilogue of elementwise ops, or an update in place with what computes the update.
/// Scalar constants are copied everywhere; dot, convolution, fft, sort, scatter, custom calls and control
/// flow take part in none.
///
/// Takes: a module in layout normal form, flattened, simplified. Gives: fusions of two or more instructions;
/// single ones stay for WrapInFusions. Every decision is recorded (kFuse) on the producer's id with the fact
/// that settled it. Errors: none.
Result<bool> FuseInstructions(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
