#include "device/host/code_loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "device/description/cpu_description.h"

namespace subfloor::device {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string_view Architecture(std::string_view triple) { return triple.substr(0, triple.find('-')); }

Status CheckMachine(const CodeImage& image) {
  const CpuDescription& host = HostCpu();
  if (Architecture(image.triple) != Architecture(host.triple) ||
      image.triple.find("linux") == std::string::npos)
    return NotSupported("the code image is for {}, this machine is {}; compile it for --target=host",
                        image.triple, host.triple);
  if (image.kernel_abi_version != SUBFLOOR_KERNEL_ABI_VERSION)
    return NotSupported(
        "the code image has kernel ABI version {}, this build runs version {}; compile it again",
        image.kernel_abi_version, SUBFLOOR_KERNEL_ABI_VERSION);
  std::string missing;
  for (std::string_view rest = image.cpu_features; !rest.empty();) {
    size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (!word.starts_with('+') || host.Has(word.substr(1))) continue;  // "-feature" asks for nothing
    if (!missing.empty()) missing += ", ";
    missing += word.substr(1);
  }
  if (!missing.empty())
    return NotSupported(
        "the code image needs CPU features that this machine lacks: {}; compile it for --target=host",
        missing);
  return {};
}

// The dynamic loader maps what the headers say without looking at the file's length, and a page beyond the
// end is a SIGBUS.
Status CheckElf(const CodeImage& image) {
  Elf64_Ehdr header;
  if (image.bytes.size() < sizeof(header))
    return BadInput("the code image is {} bytes long, no ELF file", image.bytes.size());
  std::memcpy(&header, image.bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    return BadInput("the code image is no 64-bit ELF shared object");
  const int machine = Architecture(image.triple) == "x86_64" ? EM_X86_64 : EM_AARCH64;
  if (header.e_machine != machine)
    return BadInput("the code image says {} but holds code for ELF machine {}", image.triple,
                    header.e_machine);
  const uint64_t size = image.bytes.size();
  const uint64_t table = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 || header.e_phoff > size ||
      table > size - header.e_phoff)
    return BadInput("the code image is damaged: no program headers within its {} bytes", size);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.bytes.data() + header.e_phoff + static_cast<size_t>(i) * sizeof(segment),
                sizeof(segment));
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return BadInput("the code image is damaged: segment {} ends beyond its {} bytes", i, size);
  }
  return {};
}

Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return OutOfResources("cannot write {} bytes of code: {}", bytes.size(), std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

// A path to the descriptor that no image loaded before has had: the dynamic loader takes equal paths for the
// same library, and descriptors' numbers come back once they are closed. "/." and "/" add nothing to a path,
// so they can spell a counter.
std::string UniquePath(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc";
  for (uint64_t n = counter.fetch_add(1); n != 0; n >>= 1) path += (n & 1) ? "/./" : "//";
  return path + fmt::format("/self/fd/{}", fd);
}

}  // namespace

LoadedImage::~LoadedImage() { dlclose(handle_); }

Result<SubfloorKernel> LoadedImage::Find(const std::string& symbol) const {
  void* address = dlsym(handle_, symbol.c_str());
  if (address == nullptr) return BadInput("the code image exports no kernel called '{}'", symbol);
  return reinterpret_cast<SubfloorKernel>(address);
}

Result<std::unique_ptr<LoadedImage>> LoadCodeImage(const CodeImage& image) {
  SF_CHECK(CheckMachine(image));
  SF_CHECK(CheckElf(image));
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, which kernels before 6.3 do not know
  int raw = memfd_create("subfloor-kernels", MFD_CLOEXEC | kExecutable);
  if (raw < 0 && errno == EINVAL) raw = memfd_create("subfloor-kernels", MFD_CLOEXEC);
  FileDescriptor file(raw);
  if (raw < 0) return OutOfResources("cannot make a memory file for code: {}", std::strerror(errno));
  SF_CHECK(WriteAll(file.get(), image.bytes));
  void* handle = dlopen(UniquePath(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return BadInput("the code image does not load: {}", dlerror());
  return std::unique_ptr<LoadedImage>(new LoadedImage(handle));
}

}  // namespace subfloor::device
