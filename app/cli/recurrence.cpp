// headlight recurrence: a recurrent network or a state space over the tokens of a text, step by step, beside attention's one
// step.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/recurrence_runs.h"
#include "app/cli/traced.h"
#include "engine/core/json.h"
#include "engine/recurrence/learning.h"
#include "engine/recurrence/network.h"

namespace headlight::cli {
namespace {

constexpr std::int64_t kGradientSteps = 100, kComparedSteps = 300;

struct RecurrenceOptions {
  explicit RecurrenceOptions(Arguments& arguments) : document(arguments) {}
  DocumentOptions document;
  recurrence::Settings settings;
  std::int64_t train = 0, channel = 0;
  double rate = 0.02;
  bool unselective = false, json = false, strict = false, times = false, compares = false;
};

struct Read {
  std::vector<std::string> labels;
  recurrence::Alphabet alphabet;
  recurrence::Network network;  // trained, if it was asked for
  recurrence::Learnt learnt;    // without losses: it was not
  recurrence::Unfolded unfolded;
  std::vector<double> influence, attention, gradient;
  Tensor matrix;  // of a state space
  double apart = 0;
  std::string symbol(std::int64_t s) const { return labels[alphabet.first[static_cast<std::size_t>(s)]]; }
  std::int64_t guess(std::int64_t t) const {
    std::int64_t best = 0;
    for (std::int64_t s = 1; s < network.symbols; ++s)
      if (unfolded.guesses.at({t, s}) > unfolded.guesses.at({t, best})) best = s;
    return best;
  }
};

// The tokens alone: labels, alphabet, and the document's seed among the options.
Result<Read> read_tokens(RecurrenceOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, traced("recurrence", options.document, options.strict, cancel));
  if (trace->texts().empty() || trace->texts().front().tokens.empty())
    return usage_error("the text has no token").at("--text").mend("give a sentence");
  Read read;
  std::vector<std::int64_t> ids;
  for (const auto& token : trace->texts().front().tokens) ids.push_back(token.id);
  read.labels = trace->texts().front().labels;
  read.alphabet = recurrence::alphabet_of(ids);
  options.settings.seed = trace->document().seed;
  return read;
}

// What is not finite in the network's states, as after learning with too large a rate.
Status check_states(const Read& read, const RecurrenceOptions& options) {
  NotFinite not_finite;
  const auto& parts = read.network.kind().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) not_finite.look(parts[p].id, read.unfolded.parts[p], {"step", "unit"});
  not_finite.look("guesses", read.unfolded.guesses, {"step", "symbol"});
  HL_TRY(not_finite.check({}, options.strict));
  not_finite.say("recurrence", {});
  return {};
}

Result<Read> read_text(RecurrenceOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(Read read, read_tokens(options, cancel));
  recurrence::Settings& settings = options.settings;
  settings.selective = !options.unselective;
  HL_ASSIGN(read.network, recurrence::draw(settings, read.alphabet.count()));
  if (options.train > 0) {
    HL_ASSIGN(read.learnt, recurrence::learn(read.network, read.alphabet.symbols, options.train, options.rate, cancel));
    read.network = read.learnt.kept.back();
  }
  HL_ASSIGN(read.unfolded, recurrence::unfold(read.network, read.alphabet.symbols, cancel));
  HL_TRY(check_states(read, options));
  const auto last = static_cast<std::int64_t>(read.labels.size()) - 1;
  HL_ASSIGN(read.influence, recurrence::influence(read.network, read.unfolded, last, cancel));
  read.attention =
      recurrence::attention_influence(read.alphabet.symbols, read.alphabet.count(), settings.units, settings.seed, last);
  HL_ASSIGN(read.gradient, recurrence::gradient_lengths(read.network, kGradientSteps, cancel));
  if (settings.kind != "ssm") return read;
  HL_ASSIGN(read.matrix, recurrence::unrolled(read.network, read.unfolded, options.channel));
  for (std::int64_t i = 0; i <= last; ++i) {
    double y = 0;
    for (std::int64_t j = 0; j <= i; ++j) y += read.matrix.at({i, j}) * read.unfolded.delta_input.at({j, options.channel});
    read.apart = std::max(read.apart, std::abs(y - read.unfolded.hidden().at({i, options.channel})));
  }
  return read;
}

std::string as_text(const char* format, double value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

std::string recurrence_padded(std::string text, std::size_t columns) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  text.append(letters < columns ? columns - letters : 1, ' ');
  return text;
}

