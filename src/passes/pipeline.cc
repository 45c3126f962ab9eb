#include "passes/pipeline.h"

namespace subfloor::passes {

Pipeline& Pipeline::Add(const Pass& pass) {
  groups_.push_back({std::string(pass.name), {pass}, /*max_rounds=*/1});
  return *this;
}

Pipeline& Pipeline::Repeat(std::string name, std::vector<Pass> passes, int max_rounds) {
  groups_.push_back({std::move(name), std::move(passes), max_rounds});
  return *this;
}

template <typename Stop>
Result<bool> Pipeline::RunGroups(hlo::Module& module, PassContext& context, bool& changed, Stop stop) const {
  for (const Group& group : groups_) {
    // A pass whose whole group has run since its last change needs no further run: count the quiet ones in a
    // row.
    size_t quiet = 0;
    for (int round = 0; round < group.max_rounds && quiet < group.passes.size(); ++round) {
      for (const Pass& pass : group.passes) {
        const bool pass_changed = SF_TRY(RunPass(pass, module, context));
        changed |= pass_changed;
        if (stop(pass)) return true;
        quiet = pass_changed ? 0 : quiet + 1;
        if (quiet >= group.passes.size()) break;
      }
    }
  }
  return false;
}

Result<bool> Pipeline::Run(hlo::Module& module, PassContext& context) const {
  bool changed = false;
  SF_CHECK(RunGroups(module, context, changed, [](const Pass&) { return false; }));
  return changed;
}

Result<bool> Pipeline::RunUntil(std::string_view last, int count, hlo::Module& module,
                                PassContext& context) const {
  bool changed = false;
  return RunGroups(module, context, changed,
                   [&](const Pass& pass) { return pass.name == last && --count <= 0; });
}

std::vector<Pass> Pipeline::passes() const {
  std::vector<Pass> all;
  for (const Group& group : groups_) all.insert(all.end(), group.passes.begin(), group.passes.end());
  return all;
}

}  // namespace subfloor::passes
