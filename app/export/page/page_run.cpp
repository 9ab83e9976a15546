#include "app/export/page/page_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/export/page/page_roles.h"
#include "app/text/language.h"
#include "engine/document/array_source.h"
#include "engine/document/stored_model.h"
#include "engine/insight/attention_kind.h"
#include "engine/insight/logit_lens.h"
#include "engine/insight/predictions.h"
#include "engine/insight/word_groups.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"

namespace headlight::page {
namespace {

constexpr std::size_t kNextWords = 12;
constexpr double kMostLensProducts = 1.5e11;  // some ten seconds on two cores

Text text_of(const Sentence& sentence, const tokenizers::Tokenizer* tokenizer) {
  Text text;
  text.pieces = sentence.labels;
  for (const tokenizers::Token& token : sentence.tokens) text.ids.push_back(token.id);
  text.joins = joins_to_words(sentence, tokenizer);
  text.words = word_groups(sentence, tokenizer, static_cast<std::int64_t>(sentence.tokens.size())).labels();
  return text;
}

Result<Map> map_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head, std::int64_t rows,
                   std::int64_t columns) {
  Map map;
  HL_ASSIGN(map.values, trace.tile(trace.name_at(site.prefix, headlight::Role::weights), {batch, head, 0, rows, 0, columns}));
  map.values = map.values.as(DType::f32).compact();
  if (!site.mask.mask.empty())
    map.mask = site.mask.mask.broadcast_to({static_cast<std::int64_t>(trace.texts().size()), site.heads, site.queries, site.keys})
                   .select(0, batch)
                   .select(0, head)
                   .slice(0, 0, rows)
                   .slice(1, 0, columns)
                   .compact();
  return map;
}

std::vector<Attention> attentions_of(const Trace& trace, std::int64_t batch, const std::vector<Text>& texts) {
  std::vector<Attention> all;
  std::vector<std::vector<const AttentionSite*>> layers;
  for (const AttentionSite& site : trace.sites()) {
    const std::string kind = attention_kind(site);
    if (all.empty() || all.back().kind != kind) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const Attention& one) { return one.kind == kind; });
      if (known != all.end()) {
        layers[static_cast<std::size_t>(known - all.begin())].push_back(&site);
        continue;
      }
      Attention attention;
      attention.kind = kind;
      attention.name = kind.empty()         ? tr("attention")
                       : kind == "encoder." ? tr("encoder")
                       : kind == "decoder." ? tr("decoder")
                                            : tr("cross");
      attention.heads = site.heads;
      attention.key_heads = site.kv_heads;
      attention.rows_of = site.rows_are_targets ? 1 : 0;
      attention.columns_of = site.columns_are_targets ? 1 : 0;
      attention.rows = std::min<std::int64_t>(site.queries, static_cast<std::int64_t>(texts[attention.rows_of].pieces.size()));
      attention.columns = std::min<std::int64_t>(site.keys, static_cast<std::int64_t>(texts[attention.columns_of].pieces.size()));
      attention.writes = writes_words(site);
      if (attention.writes && attention.rows > 0) attention.guess = best_guess(trace, batch, attention.rows - 1);
      all.push_back(std::move(attention));
      layers.emplace_back();
    }
    const auto at = std::find_if(all.begin(), all.end(), [&](const Attention& one) { return one.kind == kind; }) - all.begin();
    layers[static_cast<std::size_t>(at)].push_back(&site);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].layers = static_cast<std::int64_t>(layers[i].size());
    all[i].map = [&trace, batch, sites = layers[i], rows = all[i].rows, columns = all[i].columns](std::int64_t layer,
                                                                                                  std::int64_t head) {
      return map_of(trace, *sites[static_cast<std::size_t>(layer)], batch, head, rows, columns);
    };
  }
  return all;
}

Result<NextWords> next_words(const Trace& trace, std::int64_t batch, const CancelToken& cancel) {
  HL_ASSIGN(const Predictions all, predictions(trace, batch, kNextWords, cancel));
  NextWords next;
  const Sentence& sentence = predicted_sentence(trace, batch);
  if (all.positions.empty() || sentence.labels.empty()) return next;
  next.after = sentence.labels.back();
  const auto last = std::min(all.positions.size(), sentence.labels.size()) - 1;
  for (const TokenCandidate& one : all.positions[last].best)
    next.best.emplace_back(predicted_tokenizer(trace).display_text(one.token), one.probability);
  next.others = all.vocabulary - static_cast<std::int64_t>(next.best.size());
  return next;
}

Result<Lens> lens_of(const Trace& trace, std::int64_t batch, std::size_t of, backends::Backend& backend,
                     const CancelToken& cancel) {
  const auto positions = static_cast<std::int64_t>(predicted_sentence(trace, batch).tokens.size());
  HL_ASSIGN(const LogitLens read, logit_lens(trace, batch, positions, backend, cancel));
  Lens lens{of, read.rows(), read.positions(), {}, {}};
  for (const std::int32_t token : read.token.values<std::int32_t>())
    lens.tokens.push_back(predicted_tokenizer(trace).display_text(token));
  for (const float share : read.probability.values<float>()) lens.shares.push_back(static_cast<double>(share));
  return lens;
}