std::string recurrence_as_table(const Read& read, const RecurrenceOptions& options) {
  const recurrence::Kind& kind = read.network.kind();
  const auto steps = static_cast<std::int64_t>(read.labels.size());
  std::string text =
      kind.label + ": " + kind.formula + "   " + kind.source + "\n" + std::to_string(steps) + " tokens, " +
      std::to_string(read.network.symbols) + " different; " + std::to_string(options.settings.units) +
      (options.settings.kind == "ssm" ? " channels of " + std::to_string(options.settings.states) + " states, " +
                                            (options.unselective ? "no selection; " : "selective; ")
                                      : " units; ") +
      std::to_string(read.network.parameters()) + " numbers, " +
      (read.learnt.losses.empty() ? "random"
                                  : "learnt from this text in " + std::to_string(read.learnt.losses.size() - 1) + " steps") +
      ", seed " + std::to_string(options.settings.seed) + "\n";
  for (std::size_t p = 0; p < kind.parts.size(); ++p)
    text += recurrence_padded(kind.parts[p].id, 7) + kind.parts[p].label + " [" + std::to_string(steps) + ", " +
            std::to_string(read.unfolded.parts[p].dim(1)) + "]\n";
  text += "step  token          follows        loss, nat  best guess              influence  attention's\n";
  for (std::int64_t t = 0; t < steps; ++t) {
    const auto at = static_cast<std::size_t>(t);
    const std::int64_t guess = read.guess(t);
    text += recurrence_padded(std::to_string(t), 6) + recurrence_padded(read.labels[at], 15);
    text += recurrence_padded(t + 1 < steps ? read.labels[at + 1] : "", 15) +
            (t + 1 < steps ? as_text("%9.4f  ", read.unfolded.losses[at]) : std::string(11, ' '));
    text += recurrence_padded(read.symbol(guess) + as_text(" %.0f %%", 100 * read.unfolded.guesses.at({t, guess})), 22) +
            as_text("%11.4g", read.influence[at]) + as_text("%13.4g\n", read.attention[at]);
  }
  text += "sum of the losses " + as_text("%.4f", read.unfolded.sum);
  if (!read.learnt.losses.empty()) text += as_text(", %.4f before learning", read.learnt.losses.front());
  text += "\ninfluence: ||d h_T / d x_t||, the last state by input t; attention's: of one attention's output there\n";
  text += "steps one after another " + std::to_string(steps) + ", attention 1; path from the first input to the last state " +
          std::to_string(steps) + ", attention 1\n";
  text += "the gradient's length 10, 50 and 100 steps back, times its first:" + as_text(" %.3g,", read.gradient[10]) +
          as_text(" %.3g,", read.gradient[50]) + as_text(" %.3g", read.gradient[100]) +
          as_text(" (recurrent weights times %g)\n", options.settings.scale);
  if (!read.matrix.empty()) {
    text += "unrolled, channel " + std::to_string(options.channel) +
            ": M_ij = C_i exp(A sum Delta) Delta_j B_j, y = M u; largest difference from the recurrence" +
            as_text(" %.2g\n", read.apart);
    for (std::int64_t i = 0; i < steps && steps <= 16; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) text += as_text("%9.4f", read.matrix.at({i, j}));
      text += "\n";
    }
  }
  return text;
}

Json rows_of(const Tensor& tensor) {
  Json rows = Json::array();
  for (std::int64_t r = 0; r < tensor.dim(0); ++r) {
    std::vector<double> row;
    for (std::int64_t c = 0; c < tensor.dim(1); ++c) row.push_back(tensor.at({r, c}));
    rows.push_back(Json(row));
  }
  return rows;
}

