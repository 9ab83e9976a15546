#include "app/views/recurrence/data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/derived_value.h"

namespace headlight::views::recurrent {
namespace {

using recurrence::Learner;

constexpr std::int64_t kReadAtOnce = 1 << 19;  // products; more are made in the background

// The last learner of each kind that is known, so that a picture stays while the next steps are taken.
struct LastLearners {
  DerivedKey key;
  std::map<std::string, std::shared_ptr<const Learner>> of;
  std::shared_ptr<const ReadNetwork> net;
  DerivedKey net_key;
};

ReadText letters(const std::string& word) {
  ReadText text;
  text.of_document = false;
  std::vector<std::int64_t> ids;
  for (const char c : word) {
    text.labels.push_back(std::string(1, c));
    ids.push_back(c);
  }
  const recurrence::Alphabet alphabet = recurrence::alphabet_of(ids);
  text.symbols = alphabet.symbols;
  for (const std::size_t at : alphabet.first) text.names.push_back(text.labels[at]);
  text.all = text.count();
  for (const std::int64_t symbol : text.symbols) text.hues.push_back(1 + static_cast<int>(symbol % 11));
  return text;
}

ReadText document_text(const Trace& trace) {
  ReadText text;
  if (trace.texts().empty()) return text;
  const auto& sentence = trace.texts().front();
  text.all = static_cast<std::int64_t>(sentence.tokens.size());
  const auto count = static_cast<std::size_t>(std::min(text.all, kMostReadTokens));
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(sentence.tokens[i].id);
  text.labels.assign(sentence.labels.begin(), sentence.labels.begin() + static_cast<std::ptrdiff_t>(count));
  const recurrence::Alphabet alphabet = recurrence::alphabet_of(ids);
  text.symbols = alphabet.symbols;
  for (const std::size_t at : alphabet.first) text.names.push_back(text.labels[at]);
  // The chips' own hues: by the token's place.
  for (std::size_t i = 0; i < count; ++i) text.hues.push_back(static_cast<int>(i % 12));
  return text;
}

recurrence::Settings settings_of(const Context& context, const std::string& kind) {
  const State& view = context.view.own.of<State>();
  recurrence::Settings settings;
  settings.kind = kind;
  settings.units = view.units;
  settings.states = view.states;
  settings.selective = view.selective;
  settings.seed = context.document.seed;
  return settings;
}

DerivedKey sizes_key(const Context& context, const ReadText& text) {
  const State& view = context.view.own.of<State>();
  DerivedKey key("recurrence", {view.units, view.states, view.selective, context.document.seed});
  for (const std::int64_t symbol : text.symbols) key.add(symbol);
  return key;
}

std::int64_t work_of(const Reading& state, std::int64_t units, std::int64_t steps) {
  const auto symbols = static_cast<std::int64_t>(state.text.names.size());
  return state.text.count() * units * (units + symbols) * std::max<std::int64_t>(1, steps);
}

std::int64_t steps_of(const Context& context, const std::string& kind) {
  const std::int64_t wanted = std::clamp<std::int64_t>(context.view.own.of<State>().learnt, 0, kMostLearnt);
  return recurrence::kinds().find(kind)->trains ? wanted : std::min<std::int64_t>(1, wanted);
}

Result<ReadNetwork> read_network(const recurrence::Network& network, const std::vector<std::int64_t>& tokens,
                                 const CancelToken& cancel) {
  ReadNetwork read;
  read.network = network;
  HL_ASSIGN(read.unfolded, recurrence::unfold(network, tokens, cancel));
  read.order = recurrence::by_memory(network, read.unfolded);
  HL_ASSIGN(read.influence, recurrence::influence(network, read.unfolded, static_cast<std::int64_t>(tokens.size()) - 1, cancel));
  return read;
}

std::shared_ptr<const ReadNetwork> network_of(const Context& context, const Reading& state, const Learner& learner) {
  const std::string& kind = learner.network().settings.kind;
  const DerivedKey key("recurrence/read", {state.key, kind, learner.steps()});
  const std::int64_t units = context.view.own.of<State>().units;
  const std::function<Result<ReadNetwork>(const CancelToken&)> make = [network = learner.network(),
                                                                       tokens = state.text.symbols](const CancelToken& cancel) {
    return read_network(network, tokens, cancel);
  };
  return derived_value<ReadNetwork>(context, key, work_of(state, units, units), kReadAtOnce, make, nullptr);
}

LastLearners& last_learners(const Context& context, const DerivedKey& key) {
  LastLearners& last = context.transient->of<LastLearners>();
  if (last.key != key) last = {key, {}, nullptr, {}};
  return last;
}

// The network of one kind after the view's steps of learning. Null while it is computed; the last known one is then in `known`.
std::shared_ptr<const Learner> learner_of(const Context& context, const Reading& state, const std::string& kind,
                                          std::shared_ptr<const Learner>* known) {
  const std::int64_t steps = steps_of(context, kind);
  std::shared_ptr<const Learner> from;
  if (context.transient) {
    const LastLearners& last = last_learners(context, state.key);
    const auto at = last.of.find(kind);
    if (at != last.of.end()) from = at->second;
  }
  *known = from;
  const std::function<Result<Learner>(const CancelToken&)> make =
      [settings = settings_of(context, kind), tokens = state.text.symbols,
       symbols = static_cast<std::int64_t>(state.text.names.size()), steps, from](const CancelToken& cancel) -> Result<Learner> {
    if (!from || from->steps() > steps) {
      HL_ASSIGN(const recurrence::Network drawn, recurrence::draw(settings, symbols));
      HL_ASSIGN(Learner learner, Learner::begin(drawn, tokens, kLearnRate, cancel));
      while (learner.steps() < steps) HL_TRY(learner.step(cancel));
      return learner;
    }
    Learner learner = *from;
    while (learner.steps() < steps) HL_TRY(learner.step(cancel));
    return learner;
  };
  const DerivedKey key("recurrence/learnt", {state.key, kind, steps});
  const std::int64_t work = work_of(state, 4 * context.view.own.of<State>().units, steps);
  std::shared_ptr<const Learner> learner = derived_value<Learner>(context, key, work, kReadAtOnce, make, nullptr);
  if (learner && context.transient) last_learners(context, state.key).of[kind] = learner;
  return learner;
}

}  // namespace

std::uint64_t ReadNetwork::bytes() const {
  std::uint64_t all = unfolded.guesses.bytes() + network.numbers.size() * sizeof(double);
  for (const Tensor& part : unfolded.parts) all += part.bytes();
  return all;
}

std::shared_ptr<const Learner> newest_learner(const Context& context, const Reading& state, const std::string& kind,
                                              bool* complete) {
  std::shared_ptr<const Learner> known;
  const auto learner = learner_of(context, state, kind, &known);
  if (complete) *complete = *complete && learner;
  return learner ? learner : known;
}

Reading reading_of(const Context& context) {
  Reading state;
  const State& view = context.view.own.of<State>();
  if (view.source == "hello")
    state.text = letters("hello");
  else if (view.source == "repeats")
    state.text = letters("kqzmbtwrkqzmbtwrkqzmbtwr");
  else if (context.trace)
    state.text = document_text(*context.trace);
  if (state.text.symbols.empty()) {
    state.words = context.trace || context.error ? tr("There is nothing to read yet: type a sentence.") : tr("computing …");
    return state;
  }
  state.key = sizes_key(context, state.text);
  const std::string kind = recurrence::kinds().find(view.kind) ? view.kind : "lstm";
  bool complete = true;
  state.learner = newest_learner(context, state, kind, &complete);
  state.learning = !complete;
  if (state.learner) state.net = network_of(context, state, *state.learner);
  if (context.transient) {
    // The picture of before stays until the next one is there.
    LastLearners& last = last_learners(context, state.key);
    const DerivedKey net_key("recurrence/net", {state.key, kind});
    if (state.net) {
      last.net = state.net;
      last.net_key = net_key;
    } else if (last.net_key == net_key) {
      state.net = last.net;
      state.learning = true;
    }
  }
  if (!state.net) state.words = tr("computing …");
  const std::int64_t last_token = state.text.count() - 1;
  state.selected = view.at < 0 ? 0 : std::min(view.at, last_token);
  // The word under the mouse, wherever it is pointed at, comes before the chosen one.
  if (state.text.of_document && context.trace)
    if (const std::int64_t hot = hovered_token(*context.trace, false, 0, context.hover.now); hot >= 0 && hot <= last_token)
      state.selected = hot;
  return state;
}

namespace {

Tensor band_values(const Tensor& part, const std::vector<std::int64_t>& order, std::int64_t each, std::int64_t first,
                   std::int64_t count) {
  const auto units = static_cast<std::int64_t>(order.size());
  Tensor values(DType::f32, {units * each, count}, {"unit", "token"});
  for (std::int64_t u = 0; u < units; ++u)
    for (std::int64_t s = 0; s < each; ++s)
      for (std::int64_t c = 0; c < count; ++c)
        values.data<float>()[(u * each + s) * count + c] =
            static_cast<float>(part.data<double>()[(first + c) * part.dim(1) + order[static_cast<std::size_t>(u)] * each + s]);
  return values;
}

double largest_of(const Tensor& tensor) {
  double most = 0;
  for (std::int64_t i = 0; i < tensor.count(); ++i) most = std::max(most, std::abs(tensor.data<double>()[i]));
  return most;
}

void add_bands(const Context& context, const Reading& state, std::int64_t first, std::int64_t count,
               figures::UnfoldedInput& input) {
  const recurrence::Kind& kind = state.kind();
  const ReadNetwork& net = *state.net;
  for (std::size_t p = 0; p < kind.parts.size(); ++p) {
    const recurrence::Part& part = kind.parts[p];
    const Tensor& values = net.unfolded.parts[p];
    const double most = largest_of(values);
    figures::UnfoldedInput::Band band;
    band.id = part.id == "Delta" ? "Δ" : part.id;
    band.label = tr(part.label.c_str());
    const bool gate = !part.is_signed && most <= 1;
    band.high = gate ? 1.0f : static_cast<float>(std::max(most, 1e-6));
    band.low = part.is_signed ? -band.high : 0;
    band.range = gate ? "0..1" : (part.is_signed ? "±" : "0..") + figures::range_number(band.high);
    band.colormap = part.is_signed ? "signed" : context.view.colormap.empty() ? "viridis" : context.view.colormap;
    band.values = band_values(values, net.order, part.each_unit ? 1 : net.network.settings.states, first, count);
    band.key =
        DerivedKey("recurrence/band", {state.key, kind.id, part.id, state.learner->steps(), net.unfolded.sum, first, count})
            .hash();
    input.bands.push_back(std::move(band));
  }
}

}  // namespace

figures::UnfoldedInput unfolded_input(const Context& context, const Reading& state, std::int64_t first, std::int64_t count) {
  figures::UnfoldedInput input;
  const ReadText& text = state.text;
  const ReadNetwork& net = *state.net;
  const std::int64_t symbols = net.network.symbols;
  input.first = std::clamp<std::int64_t>(first, 0, std::max<std::int64_t>(0, text.count() - count));
  count = std::min(count, text.count() - input.first);
  input.all = text.count();
  input.selected = state.selected;
  input.sum = net.unfolded.sum;
  for (const double loss : net.unfolded.losses) input.largest_loss = std::max(input.largest_loss, loss);
  for (std::int64_t t = input.first; t < input.first + count; ++t) {
    const auto at = static_cast<std::size_t>(t);
    figures::UnfoldedInput::Column column;
    column.token = text.labels[at];
    column.hue = text.hues[at];
    const double* const guesses = net.unfolded.guesses.data<double>() + t * symbols;
    const std::int64_t best = std::max_element(guesses, guesses + symbols) - guesses;
    column.guess = text.names[static_cast<std::size_t>(best)];
    column.share = guesses[best];
    if (t + 1 < text.count()) {
      column.follows = "→ " + text.labels[at + 1];
      column.loss = net.unfolded.losses[at];
      column.right = best == text.symbols[at + 1];
    }
    input.columns.push_back(std::move(column));
  }
  const std::string& kind = state.kind().id;
  input.state_names = kind == "lstm"  ? std::vector<std::string>{"c", "h"}
                      : kind == "ssm" ? std::vector<std::string>{"s"}
                                      : std::vector<std::string>{"h"};
  input.input_matrix = kind == "ssm" ? "Δ, B" : "W_xh";
  input.output_matrix = kind == "ssm" ? "C" : "W_hy";
  input.order_words =
      fill(kind == "ssm" ? tr("{} channels, the longest memory on top") : tr("{} units, the longest memory on top"),
           {std::to_string(net.network.settings.units)});
  input.title = tr(state.kind().label.c_str());
  add_bands(context, state, input.first, count, input);
  return input;
}

}  // namespace headlight::views::recurrent
