#include <algorithm>
#include <fstream>
#include <mutex>

#include "codegen/target/host.h"
#include "codegen/target/temporary_folder.h"
#include "device/description/kernel_abi.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace subfloor::codegen {
Result<device::CodeImage> LinkImage(std::span<const ObjectBytes> objects, std::vector<std::string> exported,
                                    const device::CpuDescription& cpu) {
  TemporaryFolder folder;
  if (folder.path().empty()) return OutOfResources("cannot make a temporary folder to link in");
  const std::string output = (folder.path() / "kernels.so").string();
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--no-undefined",
                                        "--hash-style=gnu",
                                        "--build-id=none",
                                        "-soname",
                                        "subfloor-kernels",
                                        "-z",
                                        "noexecstack",
                                        "--threads=1",
                                        "-o",
                                        output};
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string path = (folder.path() / fmt::format("part{}.o", i)).string();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(objects[i].data()),
               static_cast<std::streamsize>(objects[i].size()));
    if (!file.flush()) return OutOfResources("cannot write {}", path);
    arguments.push_back(path);
  }
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  std::string said;
  {
    static std::mutex one_at_a_time;  // lld keeps its state in globals
    std::lock_guard lock(one_at_a_time);
    llvm::raw_string_ostream out(said);
    const lld::Result result = lld::lldMain(pointers, out, out, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) return InternalError("the kernels do not link: {}", said);
  }
  device::CodeImage image;
  std::ifstream file(output, std::ios::binary | std::ios::ate);
  if (!file) return OutOfResources("cannot read {}", output);
  image.bytes.resize(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(image.bytes.data()), static_cast<std::streamsize>(image.bytes.size()));
  if (!file) return OutOfResources("cannot read {}", output);
  image.symbols = std::move(exported);
  image.triple = cpu.triple;
  image.cpu_features = cpu.FeatureString();
  image.kernel_abi_version = SUBFLOOR_KERNEL_ABI_VERSION;
  return image;
}

}  // namespace subfloor::codegen
