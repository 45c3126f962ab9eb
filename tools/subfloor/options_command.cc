#include <memory>

#include "tools/subfloor/commands.h"

namespace subfloor::tool {

void AddOptions(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("options", "List what --set can set, with defaults and what each changes");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("name", *names, "only these options")->type_name("NAME");
  command->callback([&action, names] {
    action = [names]() -> Result<int> {
      fmt::print("{}", SF_TRY(driver::DescribeOptions(driver::Options(), *names)));
      return kRight;
    };
  });
}

}  // namespace subfloor::tool
