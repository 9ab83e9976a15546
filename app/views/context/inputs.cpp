#include "app/views/context/inputs.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/panes.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "engine/attention/masks/combined.h"
#include "engine/core/sorting.h"
#include "engine/insight/explain.h"

namespace headlight::figures {
namespace {

constexpr std::size_t kNamedSources = 6;

std::size_t layer_at(const WordContext& context, std::int64_t layer) {
  const auto last = static_cast<std::int64_t>(context.layers.size()) - 1;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(layer, 0, last));
}

std::string percents(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))); }

// The tokens that gave the most, in the sentence's order.
std::vector<std::size_t> named_sources(const AttentionAdded& added, std::size_t tokens) {
  std::vector<std::size_t> order(std::min(tokens, added.by_source.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_stably(order, [&](std::size_t a, std::size_t b) { return std::abs(added.by_source[a]) > std::abs(added.by_source[b]); });
  while (!order.empty() && (order.size() > kNamedSources || added.by_source[order.back()] == 0)) order.pop_back();
  sort_stably(order);
  return order;
}

// The heads that are listed: all, or those whose parts are the longest.
std::vector<std::size_t> listed_heads(const AttentionAdded& added, std::size_t most) {
  std::vector<std::size_t> order(added.heads.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() <= most) return order;
  sort_stably(order,
              [&](std::size_t a, std::size_t b) { return std::abs(added.heads[a].along) > std::abs(added.heads[b].along); });
  order.resize(most);
  sort_stably(order);
  return order;
}

std::string summary_of(const Sentence& sentence, const AttentionAdded& added) {
  if (added.by_source.empty() || !(added.length > 0)) return {};
  const auto most = std::max_element(added.by_source.begin(), added.by_source.end());
  const auto source = static_cast<std::size_t>(most - added.by_source.begin());
  if (*most <= 0 || source >= sentence.labels.size()) return {};
  std::size_t best = 0;
  for (std::size_t h = 0; h < added.heads.size(); ++h)
    if (added.heads[h].by_source[source] > added.heads[best].by_source[source]) best = h;
  return fill(tr("{} % came from {}, {} % of that through head {}"),
              {percents(*most / added.length), sentence.labels[source], percents(added.heads[best].by_source[source] / *most),
               std::to_string(best)});
}

}  // namespace

SentenceChipsInput chips_of(const WordInText& text, std::size_t sentence) {
  SentenceChipsInput input;
  input.tokens = text.sentence().labels;
  input.hidden = text.hidden;
  input.first = text.first;
  input.row = text.row;
  input.sentence = sentence;
  return input;
}

PathsInput paths_of(const WordContext& context, const ContextChoice& choice) {
  PathsInput input;
  for (const auto& text : context.texts) input.names.push_back(text->sentence().text);
  input.paths = context.paths;
  input.from_before_positions = context.from_before_positions;
  input.share = context.share;
  input.layer = static_cast<std::int64_t>(layer_at(context, choice.layer));
  input.sentence = choice.sentence;
  input.lit = choice.lit;
  input.distances = context.layers[layer_at(context, choice.layer)].distance;
  input.numbers = choice.numbers;
  input.title = fill(tr("The path of {} through the layers"), {choice.word});
  return input;
}

PairCurvesInput curves_of(const WordContext& context, const ContextChoice& choice) {
  PairCurvesInput input;
  input.sentences = context.texts.size();
  for (const SentencePair& pair : sentence_pairs(input.sentences)) {
    std::vector<double>& values = input.values.emplace_back();
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    for (const WordContext::Layer& layer : context.layers)
      values.push_back(choice.cosine ? layer.cosine[a][b] : layer.distance[a][b]);
  }
  input.cosine = choice.cosine;
  input.layer = static_cast<std::int64_t>(layer_at(context, choice.layer));
  input.lit = choice.lit;
  input.sentence = choice.sentence;
  input.numbers = choice.numbers;
  input.title = choice.cosine ? tr("cosine by layers passed") : tr("distance by layers passed");
  return input;
}

PairMatrixInput matrix_of(const WordContext& context, const ContextChoice& choice) {
  PairMatrixInput input;
  const std::size_t at = layer_at(context, choice.layer);
  input.values = choice.cosine ? context.layers[at].cosine : context.layers[at].distance;
  input.most = 0;
  for (const WordContext::Layer& layer : context.layers)
    for (const auto& row : layer.distance)
      for (const double v : row) input.most = std::max(input.most, v);
  input.cosine = choice.cosine;
  input.layer = static_cast<std::int64_t>(at);
  input.lit = choice.lit;
  input.colormap = choice.colormap;
  input.numbers = choice.numbers;
  input.title = fill(choice.cosine ? tr("cosine after {}") : tr("distance after {}"), {std::to_string(at)});
  return input;
}

ProbesInput probes_of(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const ContextChoice& choice) {
  ProbesInput input;
  for (std::size_t p = 0; p < probes.size(); ++p) {
    ProbesInput::Probe& probe = input.probes.emplace_back();
    probe.word = probes[p]->word;
    probe.unknown = probes[p]->unknown;
    for (const WordContext::Layer& layer : context.layers) probe.cosine.push_back(layer.probes[p].second);
  }
  input.layer = static_cast<std::int64_t>(layer_at(context, choice.layer));
  input.sentence = choice.sentence;
  input.numbers = choice.numbers;
  input.title = tr("Cosine with probe words");
  return input;
}

const AttentionSite* site_of(const WordInText& text, std::int64_t layer) {
  if (layer < 1) return nullptr;
  return find_site(*text.trace, text.stack + "layer." + std::to_string(layer - 1) + ".");
}

QueryKeyInput query_key_of(const WordContext& context, const QueryKeySpace& space, const ContextChoice& choice) {
  QueryKeyInput input;
  const auto sentence =
      static_cast<std::size_t>(std::clamp<std::int64_t>(choice.sentence, 0, static_cast<std::int64_t>(context.texts.size()) - 1));
  const WordInText& text = *context.texts[sentence];
  input.names = text.sentence().labels;
  input.queries = space.queries;
  input.keys = space.keys;
  input.share = space.share;
  const auto count = static_cast<std::int64_t>(space.queries.size());
  input.query = choice.query >= 0 && choice.query < count ? choice.query : std::min(text.row, count - 1);
  const AttentionSite* const site = site_of(text, choice.layer);
  if (input.query >= 0) input.weights = space.weights[static_cast<std::size_t>(input.query)];
  for (std::size_t j = 0; site && j < input.keys.size(); ++j)
    input.hidden.push_back(!masks::allows(site->mask.mask, 0, choice.head, input.query, static_cast<std::int64_t>(j)));
  input.sentence = typed_number(choice.numbers, sentence);
  input.hot = choice.hot_source;
  input.title =
      fill(tr("Queries and keys of layer {}, head {}"), {std::to_string(choice.layer - 1), std::to_string(choice.head)});
  return input;
}

AddedInput added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice) {
  AddedInput input;
  const auto sentence =
      static_cast<std::size_t>(std::clamp<std::int64_t>(choice.sentence, 0, static_cast<std::int64_t>(context.texts.size()) - 1));
  const WordInText& text = *context.texts[sentence];
  const std::vector<std::size_t> sources = named_sources(added, text.sentence().labels.size());
  AddedInput::Source others{tr("others"), -1, false, false, 0};
  for (const double v : added.by_source) others.all += v;
  for (const std::size_t s : sources) {
    const auto token = static_cast<std::int64_t>(s);
    input.sources.push_back(
        {text.sentence().labels[s], token, token >= text.first && token <= text.row, false, added.by_source[s]});
    others.all -= added.by_source[s];
  }
  const bool more = sources.size() < text.sentence().labels.size() && std::abs(others.all) > 1e-6 * added.length;
  if (more) input.sources.push_back(others);
  for (const std::size_t h : listed_heads(added, choice.most_heads)) {
    const AttentionAdded::Head& head = added.heads[h];
    AddedInput::Head& row = input.heads.emplace_back();
    row.head = static_cast<std::int64_t>(h);
    row.along = head.along;
    double rest = 0;
    for (const double v : head.by_source) rest += v;
    for (const std::size_t s : sources) {
      row.parts.push_back(head.by_source[s]);
      rest -= head.by_source[s];
    }
    if (more) row.parts.push_back(rest);
  }
  if (std::abs(added.bias) > 1e-9) input.sources.push_back({tr("bias"), -1, false, true, added.bias});
  if (std::abs(added.rest) > 1e-3 * added.length) input.sources.push_back({tr("interventions"), -1, false, true, added.rest});
  input.length = added.length;
  input.sentence = typed_number(choice.numbers, sentence);
  const std::size_t at = layer_at(context, choice.layer);
  if (at > 0)
    for (std::size_t p = 0; p < context.layers[at].probes.size(); ++p)
      input.probes.push_back({context.layers[at].probes[p].first, context.layers[at - 1].probes[p].second[sentence],
                              context.layers[at].probes[p].second[sentence]});
  input.summary = summary_of(text.sentence(), added);
  input.note = tr("Parts of the length of the sum; what lies left of the line pulls back.");
  if (input.heads.size() < added.heads.size())
    input.note += " " + fill(tr("The {} heads of {} with the longest parts."),
                             {std::to_string(input.heads.size()), std::to_string(added.heads.size())});
  input.hot_source = choice.hot_source;
  input.hot_head = choice.hot_head;
  return input;
}

