// Parses arguments, then opens the window or runs a command; nothing else.
#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "headlight_version.h"

int main(int argc, char** argv) {
  using namespace headlight;
  CLI::App app("Headlight: type a sentence and watch attention happen", "headlight");
  app.set_version_flag("--version", std::string("headlight " HEADLIGHT_VERSION " (" HEADLIGHT_COMMIT ")"));
  std::function<int()> action;
  for (const cli::Entry& command : cli::registry().entries()) {
    CLI::App* sub = app.add_subcommand(command.id, command.label);
    sub->callback([&action, &command, run = command.define(*sub)] { action = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kWrongUsage;
  }
  return action ? action() : cli::kDone;
}
