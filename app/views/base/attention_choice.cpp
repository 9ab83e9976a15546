#include "app/views/base/attention_choice.h"

#include <algorithm>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/query_axis.h"
#include "app/views/base/view.h"
#include "engine/insight/explain.h"
#include "engine/insight/predictions.h"

namespace headlight::views {
namespace {

std::vector<std::string> labels(const Trace& trace, bool of_targets, std::int64_t batch, std::int64_t count) {
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  std::vector<std::string> out;
  if (batch < static_cast<std::int64_t>(sentences.size())) out = sentences[static_cast<std::size_t>(batch)].labels;
  out.resize(static_cast<std::size_t>(count), "[PAD]");
  return figures::numbered(std::move(out));
}

// Numbering thousands of labels in every frame would take longer than the picture.
std::vector<std::string> kept_labels(const Context& context, bool of_targets, std::int64_t batch, std::int64_t count) {
  const auto trace = context.trace;
  const DerivedKey key("labels", {trace->generation(), of_targets, batch, count});
  const auto made = context.derived.now<std::vector<std::string>>(
      key, [trace, of_targets, batch, count](const CancelToken&) -> Result<std::vector<std::string>> {
        return labels(*trace, of_targets, batch, count);
      });
  return made.value ? *made.value : std::vector<std::string>();
}

// The model's best guess behind the last token of the target, which the last query writes.
std::string guess_behind(const Context& context, std::int64_t batch, std::int64_t position) {
  const std::shared_ptr<const Trace> trace = context.trace;
  const DerivedKey key("labels/guess", {trace->generation(), batch, position});
  const auto guess = context.derived.now<std::string>(
      key, [trace, batch, position](const CancelToken&) -> Result<std::string> { return best_guess(*trace, batch, position); });
  return guess.value ? *guess.value : "…";
}

}  // namespace

std::int64_t hovered_token(const Trace& trace, bool of_targets, std::int64_t batch, const Hot& hot) {
  if (hot.byte_start < 0 || hot.in_target != of_targets) return -1;
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  if (batch >= static_cast<std::int64_t>(sentences.size())) return -1;
  const auto& tokens = sentences[static_cast<std::size_t>(batch)].tokens;
  // Several tokens can share the bytes of one character: if it is known, the exact one.
  if (hot.token >= 0 && hot.token < static_cast<std::int64_t>(tokens.size())) return hot.token;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].start < hot.byte_end && tokens[i].end > hot.byte_start) return static_cast<std::int64_t>(i);
  return -1;
}

std::string shared_key_words(const AttentionSite& site, std::int64_t head) {
  if (site.kv_heads < 1 || site.kv_heads >= site.heads) return {};
  const std::int64_t group = site.heads / site.kv_heads, own = head / group;
  return fill(group == 2 ? tr("heads {0} and {1} share key head {2}") : tr("heads {0} to {1} share key head {2}"),
              {std::to_string(own * group), std::to_string(own * group + group - 1), std::to_string(own)});
}

bool says_no_attention(const Context& context, const ui::Look& look, const AttentionChoice& choice) {
  if (choice.site && choice.site->queries > 0 && choice.site->keys > 0) return false;
  ui::words(look,
            context.error       ? ""
            : context.trace     ? tr("There is nothing to attend to yet: type a sentence.")
            : context.computing ? tr("computing …")
                                : tr("Nothing is computed yet."),
            look.theme.secondary, 15);
  return true;
}

Role shown_role(const ViewState& view) {
  return view.shown == "scores" ? Role::scores : view.shown == "masked_scores" ? Role::masked_scores : Role::weights;
}

Tensor site_mask(const AttentionSite& site, std::int64_t batch, std::int64_t head) {
  const Tensor& mask = site.mask.mask;
  if (mask.empty()) return {};
  const auto part = [&](int axis, const Tensor& t, std::int64_t index) { return t.select(axis, t.dim(axis) == 1 ? 0 : index); };
  return part(0, part(0, mask, batch), head).broadcast_to({site.queries, site.keys}).compact();
}

void open_attention(ViewState& view, const std::string& prefix, std::int64_t head, std::int64_t row, std::int64_t column) {
  // A kind is the prefix without its layer: "", "decoder.", "decoder.cross.".
  const std::size_t layer = prefix.find("layer."), end = prefix.find('.', layer + 6);
  open_for(view, Offers::one_head);
  view.site = prefix.substr(0, layer) + prefix.substr(end + 1);
  view.layer = std::stoll(prefix.substr(layer + 6, end - layer - 6));
  view.head = head;
  view.chosen_heads.clear();
  view.pinned_row = row;
  view.pinned_column = column;
}

