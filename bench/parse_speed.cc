#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "hlo/parser.h"

/// How fast HLO text is read, in time of one core whatever else the machine does: `parse_speed FILE...`
/// prints, for each file, its size and the median speed.
namespace subfloor {
namespace {

// Seconds of each of many parses of `text`, over half a second or five times, whichever takes longer.
Result<std::vector<double>> TimeParses(const std::string& text, const std::string& name) {
  std::vector<double> seconds;
  double total = 0;
  while (total < 0.5 || seconds.size() < 5) {
    const std::clock_t start = std::clock();
    auto module = SF_TRY(hlo::ParseModule(text, name));  // destroyed outside the clock
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    total += seconds.back();
  }
  return seconds;
}

int Main(int count, char** files) {
  for (int i = 1; i < count; ++i) {
    std::ifstream in(files[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto seconds = TimeParses(text, files[i]);
    if (!in || !seconds) {
      fmt::print(stderr, "{}: {}\n", files[i], in ? seconds.error().ToString() : "cannot be read");
      return 1;
    }
    std::ranges::sort(*seconds);
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    fmt::print("{} {:.2f} MB, {:.0f} MB/s\n", files[i], megabytes,
               megabytes / (*seconds)[seconds->size() / 2]);
  }
  return 0;
}

}  // namespace
}  // namespace subfloor

int main(int count, char** arguments) { return subfloor::Main(count, arguments); }
