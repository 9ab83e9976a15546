#include "app/cli/bench.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"

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

bench::Request training() {
  bench::Request r = sandbox(128);
  r.batch = 16;
  r.vocab = 8192;
  return r;
}

// The size of the bundled model `stories`.
bench::Request generation() {
  bench::Request r = sandbox(32);
  r.d = 224;
  r.vocab = 8192;
  return r;
}

// One head of a model.
bench::Request one_head() {
  bench::Request r;
  r.tokens = 1024;
  r.d = 64;
  return r;
}

// --tokens of a benchmark that otherwise measures many lengths, where it is not given: any number may be asked for.
constexpr std::int64_t kEveryLength = std::numeric_limits<std::int64_t>::min();

// The default number of heads: eight, or the largest number below that divides d (bench::sdpa).
bench::Request some_heads() {
  bench::Request r;
  r.heads = 0;
  return r;
}

// A size option: its name, the field it sets, and its range.
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
      {"batch", {&bench::Request::batch, 1 << 12, "rows of a batch"}},
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

struct BenchOptions {
  bench::Request request;
  std::string backend = "cpu", precision = "f32", sweep;
  std::optional<double> seconds;
  bool json = false;
};

// The sizes of a sweep: "d=64..1024" doubles from the first to the last, "d=64,100,300" lists them.
struct Sweep {
  std::string option;
  std::vector<std::int64_t> values;
};
Result<Sweep> parse_sweep(const BenchEntry& entry, const std::string& text) {
  const auto wrong = [&](const Message& what) {
    return usage_error(what).at("--sweep").mend("give a size and its values, as d=64..1024 (doubling) or d=64,100,300");
  };
  Sweep sweep;
  const std::size_t equals = text.find('=');
  sweep.option = text.substr(0, equals);
  if (equals == std::string::npos || std::find(entry.options.begin(), entry.options.end(), sweep.option) == entry.options.end())
    return wrong(Message("'{}' names no size of this benchmark", text));
  const auto number = [](std::string_view digits) -> std::int64_t {
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failed == std::errc() && end == digits.data() + digits.size() ? value : 0;
  };
  const std::string values = text.substr(equals + 1);
  if (const std::size_t dots = values.find(".."); dots != std::string::npos) {
    const std::int64_t first = number(std::string_view(values).substr(0, dots)),
                       last = number(std::string_view(values).substr(dots + 2));
    if (first < 1 || last < first) return wrong(Message("'{}' is no range", values));
    for (std::int64_t value = first; value <= last; value *= 2) sweep.values.push_back(value);
    return sweep;
  }
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t comma = std::min(values.find(',', at), values.size());
    sweep.values.push_back(number(std::string_view(values).substr(at, comma - at)));
    if (sweep.values.back() < 1) return wrong(Message("'{}' is no size", values.substr(at, comma - at)));
    at = comma + 1;
  }
  return sweep;
}

Status check_sizes(const BenchEntry& entry, const bench::Request& request) {
  for (const std::string& name : entry.options) {
    const SizeOption& option = size_options().at(name);
    const std::int64_t value = request.*option.member;
    if (value == 0 && entry.defaults.*option.member == 0) continue;  // not given
    if (value < 1 || value > option.most) {
      return usage_error("it is {}", value).at("--{}", name).mend("give 1 to {}", option.most);
    }
  }
  const bool has_heads = std::find(entry.options.begin(), entry.options.end(), "heads") != entry.options.end();
  if (has_heads && request.heads > 0 && request.d % request.heads != 0) {
    return usage_error("{} heads cannot divide d = {}", request.heads, request.d).at("--heads").mend("give a divisor of d");
  }
  if (request.pad_index < -1 || (request.pad_index >= 0 && request.pad_index >= request.vocab)) {
    return usage_error("it is {}", request.pad_index)
        .at("--pad-index")
        .mend("give 0 to {}, a symbol of the vocabulary, or -1 for none", request.vocab - 1);
  }
  return {};
}

