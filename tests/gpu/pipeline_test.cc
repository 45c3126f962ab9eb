#include "gpu/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace subfloor::gpu {
namespace {

TEST(Pipeline, EveryNameIsAPass) {
  for (Fusing fusing : {Fusing::kOneBody, Fusing::kAsGiven, Fusing::kOurs}) {
    const auto passes = MakePipeline(fusing).passes();
    EXPECT_GT(passes.size(), 2u);
    for (const passes::Pass& pass : passes) EXPECT_NE(pass.run, nullptr) << pass.name;
  }
}

TEST(Pipeline, FusionsOfTheProgramGoOnlyWhereItIsFusedAnew) {
  const auto has = [](Fusing fusing, std::string_view name) {
    const auto passes = MakePipeline(fusing).passes();
    return std::ranges::find(passes, name, &passes::Pass::name) != passes.end();
  };
  EXPECT_TRUE(has(Fusing::kOurs, "inline-fusions"));
  EXPECT_FALSE(has(Fusing::kAsGiven, "inline-fusions"));
  EXPECT_FALSE(has(Fusing::kOneBody, "wrap-in-fusions"));
}

}  // namespace
}  // namespace subfloor::gpu
