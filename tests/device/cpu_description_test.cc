#include "device/description/cpu_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "device/description/cgroup.h"

namespace subfloor::device {
namespace {

using ::testing::HasSubstr;

// The kernel lists what both the CPU and the system offer, under names of its own.
TEST(HostCpu, AgreesWithTheKernel) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (std::getline(file, line))
    if (line.starts_with("flags")) flags = " " + line.substr(line.find(':') + 1) + " ";
  if (flags.empty()) GTEST_SKIP() << "no x86 flags in /proc/cpuinfo";
  const std::pair<const char*, const char*> names[] = {
      {"avx", " avx "},         {"avx2", " avx2 "},
      {"fma", " fma "},         {"bmi", " bmi1 "},
      {"bmi2", " bmi2 "},       {"lzcnt", " abm "},
      {"popcnt", " popcnt "},   {"f16c", " f16c "},
      {"movbe", " movbe "},     {"avx512f", " avx512f "},
      {"gfni", " gfni "},       {"avx512bf16", " avx512_bf16 "},
      {"vaes", " vaes "},       {"avx512vl", " avx512vl "},
      {"sse4.1", " sse4_1 "},   {"avx512vbmi2", " avx512_vbmi2 "},
      {"sahf", " lahf_lm "},    {"cx16", " cx16 "},
      {"aes", " aes "},         {"avx512fp16", " avx512_fp16 "},
      {"adx", " adx "},         {"ssse3", " ssse3 "},
      {"avxvnni", " avx_vnni "}};
  for (auto [ours, kernels] : names)
    EXPECT_EQ(HostCpu().Has(ours), flags.find(kernels) != std::string::npos) << ours;
}

TEST(HostCpu, IsPlausible) {
  const CpuDescription& cpu = HostCpu();
  EXPECT_GE(cpu.cores, 1);
  EXPECT_TRUE(std::ranges::is_sorted(cpu.features));
  EXPECT_GE(cpu.l1_bytes, 8 << 10);
  EXPECT_LE(cpu.l1_bytes, cpu.l2_bytes);
}

TEST(CpuByName, LevelsHoldTheirFeatures) {
  CpuDescription v3 = *CpuByName("x86-64-v3");
  EXPECT_EQ(v3.FeatureString(),
            "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3,"
            "+xsave");
  EXPECT_FALSE(v3.Has("avx512f"));
  EXPECT_FALSE(v3.Has("av"));
  EXPECT_EQ(v3.vector_bits, 256);
  EXPECT_TRUE(CpuByName("x86-64-v4")->Has("avx512vl"));
  EXPECT_FALSE(CpuByName("x86-64-v2")->Has("avx"));
  EXPECT_EQ(CpuByName("aarch64")->triple, "aarch64-linux-gnu");
  EXPECT_EQ(CpuByName("host")->features, HostCpu().features);
}

TEST(CpuByName, UnknownNamesTheNearest) {
  auto cpu = CpuByName("x86-64v4");
  ASSERT_FALSE(cpu);
  EXPECT_EQ(cpu.error().kind(), ErrorKind::kBadInput);
  EXPECT_THAT(cpu.error().message(), HasSubstr("the nearest is 'x86-64-v4'"));
  EXPECT_THAT(CpuByName("arm64").error().message(), HasSubstr("aarch64"));
}

class Cgroup : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/subfloor_cgroup_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(Cgroup, V2TakesTheLeastOfAllAncestors) {
  Write("/a/cpu.max", "150000 100000\n");
  Write("/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(CgroupCpuLimit("0::/a/b\n", root_), 2);  // 1.5 rounds up
  Write("/a/b/cpu.max", "20000 100000\n");
  EXPECT_EQ(CgroupCpuLimit("0::/a/b\n", root_), 1);
  EXPECT_EQ(CgroupCpuLimit("0::/elsewhere\n", root_), std::nullopt);
}

TEST_F(Cgroup, V2PathOutsideTheContainerFallsBackToItsRoot) {
  Write("/cpu.max", "300000 100000\n");
  EXPECT_EQ(CgroupCpuLimit("0::/host/path/not/visible\n", root_), 3);
}

TEST_F(Cgroup, V1) {
  Write("/cpu/x/cpu.cfs_quota_us", "250000\n");
  Write("/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CgroupCpuLimit("3:cpuset:/x\n4:cpu,cpuacct:/x\n", root_), 3);
  Write("/cpu/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(CgroupCpuLimit("4:cpu,cpuacct:/x\n", root_), std::nullopt);
}

TEST_F(Cgroup, MemoryOfAllAncestors) {
  Write("/a/memory.max", "5000000\n");
  Write("/a/b/memory.max", "max\n");
  EXPECT_EQ(CgroupMemoryLimit("0::/a/b\n", root_), 5'000'000);
  EXPECT_EQ(CgroupMemoryLimit("0::/elsewhere\n", root_), std::nullopt);
  Write("/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(CgroupMemoryLimit("4:memory:/x\n", root_), std::nullopt);
  Write("/memory/x/memory.limit_in_bytes", "4096\n");
  EXPECT_EQ(CgroupMemoryLimit("4:memory:/x\n", root_), 4096);
}

TEST_F(Cgroup, NonsenseIsNoQuota) { EXPECT_EQ(CgroupCpuLimit("nonsense\n:\n", root_), std::nullopt); }

}  // namespace
}  // namespace subfloor::device
