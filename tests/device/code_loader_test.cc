#include "device/host/code_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "device/description/cpu_description.h"

namespace subfloor::device {
namespace {

using ::testing::HasSubstr;

CodeImage Image() {
  std::ifstream file(SUBFLOOR_LOADER_KERNELS, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  CodeImage image;
  image.bytes.resize(bytes.size());
  std::memcpy(image.bytes.data(), bytes.data(), bytes.size());
  image.symbols = {"add_one", "count_calls"};
  image.triple = HostCpu().triple;
  image.kernel_abi_version = SUBFLOOR_KERNEL_ABI_VERSION;
  return image;
}

int32_t Invoke(SubfloorKernel kernel, std::vector<SubfloorKernelArgument> arguments) {
  SubfloorKernelError error{};
  SubfloorKernelCall call{SUBFLOOR_KERNEL_ABI_VERSION,
                          static_cast<uint32_t>(arguments.size()),
                          arguments.data(),
                          {0, 0, 0},
                          {1, 1, 1},
                          nullptr,
                          &error,
                          nullptr};
  return kernel(&call);
}

int32_t CountCalls(const LoadedImage& image) {
  int32_t count = -1;
  EXPECT_EQ(Invoke(*image.Find("count_calls"), {{&count, sizeof(count)}}), 0);
  return count;
}

std::string ErrorOf(const CodeImage& image, ErrorKind kind) {
  auto loaded = LoadCodeImage(image);
  if (loaded) return "it was loaded";
  EXPECT_EQ(loaded.error().kind(), kind);
  return loaded.error().message();
}

TEST(CodeLoader, RunsAKernel) {
  auto image = LoadCodeImage(Image());
  ASSERT_TRUE(image) << image.error().ToString();
  alignas(64) float in[3] = {1, 2, 3}, out[3] = {};
  ASSERT_EQ(Invoke(*(*image)->Find("add_one"), {{in, sizeof(in)}, {out, sizeof(out)}}), 0);
  EXPECT_THAT(out, ::testing::ElementsAre(2, 3, 4));
}

TEST(CodeLoader, UnknownSymbol) {
  auto image = LoadCodeImage(Image());
  ASSERT_TRUE(image);
  EXPECT_THAT((*image)->Find("add_two").error().message(), HasSubstr("'add_two'"));
}

// Loaded, closed and loaded again, descriptor numbers repeat; each load must still be a library of its own.
TEST(CodeLoader, EqualImagesStayApart) {
  auto first = *LoadCodeImage(Image());
  auto second = *LoadCodeImage(Image());
  EXPECT_EQ(CountCalls(*first), 1);
  EXPECT_EQ(CountCalls(*first), 2);
  EXPECT_EQ(CountCalls(*second), 1);
  first.reset();
  EXPECT_EQ(CountCalls(**LoadCodeImage(Image())), 1);
  EXPECT_EQ(CountCalls(*second), 2);
}

int64_t MappedLines() {
  std::ifstream file("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

TEST(CodeLoader, ManyLoadsLeaveNothing) {
  CodeImage image = Image();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(LoadCodeImage(image));  // the allocator settles
  const int64_t before = MappedLines();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(LoadCodeImage(image));
  EXPECT_LE(MappedLines(),
            before + 4);  // one image is 4 lines or more; 2,000 descriptors would not be there either
}

TEST(CodeLoader, ThreadsLoadAtOnce) {
  CodeImage image = Image();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        auto loaded = LoadCodeImage(image);
        if (loaded && CountCalls(**loaded) == 1 && CountCalls(**loaded) == 2) ++good;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8 * 50);
}

TEST(CodeLoader, RefusesWhatDoesNotFit) {
  CodeImage image = Image();
  image.cpu_features = HostCpu().FeatureString() + ",-avx512f,+warp-drive";
  EXPECT_THAT(ErrorOf(image, ErrorKind::kNotSupported), HasSubstr("lacks: warp-drive;"));
  image = Image();
  image.kernel_abi_version = 77;
  EXPECT_THAT(ErrorOf(image, ErrorKind::kNotSupported), HasSubstr("ABI version 77"));
  image = Image();
  image.triple = "riscv64-linux-gnu";
  EXPECT_THAT(ErrorOf(image, ErrorKind::kNotSupported), HasSubstr("riscv64-linux-gnu"));
  image = Image();
  image.cpu_features = HostCpu().FeatureString();
  EXPECT_TRUE(LoadCodeImage(image));
}

TEST(CodeLoader, RefusesDamagedBytes) {
  CodeImage image = Image();
  image.bytes.resize(10);
  EXPECT_THAT(ErrorOf(image, ErrorKind::kBadInput), HasSubstr("10 bytes long"));
  image = Image();
  image.bytes[0] = std::byte{0};
  EXPECT_THAT(ErrorOf(image, ErrorKind::kBadInput), HasSubstr("no 64-bit ELF"));
  // Cut anywhere: an error, never a signal. Section headers at the end are not needed, so the longest cuts
  // may load.
  for (size_t keep = 64; keep < Image().bytes.size(); keep += 97) {
    image = Image();
    image.bytes.resize(keep);
    if (auto loaded = LoadCodeImage(image); !loaded)
      EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadInput) << keep;
  }
}

}  // namespace
}  // namespace subfloor::device
