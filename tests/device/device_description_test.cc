#include "device/description/device_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace subfloor::device {
namespace {

using ::testing::HasSubstr;

// The text of the H100 with one line replaced, or without it.
std::string With(std::string_view key, std::string_view line) {
  std::string text = Print(*DeviceByName("h100"));
  const size_t begin = text.find("\n" + std::string(key) + ":") + 1;
  const size_t end = text.find('\n', begin) + 1;
  return text.substr(0, begin) + std::string(line) + text.substr(end);
}

std::string ErrorOf(const std::string& text) {
  const Result<DeviceDescription> parsed = ParseDeviceDescription(text, "my.txt");
  return parsed ? "none" : parsed.error().ToString();
}

TEST(DeviceDescription, KnowsTheDevicesOfItsTexts) {
  EXPECT_THAT(KnownDevices(), ::testing::ElementsAre("a100", "b200", "h100", "h200", "mi250", "mi300",
                                                     "mi350", "rtx4090", "rtx_pro_6000"));
  for (std::string_view name : KnownDevices()) {
    const Result<DeviceDescription> device = DeviceByName(name);
    ASSERT_TRUE(device) << device.error().ToString();
    EXPECT_EQ(device->name, name);
    EXPECT_EQ(device->threads_per_warp, device->vendor() == Vendor::kAmd ? 64 : 32) << name;
  }
}

TEST(DeviceDescription, NamesAreForgiving) {
  EXPECT_EQ(DeviceByName("MI300X")->name, "mi300");
  EXPECT_EQ(DeviceByName("RTX-4090")->name, "rtx4090");
  EXPECT_EQ(DeviceByName("mi355x")->name, "mi350");
  const auto unknown = DeviceByName("h101");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message(), HasSubstr("no device is called 'h101'; the nearest is h100"));
}

TEST(DeviceDescription, PrintsWhatItParses) {
  for (std::string_view name : KnownDevices()) {
    const DeviceDescription device = *DeviceByName(name);
    const Result<DeviceDescription> again = ParseDeviceDescription(Print(device), "printed");
    ASSERT_TRUE(again) << again.error().ToString();
    EXPECT_EQ(*again, device);
  }
}

TEST(DeviceDescription, CapabilitiesAreExact) {
  const auto h100 = std::get<CudaCapability>(*ParseCapability("sm_90a"));
  EXPECT_EQ(h100, (CudaCapability{9, 0, CudaCapability::Feature::kArchitecture}));
  EXPECT_EQ(std::get<CudaCapability>(*ParseCapability("sm_103f")),
            (CudaCapability{10, 3, CudaCapability::Feature::kFamily}));
  EXPECT_TRUE(h100.AtLeast(8, 9));
  EXPECT_FALSE(h100.AtLeast(9, 1));
  const auto mi250 = std::get<AmdCapability>(*ParseCapability("gfx90a:xnack-:sramecc+"));
  EXPECT_EQ(mi250, (AmdCapability{"gfx90a", AmdCapability::Setting::kOn, AmdCapability::Setting::kOff}));
  for (const char* text : {"sm_80", "sm_90a", "sm_100f", "sm_120", "gfx942", "gfx90a:sramecc+:xnack-"}) {
    EXPECT_EQ(ToString(*ParseCapability(text)), text);
  }
  for (const char* text :
       {"", "sm_", "sm_9", "sm_90b", "sm_1000", "90", "gfx", "gfx942:", "gfx942:xnack", "gfx9g2"}) {
    EXPECT_FALSE(ParseCapability(text)) << text;
  }
}

TEST(DeviceDescription, ErrorsNameLineFoundAndWanted) {
  EXPECT_THAT(ErrorOf(With("core_count", "  cores: 3\ncore_count: 3\n")),
              HasSubstr("my.txt:15:3: unknown key 'cores'"));
  EXPECT_THAT(ErrorOf(With("core_count", "core_cuont: 3\n")),
              HasSubstr("unknown key 'core_cuont'; the nearest is 'core_count'"));
  EXPECT_EQ(ErrorOf(With("core_count", "core_count: many\n")),
            "my.txt:15:1: core_count wants an integer, found 'many'");
  EXPECT_EQ(ErrorOf(With("core_count", "core_count: 0\n")),
            "my.txt:15:1: core_count wants 1 or more, found 0");
  EXPECT_EQ(ErrorOf(With("core_count", "core_count:\n")), "my.txt:15:1: core_count has no value");
  EXPECT_EQ(ErrorOf(With("core_count", "core_count: 1\ncore_count: 2\n")),
            "my.txt:16:1: core_count is given twice, first in line 15");
  EXPECT_EQ(ErrorOf(With("core_count", "core count 3\n")),
            "my.txt:15:1: found 'core count 3', wanted 'key: value'");
  EXPECT_EQ(ErrorOf(With("core_count", "")), "my.txt: missing: core_count");
  EXPECT_EQ(ErrorOf(With("clock_ghz", "clock_ghz: -1\n")),
            "my.txt:27:1: clock_ghz wants a positive number, found '-1'");
  EXPECT_THAT(ErrorOf(With("capability", "capability: h100\n")), HasSubstr("capability wants a form like"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("missing: name, model, capability"));
}

TEST(DeviceDescription, LimitsThatPlansCountOnAreKept) {
  EXPECT_THAT(ErrorOf(With("threads_per_block_limit", "threads_per_block_limit: 512\n")),
              HasSubstr("wants 1024 or more, found 512"));
  EXPECT_THAT(ErrorOf(With("threads_per_warp", "threads_per_warp: 48\n")),
              HasSubstr("wants 32 or 64, found 48"));
  EXPECT_THAT(ErrorOf(With("vector_access_bits", "vector_access_bits: 96\n")),
              HasSubstr("wants a power of two"));
  EXPECT_THAT(ErrorOf(With("shared_per_block_optin_bytes", "shared_per_block_optin_bytes: 20000\n")),
              HasSubstr("wants 49152 (shared_per_block_bytes) or more"));
  EXPECT_THAT(ErrorOf(With("core_count", "core_count: 9000000000\n")), HasSubstr("is more than"));
}

TEST(DeviceDescription, CommentsAndSpaceMeanNothing) {
  const std::string text = "# mine\n\n  \t\n" + With("core_count", "  core_count :  7   # seven\r\n");
  EXPECT_EQ(ParseDeviceDescription(text, "my.txt")->core_count, 7);
}

}  // namespace
}  // namespace subfloor::device
