#include "passes/pass.h"

#include <algorithm>

#include "hlo/verifier.h"

namespace subfloor::passes {

Result<bool> RunPass(const Pass& pass, hlo::Module& module, PassContext& context) {
  if (std::ranges::find(context.options.skip, pass.name) != context.options.skip.end()) {
    const auto number = static_cast<int64_t>(context.times.size()) + context.skipped++;
    return decision::Decide(context.log, decision::Question::kRunPass, false,
                            decision::Fact::kSkippedByOption, number);
  }
  if (pass.run == nullptr) return InternalError("no pass is called {}", pass.name);
  const auto begin = std::chrono::steady_clock::now();
  Result<bool> changed = pass.run(module, context);
  context.times.push_back(
      {std::string(pass.name), std::chrono::steady_clock::now() - begin, changed.value_or(false)});
  if (!changed) return changed;
  if (!*changed) return false;
  if (context.options.verify) {
    if (Status verified = hlo::Verify(module); !verified) {
      return InternalError("pass {} made a module that does not verify: {}", pass.name,
                           verified.error().ToString());
    }
  }
  if (context.on_change) context.on_change(pass.name, module);
  return true;
}

}  // namespace subfloor::passes