// Weights that were computed elsewhere may be anything.
Status look_at_rows(Run& run) {
  for (Attention& attention : run.attentions) {
    for (std::int64_t layer = 0; layer < attention.layers && attention.weights; ++layer)
      for (std::int64_t head = 0; head < attention.heads && attention.weights; ++head) {
        HL_ASSIGN(const Map map, attention.map(layer, head));
        attention.weights = rows_sum_to_one(map.values);
      }
  }
  if (std::any_of(run.attentions.begin(), run.attentions.end(), [](const Attention& one) { return !one.weights; }))
    run.facts.push_back(rows_do_not_sum());
  return {};
}

// A title is read on: marks that turn what follows around, and other controls, are written by their names.
std::string title_of(std::string_view text) {
  std::string title;
  text::for_each_code_point(text, [&](std::int64_t, const text::CodePoint& one) {
    const char32_t c = one.value;
    const bool turns = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
    title += !one.valid         ? text::display_byte(static_cast<unsigned char>(c))
             : turns || control ? text::display_text(text::to_utf8(c))
                                : text::to_utf8(c);
  });
  return title;
}

// The numbers that a lens multiplies: each layer's and position's vector with the output matrix.
double lens_products(const Trace& trace, std::int64_t batch) {
  const Step* logits = trace.step_at("", headlight::Role::logits);
  if (!logits) logits = trace.step_at("decoder.", headlight::Role::logits);
  const double vocabulary = logits && !logits->shape.empty() ? static_cast<double>(logits->shape.back()) : 0;
  return static_cast<double>(trace.document().layers + 1) * static_cast<double>(trace.document().d_model) * vocabulary *
         static_cast<double>(predicted_sentence(trace, batch).tokens.size());
}

void name_model(Run& run, const Trace& trace) {
  const Document& document = trace.document();
  run.model = document.model;
  const bool random =
      std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.origin == Origin::random; });
  run.origin = random ? "random" : "trained";
  run.badge = random ? fill(tr("random weights, seed {}"), {std::to_string(document.seed)}) : tr("trained");
  if (const auto arrays = arrays_of(document)) {
    run.badge = tr("given");
    run.model = std::filesystem::path(arrays->file).filename().string();
  }
  const auto stored = trace.stored_model();
  if (!stored) return;
  run.model = stored->title.empty() ? stored->name : stored->title;
  if (!stored->trained_on.empty()) run.facts.push_back(run.model + ": " + tr(stored->trained_on.c_str()));
}

}  // namespace

bool rows_sum_to_one(const Tensor& maps) {
  constexpr double kRowSum = 0.01;  // float16 weights of a thousand columns sum to 1 so closely
  const auto all = maps.values<float>();
  const auto columns = static_cast<std::size_t>(maps.dim(-1));
  for (std::size_t row = 0; row < all.size(); row += columns) {
    double sum = 0;
    bool any = false;
    for (std::size_t c = row; c < row + columns; ++c) {
      if (!(all[c] >= 0)) return false;
      sum += static_cast<double>(all[c]);
      any = any || all[c] > 0;
    }
    if (any && std::abs(sum - 1) > kRowSum) return false;
  }
  return true;
}
const char* rows_do_not_sum() { return tr("its rows do not sum to 1: the numbers are shown as they are"); }

Result<Run> run_of(const Trace& trace, std::int64_t batch, backends::Backend& backend, const CancelToken& cancel) {
  Run run;
  const auto at = static_cast<std::size_t>(batch);
  run.title = title_of(trace.texts()[at].text);
  run.texts.push_back(text_of(trace.texts()[at], trace.tokenizer().get()));
  if (at < trace.targets().size()) {
    run.title += " → " + title_of(trace.targets()[at].text);
    run.texts.push_back(text_of(trace.targets()[at], trace.target_tokenizer().get()));
  }
  name_model(run, trace);
  run.attentions = attentions_of(trace, batch, run.texts);
  std::erase_if(run.attentions, [](const Attention& one) { return one.rows < 1 || one.columns < 1; });
  if (run.attentions.empty())
    return invalid("the sentence has no tokens, so there is nothing to draw").at("--text").mend("give a text that is not empty");
  if (is_of_arrays(trace.document())) HL_TRY(look_at_rows(run));
  for (Attention& attention : run.attentions) HL_TRY(find_roles(attention, trace, batch, run.origin == "trained", cancel));
  const auto interventions = trace.document().interventions.size();
  if (interventions > 0)
    run.facts.push_back(interventions == 1 ? tr("1 intervention")
                                           : fill(tr("{} interventions"), {std::to_string(interventions)}));
  if (!predicts_next(trace) || run.origin == "random") return run;
  HL_ASSIGN(NextWords next, next_words(trace, batch, cancel));
  if (!next.best.empty()) run.next = std::move(next);
  if (lens_products(trace, batch) > kMostLensProducts) {
    run.facts.push_back(tr("without the logit lens: the text is too long for it"));
    return run;
  }
  HL_ASSIGN(run.lens, lens_of(trace, batch, run.texts.size() - 1, backend, cancel));
  return run;
}

Result<std::vector<Run>> runs_of(const Trace& trace, backends::Backend& backend, bool pinned, const CancelToken& cancel) {
  std::vector<Run> runs;
  const auto sentences = static_cast<std::int64_t>(trace.texts().size());
  for (std::int64_t batch = 0; batch < sentences; ++batch) {
    HL_ASSIGN(Run run, run_of(trace, batch, backend, cancel));
    run.name = sentences > 1 ? std::to_string(batch + 1) + ": " + run.title : run.model + ": " + run.title;
    if (pinned) run.name = tr("pinned") + std::string(": ") + run.name;
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace headlight::page
