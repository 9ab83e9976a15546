#include "app/views/walk/next.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/walk/data.h"
#include "engine/document/stored_model.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/generate.h"

namespace headlight::views::walk {
namespace {

using figures::WalkBox;
using figures::WalkCandidates;
using figures::WalkGraph;

constexpr std::size_t kListed = 40;    // candidates
constexpr std::size_t kColumns = 12;   // candidates whose columns of the unembedding are read
constexpr std::int64_t kNumbers = 24;  // shown of a column

std::string short_temperature(double temperature) {
  char text[24];
  std::snprintf(text, sizeof text, "%.2g", temperature);
  return text;
}

// The step of the logits and the vectors that they are made from.
struct Head {
  const Step *logits = nullptr, *vectors = nullptr;
  std::string matrix;
};
Head head_of(const Trace& trace) {
  Head head;
  for (const Step& step : trace.steps())
    if (step.role == Role::logits) head.logits = &step;
  if (!head.logits) return head;
  for (const std::string& input : head.logits->inputs)
    if (input.starts_with("parameters."))
      head.matrix = head.matrix.empty() ? input : head.matrix;
    else
      head.vectors = trace.find(input);
  return head;
}

// The first numbers of the last vector and of the best tokens' columns. What cannot be read is left out.
void read_columns(const Trace& trace, WalkNext& next) {
  const Head head = head_of(trace);
  if (!head.vectors || head.matrix.empty() || head.vectors->shape.empty()) return;
  const std::int64_t numbers = std::min(kNumbers, head.vectors->shape.back());
  Trace::Tile row;
  row.batch = next.place.batch;
  row.row = next.place.position;
  row.rows = 1;
  row.columns = numbers;
  const Result<Tensor> vector = trace.tile(head.vectors->name, row);
  if (!vector.ok()) return;
  const auto count = static_cast<std::int64_t>(std::min(kColumns, next.best.size()));
  Tensor columns(DType::f32, {count, numbers});
  for (std::int64_t i = 0; i < count; ++i) {
    Trace::Tile column;
    column.rows = numbers;
    column.column = next.best[static_cast<std::size_t>(i)].token;
    column.columns = 1;
    const Result<Tensor> values = trace.tile(head.matrix, column);
    if (!values.ok()) return;
    for (std::int64_t k = 0; k < numbers; ++k) {
      const double value = values->at({k, 0});
      columns.data<float>()[i * numbers + k] = static_cast<float>(value);
      if (std::isfinite(value)) next.largest = std::max(next.largest, std::abs(value));
    }
  }
  next.columns = std::move(columns);
  next.vector = vector->as(DType::f32).compact().reshaped({numbers});
}

Result<WalkNext> make_next(const NextWordPlace& place, const GenerateOptions& options, double temperature, std::uint64_t key) {
  WalkNext next;
  next.place = place;
  next.temperature = temperature;
  next.drawn = options.temperature > 0;
  next.key = key;
  HL_ASSIGN(const std::vector<double> scores, scores_behind(*place.trace, place.batch, place.position));
  next.vocabulary = static_cast<std::int64_t>(scores.size());
  const std::vector<TokenCandidate> ranked = ranked_tokens(scores, temperature, std::min(kListed, scores.size()));
  const Generated::Step step = choose_token(scores, options, 0, 0);
  const auto token_of = [&](const TokenCandidate& one) {
    return WalkNext::Token{one.token, place.word(one.token), scores[static_cast<std::size_t>(one.token)], one.probability};
  };
  for (const TokenCandidate& one : ranked) {
    if (next.best.size() < kListed) next.best.push_back(token_of(one));
    if (one.token == step.token) next.chosen = token_of(one);
  }
  const auto model = stored_model_of(place.trace->document());
  next.ends = ends_text(place.trace->document(), model.ok() ? model->get() : nullptr, place.tokenizer(), step.token);
  read_columns(*place.trace, next);
  return next;
}

figures::WalkNotes::Row numbers_row(const std::string& name, const float* values, std::int64_t count, std::int64_t all) {
  figures::WalkNotes::Row row;
  row.name = name;
  row.shape = "[" + std::to_string(all) + "]";
  for (std::int64_t k = 0; k < std::min<std::int64_t>(12, count); ++k)
    row.values.push_back(walk_number(static_cast<double>(values[k])));
  row.more = all > static_cast<std::int64_t>(row.values.size());
  return row;
}

}  // namespace

std::shared_ptr<const WalkNext> walk_next(const Context& context, const WalkGraph& graph) {
  if (!graph.says_words()) return nullptr;
  const std::optional<NextWordPlace> place = place_at_end(context);
  if (!place) return nullptr;
  const SamplingState& view = context.view.sampling;
  GenerateOptions options;
  options.seed = static_cast<std::uint64_t>(view.seed);
  // What fills a gap is not drawn.
  const bool drawn = own(context).draw && !place->fills;
  if (drawn) static_cast<SamplingOptions&>(options) = {view.temperature, view.top_k, view.top_p};
  DerivedKey key("walk/next", {place->key(), drawn, view.temperature});
  if (drawn) key.add(view.top_k).add(view.top_p).add(view.seed);
  return context.derived
      .later<WalkNext>(key, [place = *place, options, temperature = view.temperature,
                             hash = key.hash()](const CancelToken&) { return make_next(place, options, temperature, hash); })
      .value;
}

std::shared_ptr<const WalkCandidates> walk_candidates(const WalkNext& next, const WalkBox& box) {
  if (next.best.empty()) return nullptr;
  const bool matrix = box.kind == WalkBox::Kind::unembedding;
  const bool logits = box.kind == WalkBox::Kind::step && box.role == Role::logits;
  const bool shares = box.kind == WalkBox::Kind::step && box.role == Role::probabilities;
  const bool word = box.kind == WalkBox::Kind::word;
  if (!matrix && !logits && !shares && !word) return nullptr;
  auto out = std::make_shared<WalkCandidates>();
  if (word) {
    out->single = true;
    out->rows.push_back({next.chosen.word, figures::percent(next.chosen.share), next.chosen.share, true});
    return out;
  }
  out->others = next.vocabulary - static_cast<std::int64_t>(next.best.size());
  // Bars of logits begin at the last one that is listed: only differences count.
  const double high = next.best.front().logit, low = next.best.back().logit;
  for (const WalkNext::Token& one : next.best) {
    if (matrix && !next.columns.empty() && static_cast<std::int64_t>(out->rows.size()) == next.columns.dim(0)) break;
    const bool chosen = one.token == next.chosen.token;
    if (matrix)
      out->rows.push_back({one.word, {}, 0, chosen});
    else if (logits)
      out->rows.push_back(
          {one.word, walk_number(one.logit), high > low ? 0.05 + 0.95 * (one.logit - low) / (high - low) : 1, chosen});
    else
      out->rows.push_back({one.word, figures::percent(one.share), one.share / std::max(next.best.front().share, 1e-300), chosen});
  }
  if (matrix) {
    out->others = next.vocabulary - static_cast<std::int64_t>(out->rows.size());
    out->cells = next.columns;
    out->largest = next.largest;
    out->key = next.key;
  }
  return out;
}

void write_next(const WalkNext& next, const WalkBox& box, figures::WalkNotes& notes) {
  const auto candidates = walk_candidates(next, box);
  if (!candidates) return;
  notes.candidates = *candidates;
  notes.rows.clear();
  const WalkNext::Token& best = next.best.front();
  const std::string at = next.place.label();
  if (box.kind == WalkBox::Kind::unembedding) {
    notes.words =
        fill(next.place.fills
                 ? tr("Which word fits the place of {0}? Its last vector is compared with a column of numbers for each of "
                      "the {1} tokens that the model knows.")
                 : tr("Which word comes next? The last vector of {0} is compared with a column of numbers for each of the "
                      "{1} tokens that the model knows."),
             {at, std::to_string(next.vocabulary)});
    if (!next.columns.empty()) {
      const std::int64_t shown = next.columns.dim(1), all = box.shape.empty() ? shown : box.shape.front();
      notes.rows.push_back(numbers_row(fill(tr("last vector of {}"), {at}), next.vector.data<float>(), shown, all));
      notes.rows.push_back(numbers_row(fill(tr("column of {}"), {best.word}), next.columns.data<float>(), shown, all));
      figures::WalkNotes::Row sum;
      sum.name = tr("sum of their products");
      sum.shape = "[]";
      sum.values = {walk_number(best.logit)};
      sum.result = true;
      notes.rows.push_back(std::move(sum));
    }
  } else if (box.role == Role::logits) {
    notes.words = fill(tr("Every token of the vocabulary has a score now, and {0} leads with {1}. The scores are called logits."),
                       {best.word, walk_number(best.logit)});
  } else if (box.role == Role::probabilities) {
    notes.words = fill(tr("The scores become shares that sum to 1: {0} gets {1}."), {best.word, figures::percent(best.share)});
    if (next.temperature != 1) {
      notes.words += " " + fill(next.temperature > 1 ? tr("They are divided by the temperature {} first, which evens them out.")
                                                     : tr("They are divided by the temperature {} first, which sharpens them."),
                                {short_temperature(next.temperature)});
      notes.formula = "p[t] = exp(logits[t] / T) / sum_t exp(logits[t] / T), T = " + short_temperature(next.temperature);
    }
  } else {
    notes.formula = next.drawn ? "t ~ p" : "t = argmax_t p[t]";
    notes.shape = fill(tr("one token of {0}: number {1}"), {std::to_string(next.vocabulary), std::to_string(next.chosen.token)});
    notes.words = next.drawn ? fill(tr("A draw by these shares gives {0}, whose share is {1}."),
                                    {next.chosen.word, figures::percent(next.chosen.share)})
                             : fill(tr("{0} has the largest share, {1}, and is taken."),
                                    {next.chosen.word, figures::percent(next.chosen.share)});
    notes.words += " ";
    if (next.ends)
      notes.words += tr("It says that the text ends here: nothing is added.");
    else if (next.place.fills)
      notes.words += fill(tr("It stands in place of {}, and everything begins again."), {at});
    else
      notes.words += tr("It joins the text, and everything begins again with one token more.");
  }
}

std::string walk_end(const Context& context, const WalkGraph& graph, int stop) {
  const Trace& trace = *context.trace;
  if (stop + 1 != static_cast<int>(graph.stops.size())) return {};
  const bool logits =
      std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
  if (graph.says_words()) {
    if (place_at_end(context)) return {};
    return trace.texts().empty() || trace.texts().front().tokens.empty()
               ? tr("There is no token yet that a word could follow.")
               : tr("Without a causal mask every token sees those behind it, so there is no next word to predict.");
  }
  if (graph.boxes.back().part == WalkBox::Part::last || graph.layer + 1 < trace.document().layers) return {};
  if (!trace.targets().empty() && !graph.boxes.back().of_targets)
    return tr(
        "Here the encoder ends. The decoder's cross-attention makes its keys and values from these vectors, and the decoder says "
        "the words.");
  if (logits) return {};
  return trace.document().model == "sandbox" ? tr("Here it ends with a vector for each token. To say a word a model needs an "
                                                  "unembedding, a trained matrix that makes a "
                                                  "score for each word of a vector; these weights are random.")
                                             : tr("Here it ends with a vector for each token. This model has no unembedding, the "
                                                  "matrix that makes a score for each "
                                                  "word of a vector: its vectors are its answer.");
}

bool can_take(const WalkNext& next) { return !next.ends && !next.best.empty(); }

void take_word(const Context& context, const WalkNext& next) {
  if (!can_take(next)) return;
  Document document = next.place.fills ? filled_document(context, next.place, next.chosen.token)
                                       : continued_document(context, next.place, {next.chosen.token});
  own(context).step = "text";
  own(context).open.clear();
  own(context).page.clear();
  context.say(fill(tr("{} is taken into the text (Ctrl+Z takes it back)"), {next.chosen.word}));
  context.edit(std::move(document));
}

std::vector<WalkViewTry> walk_view_tries(const WalkNext& next, const WalkBox& box) {
  std::vector<WalkViewTry> out;
  if (box.kind == WalkBox::Kind::step && box.role == Role::probabilities) {
    const auto offer = [&](const char* words, double temperature) {
      if (next.temperature != temperature)
        out.push_back({words, [temperature](const Context& context) { context.view.sampling.temperature = temperature; }});
    };
    offer(tr("back to temperature 1"), 1);
    offer(tr("temperature 2: more even"), 2);
    offer(tr("temperature 0.5: sharper"), 0.5);
  }
  if (box.kind != WalkBox::Kind::word) return out;
  if (can_take(next))
    out.push_back(
        {fill(next.place.fills ? tr("put {} into the text, and begin again") : tr("take {} into the text, and begin again"),
              {next.chosen.word}),
         [next](const Context& context) { take_word(context, next); }});
  if (!next.place.fills)
    out.push_back({next.drawn ? tr("take the likeliest word") : tr("draw the word by chance"),
                   [draw = !next.drawn](const Context& context) { own(context).draw = draw; }});
  return out;
}

}  // namespace headlight::views::walk
