#include "app/export/clipboard.h"

#include <cstdlib>

#include "app/export/child_process.h"

namespace headlight {
namespace {

constexpr double kMostSeconds = 5;

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

}  // namespace

Result<std::vector<std::string>> picture_clipboard() {
  const bool wayland = is_set("WAYLAND_DISPLAY"), x11 = is_set("DISPLAY");
  if (wayland && find_program("wl-copy")) return std::vector<std::string>{"wl-copy", "--type", "image/png"};
  if (x11 && find_program("xclip")) return std::vector<std::string>{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"};
  if (!wayland && !x11) return failure(ErrorKind::unavailable, "there is no desktop whose clipboard could hold it");
  return failure(ErrorKind::unavailable, "no program here puts pictures on the clipboard")
      .mend(wayland ? Message("install wl-clipboard") : Message("install xclip"));
}

Status copy_png(std::string_view png) {
  HL_ASSIGN(const std::vector<std::string> program, picture_clipboard());
  return feed_program(program, png, kMostSeconds);
}

}  // namespace headlight
