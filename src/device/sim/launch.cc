#include "device/sim/launch.h"

#include <utility>

namespace subfloor::device::sim {
namespace {

// "load of %x (model.hlo:7:3)"
std::string TextOf(const SimulatedKernelPlan& plan, uint32_t site) {
  if (site >= plan.sites.size()) return fmt::format("site {}", site);
  const SimulatedSite& s = plan.sites[site];
  std::string text = s.op;
  if (!s.instruction.empty()) text += " of %" + s.instruction;
  if (!s.source.empty()) text += " (" + s.source + ")";
  return text;
}

}  // namespace

FindingGroup& FindingList::GroupOf(Check check, const std::string& kernel, uint32_t site) {
  auto [place, added] = index_.try_emplace({kernel, check, site}, groups_.size());
  if (added) groups_.push_back({check, kernel, site, 0, {}});
  return groups_[place->second];
}

Finding* FindingList::Add(Check check, const SimulatedKernelPlan& plan, uint32_t site) {
  FindingGroup& group = GroupOf(check, plan.symbol, site);
  if (++group.count > kept_of_each_) return nullptr;
  Finding& finding = group.first.emplace_back();
  finding.check = check;
  finding.kernel = plan.symbol;
  finding.site = site;
  if (check != Check::kRedZone) finding.op = TextOf(plan, site);
  return &finding;
}

std::vector<FindingGroup> FindingList::Take() {
  index_.clear();
  return std::exchange(groups_, {});
}

void FindingList::Append(std::vector<FindingGroup> groups) {
  for (FindingGroup& from : groups) {
    FindingGroup& to = GroupOf(from.check, from.kernel, from.site);
    to.count += from.count;
    for (Finding& finding : from.first) {
      if (to.first.size() < kept_of_each_) to.first.push_back(std::move(finding));
    }
  }
}

std::string FindingList::Summary() const {
  uint64_t count = 0;
  const Finding* first = nullptr;
  for (const FindingGroup& group : groups_) {
    count += group.count;
    if (first == nullptr && !group.first.empty()) first = &group.first.front();
  }
  std::string text = first != nullptr ? first->ToString() : "faults of the kernel, none of them kept";
  if (count > 1) text += fmt::format("; {} findings in all", count);
  return text;
}

}  // namespace subfloor::device::sim
