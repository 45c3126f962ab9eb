// The entry points: one participant, or all of them meeting at collectives.

#include <algorithm>
#include <deque>

#include "evaluator/evaluator.h"
#include "evaluator/machine.h"
#include "evaluator/op_functions.h"

namespace subfloor {
namespace evaluator {

Status CheckArguments(const hlo::Computation& computation, std::span<const Literal> arguments) {
  if (static_cast<int64_t>(arguments.size()) != computation.parameter_count()) {
    return BadInput("{} arguments for computation {}, which has {} parameters", arguments.size(),
                    computation.name(), computation.parameter_count());
  }
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    const Shape& wanted = computation.parameter(i)->shape();
    const Shape& found = arguments[static_cast<size_t>(i)].shape();
    if (!found.Compatible(wanted)) {
      return BadInput("argument {} is {}, but parameter %{} is {}", i, found.ToString(),
                      computation.parameter(i)->name(), wanted.ToString());
    }
  }
  return {};
}

namespace {

/// Runs every machine to its end. A group meets when all its members wait at the same instruction.
Status RunInLockstep(std::deque<Context>& contexts, std::deque<Machine>& machines, int64_t replicas,
                     int64_t partitions) {
  for (Machine& machine : machines) SF_CHECK(machine.Run());
  while (true) {
    bool all_done = true, progress = false;
    for (size_t p = 0; p < machines.size() && !progress; ++p) {
      if (machines[p].done()) continue;
      all_done = false;
      const hlo::Instruction& site = machines[p].waiting_at();
      const auto groups = SF_TRY(CollectiveGroups(site, replicas, partitions));
      for (const std::vector<int64_t>& group : groups) {
        const bool together = std::ranges::all_of(group, [&](int64_t member) {
          if (member < 0 || member >= static_cast<int64_t>(machines.size())) return false;
          const Machine& machine = machines[static_cast<size_t>(member)];
          return !machine.done() && &machine.waiting_at() == &site;
        });
        if (!together || group.empty()) continue;
        std::vector<std::vector<Literal>> operands;
        for (int64_t member : group)
          operands.push_back(machines[static_cast<size_t>(member)].waiting_operands());
        auto results = EvaluateCollective(contexts[static_cast<size_t>(group[0])], site, group, operands);
        if (!results) {
          Error error = std::move(results).error();
          if (error.instruction().empty()) error.In(site.name());
          return std::unexpected(std::move(error));
        }
        if (results->size() != group.size()) {
          return InternalError("{} results for {} participants", results->size(), group.size());
        }
        operands.clear();
        for (size_t m = 0; m < group.size(); ++m) {
          Machine& machine = machines[static_cast<size_t>(group[m])];
          SF_CHECK(machine.Resume(std::move((*results)[m])));
          SF_CHECK(machine.Run());
        }
        progress = true;
      }
    }
    if (all_done) return {};
    if (progress) continue;
    for (size_t p = 0; p < machines.size(); ++p) {
      if (machines[p].done()) continue;
      const hlo::Instruction& site = machines[p].waiting_at();
      if (machines.size() == 1) {
        Error error(ErrorKind::kNotSupported,
                    fmt::format("{} among several participants; EvaluateOnAll evaluates them together",
                                hlo::ToString(site.opcode())));
        return std::unexpected(error.In(site.name()));
      }
      Error error(ErrorKind::kBadInput,
                  fmt::format("participant {} waits here for others that never come", p));
      return std::unexpected(error.In(site.name()));
    }
  }
}

Result<Literal> RunAlone(const hlo::Computation& computation, std::span<const Literal> arguments,
                         const EvaluateOptions& options, int64_t replicas, int64_t partitions) {
  SF_CHECK(CheckArguments(computation, arguments));
  std::deque<Context> contexts;
  contexts.emplace_back(options, options.replica, options.partition, replicas, partitions);
  std::deque<Machine> machines;
  machines.emplace_back(contexts[0], computation, std::vector<Literal>(arguments.begin(), arguments.end()));
  SF_CHECK(RunInLockstep(contexts, machines, replicas, partitions));
  return machines[0].TakeResult();
}

}  // namespace
}  // namespace evaluator

Result<Literal> Evaluate(const hlo::Module& module, std::span<const Literal> arguments,
                         const EvaluateOptions& options) {
  return evaluator::RunAlone(*module.entry(), arguments, options, module.header().replica_count,
                             module.header().num_partitions);
}

Result<std::vector<Literal>> EvaluateOnAll(const hlo::Module& module,
                                           std::span<const std::vector<Literal>> arguments,
                                           const EvaluateOptions& options) {
  const int64_t replicas = std::max<int64_t>(module.header().replica_count, 1);
  const int64_t partitions = std::max<int64_t>(module.header().num_partitions, 1);
  constexpr int64_t kMostParticipants = 1 << 16;
  if (replicas > kMostParticipants / partitions) {
    return NotSupported("{} replicas of {} partitions; at most {} participants are evaluated together",
                        replicas, partitions, kMostParticipants);
  }
  if (static_cast<int64_t>(arguments.size()) != replicas * partitions) {
    return BadInput("arguments for {} participants, but the module has {} replicas of {} partitions",
                    arguments.size(), replicas, partitions);
  }
  std::deque<evaluator::Context> contexts;
  std::deque<evaluator::Machine> machines;
  for (int64_t p = 0; p < replicas * partitions; ++p) {
    const std::vector<Literal>& own = arguments[static_cast<size_t>(p)];
    SF_CHECK(evaluator::CheckArguments(*module.entry(), own));
    contexts.emplace_back(options, p / partitions, p % partitions, replicas, partitions);
    machines.emplace_back(contexts.back(), *module.entry(), own);
  }
  SF_CHECK(evaluator::RunInLockstep(contexts, machines, replicas, partitions));
  std::vector<Literal> results;
  for (evaluator::Machine& machine : machines) results.push_back(machine.TakeResult());
  return results;
}

}  // namespace subfloor
