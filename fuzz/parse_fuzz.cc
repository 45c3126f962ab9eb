// Any bytes given as HLO text: the parser reads them or says what is wrong. What it has read prints, reads
// back, and prints the same again, in full and in canonical form; and the verifier has an opinion on it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "hlo/parser.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"

namespace {

using subfloor::hlo::Module;
using subfloor::hlo::ParseModule;
using subfloor::hlo::Print;
using subfloor::hlo::PrintOptions;

void Fail(const char* what, const std::string& a, const std::string& b) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = ParseModule(text, "fuzz");
  if (!module) {
    if (module.error().position().line == 0) Fail("an error without a place", module.error().ToString(), "");
    return 0;
  }
  const std::string canonical = Print(**module, PrintOptions::Canonical());
  for (const PrintOptions& options :
       {PrintOptions::Short(), PrintOptions::Long(), PrintOptions::ShortParsable()}) {
    const std::string printed = Print(**module, options);
    const auto again = ParseModule(printed, "printed");
    if (!again) Fail("the print does not read", printed, again.error().ToString());
    if (const std::string twice = Print(**again, options); twice != printed)
      Fail("the second print differs", printed, twice);
    if (const std::string other = Print(**again, PrintOptions::Canonical()); other != canonical) {
      Fail("the canonical form differs", canonical, other);
    }
  }
  (void)subfloor::hlo::Verify(**module);
  return 0;
}
