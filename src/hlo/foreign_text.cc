#include "hlo/foreign_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace subfloor::hlo {
namespace {

// Where HLO text comes from.
constexpr std::string_view kFromJax = R"(JAX gives HLO text by jax.jit(f).lower(*args).as_text("hlo"))";

struct Signature {
  std::string_view bytes;
  std::string_view message;
};

// What the first bytes of a file say that it is.
constexpr Signature kSignatures[] = {
    {"ML\xefR", "MLIR bytecode, wanted HLO text; {}"},
    {"\x1f\x8b",
     "compressed with gzip, wanted HLO text; unpack it first, as by gunzip -c FILE | subfloor run -"},
    {"PK\x03\x04", "a zip archive, wanted HLO text; unpack it first, as by unzip -p FILE | subfloor run -"},
    {"\x28\xb5\x2f\xfd",
     "compressed with zstd, wanted HLO text; unpack it first, as by zstdcat FILE | subfloor run -"},
    {"\xfd"
     "7zXZ",
     "compressed with xz, wanted HLO text; unpack it first, as by xzcat FILE | subfloor run -"},
    {"BZh", "compressed with bzip2, wanted HLO text; unpack it first, as by bzcat FILE | subfloor run -"},
    {"\x93NUMPY", "a .npy array, wanted HLO text; arrays go into a folder, --inputs=DIR"},
    {"\x7f"
     "ELF",
     "machine code (ELF), wanted HLO text; {}"},
    {"\xff\xfe", "text in UTF-16, wanted ASCII or UTF-8"},
    {"\xfe\xff", "text in UTF-16, wanted ASCII or UTF-8"},
};

bool IsControl(char c) { return static_cast<uint8_t>(c) < ' ' && (c < '\t' || c > '\r'); }

// The text behind spaces and `//` comments.
std::string_view FirstToken(std::string_view text) {
  while (true) {
    const size_t begin = text.find_first_not_of(" \t\n\r\f\v");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with("//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// Begins as a file of MLIR does, and holds an operation as MLIR writes them.
bool IsMlir(std::string_view text) {
  constexpr std::string_view kBegins[] = {"module @",
                                          "module {",
                                          "module attributes",
                                          "builtin.module",
                                          "\"builtin.module",
                                          "func.func",
                                          "#loc",
                                          "#map",
                                          "!",
                                          "#"};
  constexpr std::string_view kHolds[] = {"func.func",      "stablehlo.", "mhlo.",
                                         "builtin.module", "func @",     "arith."};
  const std::string_view first = FirstToken(text);
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return first.starts_with(begin); }) &&
         std::ranges::any_of(kHolds, [&](std::string_view op) { return first.contains(op); });
}

// A message of protocol buffers whose first field is a string or a message, as a module's name is: its tag is
// a newline, its length no text.
bool IsSerialized(std::string_view text) {
  return text.starts_with('\n') &&
         std::ranges::any_of(text.substr(0, 256), [](char c) { return IsControl(c); });
}

}  // namespace

std::string DescribeForeignText(std::string_view text) {
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.bytes)) return fmt::format(fmt::runtime(signature.message), kFromJax);
  }
  if (FirstToken(text).empty()) return fmt::format("nothing here, wanted HLO text; {}", kFromJax);
  if (IsMlir(text)) return fmt::format("MLIR (such as StableHLO), wanted HLO text; {}", kFromJax);
  if (IsSerialized(text)) {
    return fmt::format(
        "a serialized module (HloModuleProto or alike), wanted HLO text; {}, XLA dumps it with "
        "--xla_dump_hlo_as_text",
        kFromJax);
  }
  return {};
}

}  // namespace subfloor::hlo
