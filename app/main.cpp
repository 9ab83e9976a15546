// Parses arguments, then opens the window or runs a command; nothing else.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"
#include "headlight_version.h"
#ifdef HEADLIGHT_APP
#include "app/window/hooks.h"
#endif

int main(int argc, char** argv) {
  using namespace headlight;
#ifdef HEADLIGHT_APP
  window::install_hooks();
#endif
  CLI::App app("Headlight: type a sentence and watch attention happen", "headlight");
  app.set_version_flag("--version", std::string("headlight " HEADLIGHT_VERSION " (" HEADLIGHT_COMMIT ")"));
  cli::WindowOptions window;
  app.add_option("--session", window.session, "Open this session file and keep it up to date; it is made if it does not exist");
  app.add_flag("--fresh", window.fresh, "Ignore the configuration and the last session");
  app.add_option("--ui-scale", window.ui_scale, "Size of everything in the window, instead of the display's")
      ->check(CLI::Range(0.5, 4.0));
  app.footer("Without a command the window opens.");
  app.require_subcommand(0, 1);
  // One line, like every other error of the commands.
  app.failure_message([](const CLI::App* from, const CLI::Error& error) {
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
    std::string command = from->get_name();
    for (const CLI::App* used : from->get_subcommands()) command += " " + used->get_name();
    return command + ": " + what + "; run it with --help for what there is\n";
  });

  std::function<int()> action;
  for (const cli::Entry& command : cli::registry().entries()) {
    CLI::App* sub = app.add_subcommand(command.id, command.label);
    sub->callback([&action, run = command.define(*sub)] { action = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kWrongUsage;
  }
  if (action) return action();
  if (cli::window_hooks().open) return cli::window_hooks().open(window);
  std::fprintf(stderr, "headlight: %s\n", cli::no_window("open one").sentence().c_str());
  return cli::kCouldNot;
}
