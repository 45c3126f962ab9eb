#include "tools/subfloor/commands.h"

namespace subfloor::tool {

void AddOptions(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("options", "List every option that --set takes");
  command->callback([&action] {
    action = [] {
      fmt::print("{}", driver::DescribeOptions(driver::Options()));
      return kRight;
    };
  });
}

}  // namespace subfloor::tool
