// Parses arguments, then opens the window or runs a command; nothing else.
#include <cstdio>

#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
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
  cli::Arguments arguments("Headlight: type a sentence and watch attention happen", "headlight");
  arguments.version("--version", "headlight " HEADLIGHT_VERSION " (" HEADLIGHT_COMMIT ")");
  cli::WindowOptions window;
  arguments.option("--session", window.session, "Open this session file and keep it up to date; it is made if it does not exist");
  arguments.flag("--fresh", window.fresh, "Ignore the configuration and the last session");
  arguments.option("--ui-scale", window.ui_scale, "Size of everything in the window, instead of the display's")
      .within_reals(0.5, 4.0);
  arguments.footer("Without a command the window opens.");
  arguments.takes_at_most_a_command();

  std::function<int()> action;
  for (const cli::Entry& command : cli::registry().entries()) {
    cli::Arguments own = arguments.command(command.id, command.label);
    own.when_chosen([&action, run = command.define(own)] { action = run; });
  }
  if (const std::optional<int> status = arguments.read(argc, argv)) return cli::status_with_output(*status);
  if (action) {
    const int status = action();
    cli::die_if_interrupted();
    return cli::status_with_output(status);
  }
  if (cli::window_hooks().open) return cli::window_hooks().open(window);
  std::fprintf(stderr, "headlight: %s\n", cli::no_window(Message("open one")).sentence().c_str());
  return cli::kCouldNot;
}
