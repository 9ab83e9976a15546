#include "app/cli/budget_option.h"

#include <charconv>
#include <cmath>

#include "engine/backends/base/host_backend.h"
#include "engine/core/byte_words.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

// What a size counts in: kB to TB are powers of 1000, KiB to TiB of 1024; 0 for another word.
double unit_of(std::string unit) {
  while (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
  if (unit.empty() || unit == "B") return 1;
  constexpr std::string_view kPrefixes = "kMGT";
  if (unit.front() == 'K') unit.front() = 'k';
  const std::size_t power = kPrefixes.find(unit.front());
  const std::string rest = unit.substr(1);
  if (power == std::string_view::npos) return 0;
  if (rest == "B" || rest.empty()) return std::pow(1000.0, static_cast<double>(power + 1));
  return rest == "iB" ? std::pow(1024.0, static_cast<double>(power + 1)) : 0;
}

}  // namespace

void add_budget_option(Arguments& arguments, std::string& text) {
  arguments
      .option("--budget", text,
              "How much memory the trace may take, as 16GB or 512MiB, at most the machine's [" +
                  byte_words(static_cast<double>(RunOptions{}.budget_bytes)) + "]")
      .type("SIZE");
}

Result<std::uint64_t> budget_from(const std::string& text) {
  if (text.empty()) return RunOptions{}.budget_bytes;
  HL_ASSIGN(const std::uint64_t bytes, size_from("--budget", text));
  const std::uint64_t memory = backends::physical_memory();
  if (memory > 0 && bytes > memory)
    return failure(ErrorKind::too_large, "this is more than the machine's memory, which is {}",
                   byte_words(static_cast<double>(memory)))
        .at("--budget")
        .mend("give less");
  return bytes;
}

Result<std::uint64_t> size_from(const char* option, const std::string& text) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const double unit = unit_of(std::string(stop, text.data() + text.size()));
  if (problem != std::errc() || !(number > 0) || unit == 0)
    return usage_error("'{}' is no size", text).at(Message::name(option)).mend("give a number of bytes, as 16GB, 512MiB or 3e9");
  return static_cast<std::uint64_t>(std::min(number * unit, 9e18));
}

}  // namespace headlight::cli
