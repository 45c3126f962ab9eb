#include "cpu/pipeline.h"

#include <gtest/gtest.h>

namespace subfloor::cpu {
namespace {

TEST(Pipeline, EveryNameIsAPass) {
  for (const passes::Pass& pass : MakePipeline().passes()) EXPECT_NE(pass.run, nullptr) << pass.name;
}

}  // namespace
}  // namespace subfloor::cpu
