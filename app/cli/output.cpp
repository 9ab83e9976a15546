#include "app/cli/output.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "app/cli/command.h"

namespace headlight::cli {
namespace {

Error not_written() {
  return failure(ErrorKind::io, "standard output could not be written").mend("free some space or close the pipe later");
}

}  // namespace

Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) return not_written();
  return {};
}

std::string duration(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

int status_with_output(int status) {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || status != kDone) return status;
  std::fprintf(stderr, "headlight: %s\n", not_written().sentence().c_str());
  return kCouldNot;
}

Result<std::string> output_file(const std::string& out, const std::string& in) {
  if (out == "-") {
    if (isatty(STDOUT_FILENO) == 1)
      return usage_error("standard output is a terminal, and the result is no text")
          .at("--out")
          .mend("give a file's name, or a pipe");
    return std::string("/dev/stdout");
  }
  std::error_code none;
  if (!in.empty() && std::filesystem::is_regular_file(out, none) && std::filesystem::equivalent(in, out, none))
    return usage_error("the result would replace what --in names").at("--out").mend("give another file's name");
  return out;
}

std::string number_as(const char* format, double value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

}  // namespace headlight::cli