// The backends' ids with the requested precision: several for `forward`, which measures them in turn, one for the others.
Result<std::vector<std::string>> backends_of(const BenchEntry& entry, const BenchOptions& options) {
  const bool is_rounded = options.precision == "tf32" || options.precision == "bf16";
  if (!is_rounded && options.precision != "f32") {
    return usage_error("'{}' is not known", options.precision)
        .at("--precision")
        .mend("give f32, or tf32 or bf16 on a GPU; the double of --backend reference is for checking");
  }
  std::vector<std::string> ids;
  bool rounds_somewhere = false;
  const std::string& all = options.backend;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t comma = entry.id == "forward" ? std::min(all.find(',', at), all.size()) : all.size();
    std::string id = all.substr(at, comma - at);
    const bool rounds = id.starts_with("cuda") && !id.ends_with("tf32") && !id.ends_with("bf16");
    if (is_rounded && rounds) id += ":" + options.precision;
    rounds_somewhere = rounds_somewhere || rounds;
    ids.push_back(std::move(id));
    at = comma + 1;
  }
  if (is_rounded && !rounds_somewhere) {
    return usage_error("'{}' is not computed on {}", options.precision, all)
        .at("--precision")
        .mend("give f32: the other two are precisions of a GPU's matrix units");
  }
  return ids;
}

bool takes_model(const BenchEntry& entry) {
  return entry.id == "keystroke" || entry.id == "routes" || entry.id == "forward" || entry.id == "generate";
}
// The sizes that a stored model brings must not be asked for besides.
Status check_model_sizes(const BenchEntry& entry, const bench::Request& request) {
  if (request.model.empty()) return {};
  for (const char* name : {"layers", "d", "heads", "vocab"}) {
    const auto member = size_options().at(name).member;
    if (request.*member != entry.defaults.*member)
      return usage_error("a trained model has its own").at("--{}", name).mend("leave it out, or --model");
  }
  return {};
}

std::vector<std::string> stages_of(const BenchEntry& entry) {
  if (entry.id == "isdpa") return {"q", "qk", "layer", "combiner"};
  if (entry.id == "sdpa") return {"q", "qk", "layer", "pooled"};
  return {};
}
// "q, qk or layer"
std::string bench_listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

// What --seconds left no time for.
struct Skipped {
  std::size_t ways = 0, sizes = 0;
};
void say(const Skipped& skipped, const std::string& bench) {
  if (skipped.ways + skipped.sizes == 0) return;
  std::string what;
  if (skipped.ways > 0) what = std::to_string(skipped.ways) + (skipped.ways == 1 ? " way was" : " ways were");
  if (skipped.sizes > 0)
    what += (what.empty() ? "" : " and ") + std::to_string(skipped.sizes) + (skipped.sizes == 1 ? " size was" : " sizes were");
  std::fprintf(stderr, "headlight bench %s: %s not measured within --seconds; give more, or leave it out to measure all\n",
               bench.c_str(), what.c_str());
}

