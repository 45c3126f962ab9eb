#pragma once

#include "driver/compiler.h"

/// Passes by hand: what `subfloor opt` does.
namespace subfloor::driver {

std::vector<PassInfo> ListPasses();
std::vector<std::string_view> ListPipeline();
Status RunPasses(hlo::Module& module, std::span<const std::string> names, const Options& options);
Status RunPipeline(hlo::Module& module, std::string_view until, const Options& options);

}  // namespace subfloor::driver
