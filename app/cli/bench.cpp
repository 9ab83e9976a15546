#include "app/cli/bench.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace headlight::cli {
namespace {

bench::Request sandbox(std::int64_t tokens) {
  bench::Request r;
  r.tokens = tokens;
  r.layers = 6;
  r.d = 256;
  r.heads = 8;
  return r;
}

bench::Request eight_heads() {
  bench::Request r;
  r.heads = 8;
  return r;
}

// How each size option is called, where it goes, and what it may be.
struct SizeOption {
  std::int64_t bench::Request::*member;
  std::int64_t most;
  const char* help;
};
const std::map<std::string, SizeOption>& size_options() {
  static const std::map<std::string, SizeOption> all{
      {"words", {&bench::Request::words, 1 << 24, "words (sequences) W"}},
      {"length", {&bench::Request::length, 1 << 20, "symbols a word, l"}},
      {"vocab", {&bench::Request::vocab, 1 << 24, "symbols in the vocabulary, n"}},
      {"d", {&bench::Request::d, 1 << 20, "model width d"}},
      {"heads", {&bench::Request::heads, 1 << 12, "attention heads"}},
      {"tokens", {&bench::Request::tokens, 1 << 20, "tokens in the sentence"}},
      {"layers", {&bench::Request::layers, 1 << 10, "layers"}},
  };
  return all;
}

bool on_terminal() {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(STDERR_FILENO) != 0;
#else
  return false;
#endif
}

struct Options {
  bench::Request request;
  std::string backend = "cpu";
  double seconds = 3;
  bool json = false;
};

Status run(const BenchEntry& entry, const Options& options) {
  bench::Request request = options.request;
  for (const std::string& name : entry.options) {
    const SizeOption& option = size_options().at(name);
    const std::int64_t value = request.*option.member;
    if (value < 1 || value > option.most) {
      return usage_error("it is " + std::to_string(value), "--" + name, "give 1 to " + std::to_string(option.most));
    }
  }
  if (!(options.seconds > 0) || options.seconds > 3600) return usage_error("it must be above 0 and at most 3600", "--seconds");
  if (entry.needs_backend) {
    HL_ASSIGN(request.backend, open_backend(options.backend));
  }
  request.effort.seconds = options.seconds;
  const bool shows = on_terminal();
  if (shows) {
    request.progress = [&](const std::string& text) { std::fprintf(stderr, "\r\033[K%s: %s", entry.id.c_str(), text.c_str()); };
  }
  const auto rows = entry.run(request, interrupt_token());
  if (shows) std::fprintf(stderr, "\r\033[K");
  if (!rows) return rows.error();
  const std::string text = options.json ? json_of(*rows) : table_of(*rows);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

}  // namespace

const Registry<BenchEntry>& benches() {
  static const Registry<BenchEntry> all("benchmark", {
                                                         {"isdpa",
                                                          "Index-based against written-out attention (q, qk, layer)",
                                                          {},
                                                          "S1, S2, S3",
                                                          {},
                                                          {"words", "length", "vocab", "d"},
                                                          bench::isdpa},
                                                         {"sdpa",
                                                          "A multi-head attention layer, kept and fused",
                                                          {},
                                                          "S6",
                                                          eight_heads(),
                                                          {"words", "length", "vocab", "d", "heads"},
                                                          bench::sdpa},
                                                         {"keystroke",
                                                          "An edit of the sandbox's sentence until its trace is there",
                                                          {},
                                                          {},
                                                          sandbox(128),
                                                          {"tokens", "layers", "d", "heads"},
                                                          bench::keystroke},
                                                         {"frame",
                                                          "Building and drawing a frame of the window",
                                                          {},
                                                          {},
                                                          sandbox(128),
                                                          {"tokens", "layers", "d", "heads"},
                                                          bench_frame,
                                                          false},
                                                     });
  return all;
}

Entry bench_command() {
  return {"bench", "Measure: isdpa, sdpa, keystroke, frame", {}, "S3, S16", [](CLI::App& app) -> std::function<int()> {
            auto chosen = std::make_shared<std::function<int()>>();
            app.require_subcommand(1);
            for (const BenchEntry& entry : benches().entries()) {
              auto options = std::make_shared<Options>();
              options->request = entry.defaults;
              CLI::App* sub = app.add_subcommand(entry.id, entry.label);
              for (const std::string& name : entry.options) {
                const SizeOption& option = size_options().at(name);
                sub->add_option("--" + name, options->request.*option.member, option.help)->capture_default_str();
              }
              if (entry.needs_backend) {
                add_backend_option(*sub, options->backend);
                sub->add_option("--seconds", options->seconds, "measure for about this long")->capture_default_str();
              }
              sub->add_flag("--json", options->json, "rows as JSON instead of a table");
              sub->callback([chosen, options, &entry] {
                *chosen = [options, &entry] {
                  const Status status = run(entry, *options);
                  return status ? kDone : fail("bench " + entry.id, status.error());
                };
              });
            }
            return [chosen] { return (*chosen)(); };
          }};
}

}  // namespace headlight::cli