std::string recurrence_as_json(const Read& read, const RecurrenceOptions& options) {
  Json parts = Json::object(), arrays = Json::object();
  for (std::size_t p = 0; p < read.unfolded.parts.size(); ++p)
    parts[read.network.kind().parts[p].id] = rows_of(read.unfolded.parts[p]);
  for (const recurrence::Array& array : read.network.arrays) {
    const auto from = read.network.numbers.begin() + array.at;
    arrays[array.name] =
        rows_of(Tensor::of(std::vector<double>(from, from + array.rows * array.columns), {array.rows, array.columns}));
  }
  const auto steps = static_cast<std::int64_t>(read.labels.size());
  Json json = Json::object({{"kind", options.settings.kind},
                            {"tokens", Json(read.labels)},
                            {"symbols", Json(read.alphabet.symbols)},
                            {"units", options.settings.units},
                            {"parameters", read.network.parameters()},
                            {"seed", static_cast<std::int64_t>(options.settings.seed)},
                            {"weights", std::move(arrays)},
                            {"parts", std::move(parts)},
                            {"guesses", rows_of(read.unfolded.guesses)},
                            {"losses", Json(read.unfolded.losses)},
                            {"sum", read.unfolded.sum},
                            {"influence", Json(read.influence)},
                            {"attention_influence", Json(read.attention)},
                            {"gradient_lengths", Json(read.gradient)},
                            {"steps", Json::object({{"recurrent", steps}, {"attention", 1}})},
                            {"path", Json::object({{"recurrent", steps}, {"attention", 1}})}});
  if (!read.learnt.losses.empty()) json["training"] = Json(read.learnt.losses);
  if (!read.matrix.empty()) {
    json["input"] = rows_of(read.unfolded.delta_input);
    json["matrix"] = rows_of(read.matrix);
    json["difference"] = read.apart;
  }
  return json.dump() + "\n";
}

Result<std::string> answer(RecurrenceOptions& options) {
  const CancelToken cancel = interrupt_token();
  if (options.times && options.compares)
    return usage_error("these are two questions").at("--times and --compare-learning").mend("ask them one after the other");
  if (options.times && options.settings.kind != "ssm")
    return usage_error("only a state space is a matrix").at("--times").mend("add --kind ssm");
  if (options.times) return scan_times(options.settings.states, options.json, cancel);
  if (options.compares) {
    HL_ASSIGN(const Read tokens, read_tokens(options, cancel));
    const recurrence::SideBySideSettings settings{options.settings.units, options.settings.scale, options.rate,
                                                  options.settings.seed};
    return compared_learning(settings, tokens.labels, tokens.alphabet.symbols, options.train > 0 ? options.train : kComparedSteps,
                             options.json, cancel);
  }
  HL_ASSIGN(const Read read, read_text(options, cancel));
  return options.json ? recurrence_as_json(read, options) : recurrence_as_table(read, options);
}

std::function<int()> define_recurrence(Arguments& arguments) {
  const auto options = std::make_shared<RecurrenceOptions>(arguments);
  arguments.option("--kind", options->settings.kind, "esn: echo state network; ssm: selective state space")
      .one_of({"rnn", "lstm", "esn", "ssm"})
      .shows_default();
  arguments.option("--units", options->settings.units, "units of the state; channels of a state space")
      .type("N")
      .within(1, recurrence::kMostUnits)
      .shows_default();
  arguments.option("--states", options->settings.states, "ssm: numbers that each channel keeps")
      .type("N")
      .within(1, recurrence::kMostStates)
      .shows_default();
  arguments
      .option("--weights-times", options->settings.scale,
              "recurrent weights times this: small ones vanish, large ones explode; esn: the spectral radius")
      .type("S")
      .within_reals(0, 100)
      .shows_default();
  arguments.flag("--no-selection", options->unselective, "ssm: Delta, B and C do not depend on the input");
  arguments
      .option("--train", options->train,
              "first learn the text in so many steps; esn: its read-out, at once (default: random weights)")
      .type("STEPS")
      .within(1, recurrence::kMostTrainingSteps);
  arguments.option("--rate", options->rate, "how far a step of the training goes")
      .type("R")
      .within_reals(1e-6, 10)
      .shows_default();
  arguments.option("--channel", options->channel, "ssm: whose matrix is printed")
      .type("N")
      .within(0, recurrence::kMostUnits - 1)
      .shows_default();
  arguments.flag("--times", options->times, "ssm: the time of its scan against that of its matrix, by the number of steps");
  arguments.flag("--compare-learning", options->compares,
                 "the text learnt by a vanilla RNN, an LSTM and two attention layers, side by side (--train: 300 steps)");
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "everything as JSON, with weights, states and gates");
  return [options]() -> int {
    const Result<std::string> text = answer(*options);
    const Status done = text.ok() ? print(*text) : Status(text.error());
    return done.ok() ? kDone : fail("recurrence", done.error());
  };
}

}  // namespace

Entry recurrence_command() {
  return {"recurrence", "Unfold a recurrent network or a state space over a text, beside attention", "", "S17, S24",
          define_recurrence};
}

}  // namespace headlight::cli