AttentionChoice choose_attention(const Context& context) {
  AttentionChoice choice;
  if (!context.trace) return choice;
  const Trace& trace = *context.trace;
  const bool targets = !trace.targets().empty();
  const auto kind_of = [&](const AttentionSite& site) -> std::string {
    if (!targets) return "";
    return site.site == masks::Site::encoder_self ? "encoder." : site.site == masks::Site::cross ? "decoder.cross." : "decoder.";
  };
  for (const AttentionSite& site : trace.sites()) {
    const std::string kind = kind_of(site);
    if (std::none_of(choice.kinds.begin(), choice.kinds.end(), [&](const auto& k) { return k.id == kind; }))
      choice.kinds.push_back({kind, kind == "encoder."   ? tr_later("encoder")
                                    : kind == "decoder." ? tr_later("decoder")
                                    : kind.empty()       ? tr_later("self")
                                                         : tr_later("cross")});
  }
  if (choice.kinds.empty()) return choice;
  choice.kind = choice.kinds.front().id;
  for (const auto& kind : choice.kinds)
    if (kind.id == context.view.site) choice.kind = kind.id;
  for (const AttentionSite& site : trace.sites())
    if (kind_of(site) == choice.kind) choice.layers.push_back(&site);
  const auto last = static_cast<std::int64_t>(choice.layers.size()) - 1;
  choice.site = choice.layers[static_cast<std::size_t>(std::clamp<std::int64_t>(context.view.layer, 0, last))];
  choice.batch = std::clamp<std::int64_t>(context.view.batch, 0,
                                          std::max<std::int64_t>(0, static_cast<std::int64_t>(trace.texts().size()) - 1));
  choice.head = std::clamp<std::int64_t>(context.view.head, 0, std::max<std::int64_t>(0, choice.site->heads - 1));
  if (context.view.words_together) choice.words = words_of(context, choice);
  return choice;
}

std::shared_ptr<const AttentionWords> words_of(const Context& context, const AttentionChoice& choice) {
  const bool written = context.view.row_word == "written" && choice.site && writes_words(*choice.site);
  return words_of(context, choice, written);
}

std::shared_ptr<const AttentionWords> words_of(const Context& context, const AttentionChoice& choice, bool written) {
  if (!choice.site || !context.trace) return nullptr;
  const auto trace = context.trace;
  const DerivedKey key("words", {trace->generation(), choice.kind, choice.batch, written});
  const auto made = context.derived.now<AttentionWords>(
      key, [trace, site = *choice.site, batch = choice.batch, written](const CancelToken&) -> Result<AttentionWords> {
        AttentionWords words;
        static_cast<WordAxes&>(words) = word_axes(*trace, site, batch, written);
        words.row_labels = figures::numbered(words.rows.labels());
        words.column_labels = figures::numbered(words.columns.labels());
        return words;
      });
  return made.value && made.value->joins() ? made.value : nullptr;
}

std::vector<std::string> row_labels(const Trace& trace, const AttentionChoice& choice) {
  return labels(trace, choice.site->rows_are_targets, choice.batch, choice.site->queries);
}
std::vector<std::string> column_labels(const Trace& trace, const AttentionChoice& choice) {
  return labels(trace, choice.site->columns_are_targets, choice.batch, choice.site->keys);
}
std::vector<std::string> row_labels(const Context& context, const AttentionChoice& choice) {
  std::vector<std::string> names = kept_labels(context, choice.site->rows_are_targets, choice.batch, choice.site->queries);
  if (context.view.row_word == "read" || !writes_words(*choice.site) || names.empty()) return names;
  const auto targets = context.trace->targets();
  const auto batch = static_cast<std::size_t>(choice.batch);
  const auto own =
      static_cast<std::int64_t>(batch < targets.size() ? std::min(targets[batch].tokens.size(), names.size()) : names.size());
  if (own == 0) return names;
  return written_names(*context.trace, choice.batch, std::move(names), guess_behind(context, choice.batch, own - 1));
}
std::string query_axis(const Context& context, const AttentionChoice& choice) {
  if (!writes_words(*choice.site)) return tr("query (attends)");
  return context.view.row_word == "read" ? tr("query (word read)") : tr("query (word it writes)");
}
std::vector<std::string> column_labels(const Context& context, const AttentionChoice& choice) {
  return kept_labels(context, choice.site->columns_are_targets, choice.batch, choice.site->keys);
}

std::int64_t strongest_query(const Context& context, const AttentionChoice& choice) {
  constexpr std::int64_t kAtOnce = 1 << 18;  // cells looked at within a frame; more are looked at in the background
  const auto trace = context.trace;
  const auto find = [trace, prefix = choice.prefix(), batch = choice.batch, head = choice.head](const CancelToken&) {
    return strongest_cell(*trace, prefix, batch, head);
  };
  const DerivedKey key("strongest cell", {trace->generation(), choice.prefix(), choice.batch, choice.head});
  const bool many = choice.site->queries * choice.site->keys > kAtOnce;
  const auto cell = many ? context.derived.later<CellAddress>(key, find) : context.derived.now<CellAddress>(key, find);
  return cell ? cell.value->query : 0;
}

std::int64_t chosen_query(const Context& context, const AttentionChoice& choice, bool follows_cells) {
  const std::int64_t rows = choice.site->queries;
  if (const std::int64_t chip = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
      chip >= 0 && chip < rows)
    return chip;
  if (const std::int64_t hot = context.hover.now.row; follows_cells && hot >= 0 && hot < rows) return hot;
  if (context.view.pinned_row >= 0 && context.view.pinned_row < rows) return context.view.pinned_row;
  return strongest_query(context, choice);
}

}  // namespace headlight::views