Status run(const BenchEntry& entry, const BenchOptions& options) {
  bench::Request request = options.request;
  Sweep sweep{"", {0}};
  const bool chose_tokens = options.request.tokens != kEveryLength;
  if (!chose_tokens) request.tokens = entry.defaults.tokens;
  if (const std::string& asked = options.sweep.empty() && !chose_tokens ? entry.sweep : options.sweep; !asked.empty()) {
    HL_ASSIGN(sweep, parse_sweep(entry, asked));
  }
  const bool is_long = entry.id == "long";
  for (const std::int64_t value : sweep.values) {
    if (!sweep.option.empty()) request.*size_options().at(sweep.option).member = value;
    HL_TRY(check_sizes(entry, request));
    HL_TRY(check_model_sizes(entry, request));
  }
  HL_ASSIGN(const std::vector<std::string> ids, backends_of(entry, options));
  if (!request.mode.empty() && request.mode != "per-call" && request.mode != "cached")
    return usage_error("'{}' is not known", request.mode).at("--mode").mend("give per-call or cached");
  const std::vector<std::string> stages = stages_of(entry);
  if (!request.stage.empty() && std::find(stages.begin(), stages.end(), request.stage) == stages.end())
    return usage_error("'{}' is not known", request.stage).at("--stage").mend("give {}", bench_listed(stages));
  if (request.stage == "combiner" && request.mode == "cached")
    return usage_error("combining heads keeps nothing between calls").at("--mode").mend("leave it out, or give per-call");
  if (options.seconds && (!(*options.seconds > 0) || *options.seconds > 3600))
    return usage_error("it must be above 0 and at most 3600").at("--seconds");
  if (entry.needs_backend) {
    HL_ASSIGN(request.backend, open_backend(ids.front()));
    for (std::size_t i = 1; i < ids.size(); ++i) {
      HL_ASSIGN(std::shared_ptr<backends::Backend> other, open_backend(ids[i]));
      request.others.push_back(std::move(other));
    }
  }
  const double begun = bench::steady_seconds();
  request.ceilings = true;
  const bool shows = on_terminal();
  if (shows) {
    request.progress = [&](const std::string& text) { std::fprintf(stderr, "\r\033[K%s: %s", entry.id.c_str(), text.c_str()); };
  }
  std::vector<bench::Row> all;
  Skipped skipped;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    if (options.seconds) {
      // Each size has an equal share of the time that is left.
      const double left = *options.seconds - (bench::steady_seconds() - begun);
      if (i > 0 && left <= 0) {
        skipped.sizes = sweep.values.size() - i;
        break;
      }
      request.effort.begun = bench::steady_seconds();
      request.effort.seconds = std::max(left, 0.0) / static_cast<double>(sweep.values.size() - i);
    }
    if (!sweep.option.empty()) request.*size_options().at(sweep.option).member = sweep.values[i];
    auto rows = entry.run(request, interrupt_token());
    if (shows) std::fprintf(stderr, "\r\033[K");
    if (!rows) return rows.error();
    skipped.ways += std::erase_if(*rows, [](const bench::Row& row) { return row.samples.empty(); });
    if (options.json || is_long) all.insert(all.end(), rows->begin(), rows->end());
    // One table per size, printed as soon as it is measured.
    const std::string text = options.json || is_long ? "" : table_of(*rows) + (sweep.values.size() > 1 ? "\n" : "");
    HL_TRY(print(text));
  }
  if (is_long) bench::fit_exponents(all);
  HL_TRY(options.json ? print(json_of(all)) : is_long ? print(long_table_of(all)) : Status{});
  say(skipped, entry.id);
  return {};
}

}  // namespace