AddedInput titled_added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice) {
  AddedInput input = added_of(context, added, choice);
  input.title = fill(tr("What attention added, {} → {}"), {std::to_string(choice.layer - 1), std::to_string(choice.layer)});
  input.quiet_title = fill(tr("sentence {}"), {std::to_string(input.sentence + 1)});
  return input;
}

Figure context_figure(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const AttentionAdded* added, const QueryKeySpace* space, const ContextChoice& choice, float width,
                      const Theme& theme, const TextMeasure& measure) {
  std::vector<Figure> parts;
  for (std::size_t i = 0; i < context.texts.size(); ++i) {
    SentenceChipsInput input = chips_of(*context.texts[i], typed_number(choice.numbers, i));
    input.numbered = true;
    parts.push_back(sentence_chips(input, width, theme, measure));
  }
  Figure chips = stacked(parts, 6, 0);
  const float most = std::floor(width * 0.32f);
  Figure pairs;
  pairs.background = theme.background;
  Figure matrix = pair_matrix(matrix_of(context, choice), most, 260, theme, measure);
  pairs.width = width;
  pairs.height = std::max(240.0f, matrix.height);
  add_moved(pairs, pair_curves(curves_of(context, choice), width - most - 24, 240, theme, measure), 0, 0);
  add_moved(pairs, std::move(matrix), width - most, 0);
  parts = {std::move(chips), context_paths(paths_of(context, choice), width, std::floor(width * 0.5f), theme, measure),
           std::move(pairs)};
  if (space)
    parts.push_back(query_key_plane(query_key_of(context, *space, choice), width, std::floor(width * 0.5f), theme, measure));
  if (!probes.empty())
    parts.push_back(framed(probe_bars(probes_of(context, probes, choice), width, 150, theme, measure),
                           tr("Cosine with probe words"), 0, theme));
  if (added) {
    parts.push_back(attention_added_bars(titled_added_of(context, *added, choice), width, theme, measure));
  }
  Figure all = stacked(parts, 20, 16);
  all.title = fill(tr("{} in {} sentences"), {choice.word, std::to_string(context.texts.size())});
  return all;
}

}  // namespace headlight::figures
