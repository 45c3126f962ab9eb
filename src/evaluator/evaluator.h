#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor {

/// What an evaluation may ask of the world around it. The defaults suit a program that stands alone.
struct EvaluateOptions {
  /// What replica-id and partition-id answer in Evaluate; EvaluateOnAll sets its own.
  int64_t replica = 0, partition = 0;
  /// Seeds `rng` and the state of rng-get-and-update-state. Equal seeds give equal results.
  uint64_t rng_seed = 0;
  /// Answers custom calls that the evaluator does not know itself (it knows the markers that are identities,
  /// such as Sharding). Takes the instruction and its operands, gives a value of the instruction's shape.
  std::function<Result<Literal>(const hlo::Instruction&, std::span<const Literal* const>)> custom_call;
  /// The next infeed value for the given data shape and infeed_config.
  std::function<Result<Literal>(const Shape&, std::string_view config)> infeed;
  /// Takes what outfeed sends, with its outfeed_config.
  std::function<Status(const Literal&, std::string_view config)> outfeed;
  /// send hands its value here, recv fetches one of the given shape; both name the channel.
  std::function<Status(int64_t channel, const Literal&)> send;
  std::function<Result<Literal>(int64_t channel, const Shape&)> recv;
  /// Sees the operands and the value of every instruction that computes (control flow and calls pass on what
  /// was seen inside them). An error ends the evaluation with it. May be empty.
  std::function<Status(const hlo::Instruction&, std::span<const Literal* const> operands,
                       const Literal& value)>
      observe;
  /// Refuses to go on when the live values of one participant need more than this many bytes (shared bytes
  /// count each time); 0 means no limit.
  int64_t memory_limit_bytes = 0;
  /// Refuses to go on after this many instructions, for programs that may not end; 0 means no limit.
  int64_t step_limit = 0;
};

/// Runs the entry computation of a verified module as one participant.
///
/// Takes: one literal a parameter, of a shape compatible with it. Gives: a literal of the root's shape
/// without layout conversions (literals are row-major whatever the layout). Errors: bad input for wrong
/// arguments, not supported for a collective among several participants (see EvaluateOnAll) or a custom call
/// that nobody answers, out of resources for a limit of the options. Threads: reads the module only; handlers
/// are called on the calling thread.
Result<Literal> Evaluate(const hlo::Module& module, std::span<const Literal> arguments,
                         const EvaluateOptions& options = {});

/// Runs the entry for every participant, which meet at collectives. Participant p is replica p /
/// num_partitions, partition p % num_partitions of the counts in the module's header. Takes one list of
/// arguments a participant, gives one result each. Errors: as Evaluate, and bad input when participants wait
/// for each other at different collectives.
Result<std::vector<Literal>> EvaluateOnAll(const hlo::Module& module,
                                           std::span<const std::vector<Literal>> arguments,
                                           const EvaluateOptions& options = {});

}  // namespace subfloor