const Registry<BenchEntry>& benches() {
  static const Registry<BenchEntry> all(
      "benchmark", {
                       {"isdpa",
                        "Index-based against written-out attention (q, qk, layer, combiner)",
                        {},
                        "S1, S2, S3, S4",
                        {},
                        {"words", "length", "vocab", "d", "heads"},
                        bench::isdpa},
                       {"sdpa",
                        "A multi-head attention layer: its steps kept and fused, its output pooled (q, qk, layer, pooled)",
                        {},
                        "S6",
                        some_heads(),
                        {"words", "length", "vocab", "d", "heads"},
                        bench::sdpa},
                       {"keystroke",
                        "An edit of a sentence until its trace is there",
                        {},
                        {},
                        sandbox(128),
                        {"tokens", "layers", "d", "heads"},
                        bench_keystroke},
                       {"routes",
                        "An edit, and from its trace to the routes of its answer (the view Why this word)",
                        {},
                        "S23",
                        sandbox(12),
                        {"tokens", "layers", "d", "heads"},
                        bench::routes},
                       {"forward",
                        "A model's run from an edit to its published trace, and its parts",
                        {},
                        "S5, S6, S7, S8, S9",
                        sandbox(128),
                        {"tokens", "layers", "d", "heads"},
                        bench::forward},
                       {"train",
                        "A step of a training: forward, backward, clipping, AdamW",
                        {},
                        {},
                        training(),
                        {"tokens", "batch", "layers", "d", "heads", "vocab"},
                        bench::train},
                       {"generate",
                        "One more token of a text: with earlier keys and values kept, and with everything computed anew",
                        {},
                        "S22",
                        generation(),
                        {"tokens", "layers", "d", "heads", "vocab"},
                        bench::generate},
                       {"long",
                        "Attention over long texts, exact, sparse and of low rank, and recurrent layers, by their length",
                        {},
                        "S16, S17, S21, S24",
                        one_head(),
                        {"tokens", "d"},
                        bench::long_texts_and_layers,
                        true,
                        "tokens=64..8192"},
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
  return {
      "bench",
      "Measure: isdpa, sdpa, forward, keystroke, routes, train, generate, long, frame, tokenizers",
      {},
      "S3, S16",
      [](Arguments& arguments) -> std::function<int()> {
        auto chosen = std::make_shared<std::function<int()>>();
        arguments.needs_a_command();
        for (const BenchEntry& entry : benches().entries()) {
          auto options = std::make_shared<BenchOptions>();
          options->request = entry.defaults;
          if (!entry.sweep.empty()) options->request.tokens = kEveryLength;
          Arguments sub = arguments.command(entry.id, entry.label);
          for (const std::string& name : entry.options) {
            const SizeOption& option = size_options().at(name);
            Option made = sub.option("--" + name, options->request.*option.member, option.help);
            if (options->request.*option.member == kEveryLength) {
              made.shows_default(entry.sweep.substr(entry.sweep.find('=') + 1) + ", doubling");
            } else if (entry.defaults.*option.member > 0) {
              made.shows_default();
            } else {
              made.shows_default("8, or the most below that divide d");
            }
          }
          if (entry.needs_backend) {
            add_backend_option(sub, options->backend, entry.id == "forward" ? "; several in turns: cuda,cpu" : "");
            sub.option("--precision", options->precision,
                       "of products: f32; on a GPU also tf32 and bf16 (rounded operands, float32 sums)")
                .shows_default();
            sub.option("--sweep", options->sweep, "measure at several sizes: d=64..1024 (doubling) or d=64,100,300");
            sub.option("--seconds", options->seconds,
                       "take about this long in all, inputs and warming up included; ways that it leaves no time for are left "
                       "out, and said [every way for 5 rounds, and 3 s of rounds]")
                .type("S");
          }
          if (takes_model(entry)) {
            sub.option("--model", options->request.model,
                       "a trained model, by its name or folder, with its own sizes, over words of its vocabulary")
                .type("NAME");
          }
          if (entry.id == "frame")
            sub.option("--only", options->request.variants, "only these pictures, as heads or heads-mean; all if not given")
                .type("NAME");
          if (entry.id == "isdpa" || entry.id == "sdpa") {
            sub.option("--mode", options->request.mode,
                       entry.id == "isdpa"
                           ? "per-call (the weights change: tables made in every call) or cached (weights fixed: tables, "
                             "folded weights and projected rows kept); both if not given"
                           : "per-call (the weights change) or cached (weights fixed: the pooled rows keep them packed on a CPU, "
                             "the steps keep nothing); per-call if not given");
          }
          if (entry.id == "isdpa")
            sub.flag("--position-weights", options->request.position_weights,
                     "the positions have weights of their own, W_P; without the ways by distinct rows and folded weights");
          if (!stages_of(entry).empty()) {
            sub.option("--stage", options->request.stage, bench_listed(stages_of(entry)) + "; all if not given");
            sub.option("--pad-index", options->request.pad_index,
                       "symbol that is masked; none, as in the notebook, if not given");
          }
          sub.flag("--json", options->json, "rows as JSON instead of a table");
          sub.when_chosen([chosen, options, &entry] {
            *chosen = [options, &entry] {
              const Status status = run(entry, *options);
              return status ? kDone : fail("bench " + entry.id, status.error());
            };
          });
        }
        define_bench_tokenizers(arguments, chosen);
        return [chosen] { return (*chosen)(); };
      }};
}

}  // namespace headlight::cli
