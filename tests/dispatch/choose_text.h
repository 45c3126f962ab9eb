#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "device/description/device_description.h"
#include "dispatch/gpu_dispatch.h"
#include "hlo/parser.h"

namespace subfloor::dispatch {

/// A fusion's body as text, and what was decided about it.
struct Chosen {
  std::unique_ptr<hlo::Module> module;
  Result<GpuChoice> choice = GpuChoice();
  decision::Log log;

  /// "kind/emitter", or the error's message.
  std::string Answer() const {
    if (!choice) return choice.error().message();
    return std::string(ToString(choice->kind)) + "/" + std::string(ToString(choice->emitter));
  }
  /// "yes: because" of the last record of a question; "not asked".
  std::string Asked(decision::Question question) const {
    std::string answer = "not asked";
    for (const decision::Record& record : log.records()) {
      if (record.question != question) continue;
      answer = (record.answer == decision::Answer::kYes ? "yes: " : "no: ") + decision::Text(record);
    }
    return answer;
  }
  template <typename Plan>
  const Plan& As() const {
    return std::get<Plan>(choice->plan);
  }
};

inline device::DeviceDescription Device(std::string_view name = "h100") {
  Result<device::DeviceDescription> device = device::DeviceByName(name);
  EXPECT_TRUE(device) << device.error().ToString();
  return *device;
}

/// Decides about the last computation of `text`; `add` (f32) and `less` are there to be called.
inline Chosen ChooseText(std::string_view text, const device::DeviceDescription& device = Device()) {
  const std::string whole =
      "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT l = pred[] compare(a, b), direction=LT\n}\n" +
      std::string(text);
  Chosen chosen;
  Result<std::unique_ptr<hlo::Module>> module = hlo::ParseModule(whole);
  EXPECT_TRUE(module) << module.error().ToString();
  if (!module) return chosen;
  chosen.module = *std::move(module);
  chosen.choice = ChooseGpuEmitter(*chosen.module->entry(), 0, device, &chosen.log);
  return chosen;
}

/// The same for the root of the last computation: a fusion instruction, or an op alone.
inline Chosen ChooseRoot(std::string_view text, const device::DeviceDescription& device = Device()) {
  Chosen chosen;
  Result<std::unique_ptr<hlo::Module>> module = hlo::ParseModule(text);
  EXPECT_TRUE(module) << module.error().ToString();
  if (!module) return chosen;
  chosen.module = *std::move(module);
  chosen.choice = ChooseGpuEmitter(*chosen.module->entry()->root(), device, &chosen.log);
  return chosen;
}

}  // namespace subfloor::dispatch
