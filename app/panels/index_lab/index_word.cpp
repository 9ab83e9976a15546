// One word in the Index lab: its four terms that add up to QKᵀ, and the table that they are looked up in.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/figures/charts/index_terms.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab/index_lab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "engine/backends/backends.h"
#include "engine/text/utf8.h"
#include "imgui.h"

namespace headlight::views {
namespace {

using figures::Font;

constexpr std::int64_t kLeast = 8, kMost = 16;  // symbols of the displayed word

std::int64_t pictured_length(const ViewState& view) {
  return std::clamp<std::int64_t>(text::count_code_points(view.index_lab.word), kLeast, kMost);
}

std::int64_t pictured_width(const ViewState& view) { return std::min<std::int64_t>(view.index_lab.d, 1024); }

// The terms of the word at the lab's d; computed in the background if d is large.
std::shared_ptr<const bench::WordTerms> terms_of(const Context& context) {
  const ViewState& view = context.view;
  const std::int64_t length = pictured_length(view), d = pictured_width(view);
  const DerivedKey key("lab/word", {length, d, view.index_lab.own_positions, view.index_lab.word});
  const auto made =
      context.derived.later<bench::WordTerms>(key,
                                              [word = view.index_lab.word, length, d, own = view.index_lab.own_positions](
                                                  const CancelToken& cancel) -> Result<bench::WordTerms> {
                                                HL_ASSIGN(const std::shared_ptr<backends::Backend> cpu, backends::open("cpu"));
                                                return bench::word_terms(*cpu, word, length, d, cancel, own);
                                              });
  return made.value;
}

// The address of the stored values: unique, because no other values are at this address while they exist.
std::uint64_t key_of(const std::shared_ptr<const bench::WordTerms>& terms) {
  return static_cast<std::uint64_t>(std::hash<const void*>()(terms.get())) ^ 0x1ab0000000000000ULL;
}

bench::WordWeights weights_of(const Context& context, const bench::WordTerms& terms) {
  return bench::word_weights(terms, pictured_width(context.view), context.view.index_lab.padding);
}

figures::IndexTermsInput terms_input(const Context& context, const std::shared_ptr<const bench::WordTerms>& terms) {
  figures::IndexTermsInput input;
  input.terms[0] = terms->mm;
  input.terms[1] = terms->mp;
  input.terms[2] = terms->pm;
  input.terms[3] = terms->pp;
  input.sum = terms->qk;
  input.labels = terms->word.labels;
  input.key = key_of(terms);
  input.mask_padding = context.view.index_lab.padding;
  for (const std::int32_t id : terms->word.ids) input.padding.push_back(id == 0 ? 1 : 0);
  const bench::WordWeights weights = weights_of(context, *terms);
  input.weights = weights.weights;
  input.pooled = weights.pooled;
  input.note = tr("mean: over the queries, what the layer pools; random weights, seed 1");
  return input;
}

std::string cell_words(const bench::WordTerms& t, std::int64_t i, std::int64_t j) {
  const auto l = static_cast<std::int64_t>(t.word.ids.size());
  const auto at = [&](const Tensor& values) { return short_number(static_cast<double>(values.data<float>()[i * l + j])); };
  const auto label = [&](std::int64_t k) { return t.word.labels[static_cast<std::size_t>(k)]; };
  return fill(tr("query {} at place {}, key {} at place {}: {} + {} + {} + {} = {}"),
              {label(i), std::to_string(i), label(j), std::to_string(j), at(t.mm), at(t.mp), at(t.pm), at(t.pp), at(t.qk)});
}

std::int64_t& hot_cell(Context& context) { return context.transient->of<IndexLabTransient>().hot_cell; }
std::int64_t& hot_in_table(Context& context) { return context.transient->of<IndexLabTransient>().hot_in_table; }

// Lines of text about the word, in their colours.
struct Line {
  std::string words;
  figures::Color color;
  float size;
};
std::vector<Line> words_of(const Context& context, const bench::WordTerms& t) {
  const figures::Theme& theme = context.theme;
  const std::int64_t l = static_cast<std::int64_t>(t.word.ids.size()), n = bench::kAlphabet;
  const auto by = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + "×" + std::to_string(b); };
  std::string ids;
  for (const std::int32_t id : t.word.ids) ids += (ids.empty() ? "[" : ", ") + std::to_string(id);
  ids += "]";
  const auto error = [](double e) {
    char text[24];
    std::snprintf(text, sizeof text, e == 0 ? "0" : "%.1e", e);
    return std::string(text);
  };
  return {
      {tr("Looked up, never multiplied"), theme.text, ui::kBody},
      {fill(tr("4 tables: {}, {}, {}, {}"), {by(n, n), by(n, l), by(l, n), by(l, l)}), theme.secondary, 14},
      {context.view.index_lab.own_positions ? tr("symbols by W_M, positions by weights of their own, W_P")
                                            : tr("symbols and positions by the same weights, W_P = W_M"),
       theme.secondary, 14},
      {fill(tr("indices {}"), {ids}), theme.secondary, 14},
      {fill(tr("mean |index - direct| {} (float32)"), {error(t.mean_between)}), theme.good, 14},
      {fill(tr("mean error against float64: index {}, direct {}"), {error(t.mean_index), error(t.mean_direct)}), theme.good, 14}};
}

void draw_words(Context& context, const ui::Look& look, const bench::WordTerms& t, float width) {
  for (const Line& line : words_of(context, t)) lab_words(context, look, line.words, line.color, line.size, width);
}
// The height of these lines, including the space between them.
float words_height(const Context& context, const bench::WordTerms& t, float width) {
  float height = 30;  // of these, the room for the terms' own words below their scale
  for (const Line& line : words_of(context, t))
    height += 5 + std::ceil(line.size * 1.35f) *
                      static_cast<float>(figures::wrap(line.words, width, line.size, Font::words, context.measure).size());
  return height;
}

// A field for the word, and a switch for its padding.
void draw_word_field(Context& context, const ui::Look& look) {
  ViewState& view = context.view;
  ImGui::AlignTextToFramePadding();
  ui::words(look, tr("word"), look.theme.secondary, 14);
  ImGui::SameLine(0, look.px(8));
  ImGui::SetNextItemWidth(look.px(112));
  push_font(context, Font::mono, ui::kToken);
  ui::live_text_input("##word", view.index_lab.word, tr("type a word"));
  ImGui::PopFont();
  ui::tooltip(look, fill(tr("Up to {} characters are pictured, padded to at least {}. a..z are symbols 1..26, padding is 0: the "
                            "notebook's alphabet of 64"),
                         {std::to_string(kMost), std::to_string(kLeast)}));
  name_part(context, "index:word");
  ImGui::SameLine(0, look.px(14));
  ui::toggle(look, (std::string(tr("padding masked")) + "##padding").c_str(), &view.index_lab.padding);
  ui::tooltip(look,
              tr("The notebook masks nothing: padding takes part like any symbol. Masked, keys that are padding get weight 0 and "
                 "queries that are padding leave the mean. It holds for the word and for every bar of the times alike"));
}

}  // namespace

void ask_lab_word(const Context& context) { (void)terms_of(context); }

void draw_lab_word(Context& context, const ui::Look& look, float width, float height) {
  std::int64_t& hot = hot_cell(context);
  // In a wide room the words are beside the terms; in a narrow or high one, above and below.
  const float words_room = width >= 1100 && height < 320 && !context.view.presentation ? 328.0f : 0.0f;
  const float top = ImGui::GetCursorPosY();
  if (words_room <= 0) draw_word_field(context, look);
  const auto terms = terms_of(context);
  if (!terms) {
    if (words_room > 0) draw_word_field(context, look);
    ui::words(look, tr("computing …"), look.theme.secondary);
    ImGui::Dummy({0, look.px(std::max(0.0f, height - (ImGui::GetCursorPosY() - top) / context.scale))});
    return;
  }
  const float room = width - words_room - (words_room > 0 ? 24 : 0);
  figures::IndexTermsInput input = terms_input(context, terms);
  const auto l = static_cast<std::int64_t>(terms->word.ids.size());
  const std::int64_t lit = hot > 0 ? hot : context.view.index_lab.page == "table" ? hot_in_table(context) : 0;
  if (lit > 0 && lit <= l * l) {
    input.hot_row = (lit - 1) / l;
    input.hot_column = (lit - 1) % l;
  }
  const float words_below = words_room > 0 ? 0 : words_height(context, *terms, width);
  const float high = std::max(150.0f, height - words_below - (ImGui::GetCursorPosY() - top) / context.scale);
  const float factor = context.view.presentation ? std::min(1.0f, room / 960) : 1.0f;  // the titles fit at 960
  figures::Figure figure =
      figures::scaled(figures::index_terms(input, room / factor, high / factor, context.theme, context.measure), factor);
  const gl::Hit hit = draw_lab_figure(context, "terms", std::move(figure), [&] { return lab_word_figure(context, 1100, 320); });
  hot = 0;
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row == l) {
    const double mean = static_cast<double>(input.pooled.data<float>()[hit.column]);
    ui::tooltip(look,
                fill(tr("key {} at place {}: mean weight {} over the queries; the result is the sum of such means times V"),
                     {terms->word.labels[static_cast<std::size_t>(hit.column)], std::to_string(hit.column), short_number(mean)}),
                "result = Σⱼ meanᵢ(softmax(QKᵀ / √d)[i, j]) V[j]");
  } else if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    hot = hit.row * l + hit.column + 1;
    const double weight = static_cast<double>(input.weights.data<float>()[hit.row * l + hit.column]);
    ui::tooltip(look, fill(tr("{}; weight {}"), {cell_words(*terms, hit.row, hit.column), short_number(weight)}),
                "QKᵀ[i, j] = MM[Iᵢ, Iⱼ] + MP[Iᵢ, j] + PM[i, Iⱼ] + PP[i, j]");
  }
  if (words_room > 0) ImGui::SameLine(0, look.px(24));
  ImGui::BeginGroup();
  if (words_room > 0) draw_word_field(context, look);
  draw_words(context, look, *terms, words_room > 0 ? words_room : width);
  ImGui::EndGroup();
}

figures::Figure lab_word_figure(const Context& context, float width, float height) {
  const auto terms = terms_of(context);
  if (!terms) return {};
  return figures::index_terms(terms_input(context, terms), width, height, context.theme, context.measure);
}

namespace {

std::optional<figures::LookupTableInput> table_input(const Context& context, std::int64_t hot) {
  const auto terms = terms_of(context);
  if (!terms) return std::nullopt;
  figures::LookupTableInput input;
  input.table = terms->table;
  input.symbols = bench::kAlphabet;
  input.positions = static_cast<std::int64_t>(terms->word.ids.size());
  input.ids = terms->word.ids;
  input.labels = terms->word.labels;
  input.key = key_of(terms) + 7;
  if (hot > 0 && hot <= input.positions * input.positions) {
    input.hot_row = (hot - 1) / input.positions;
    input.hot_column = (hot - 1) % input.positions;
  }
  input.note =
      tr("row = query, column = key; amber bands: what this word looks up, bright where they cross. Hover one: four numbers are "
         "added up");
  return input;
}

}  // namespace

void draw_lab_table(Context& context, const ui::Look& look, float width, float height) {
  std::int64_t& own = hot_in_table(context);
  const auto input = table_input(context, hot_cell(context) > 0 ? hot_cell(context) : own);
  own = 0;
  if (!input) {
    ui::words(look, tr("computing …"), look.theme.secondary);
    return;
  }
  const gl::Hit hit =
      draw_lab_figure(context, "table", figures::lookup_table(*input, width, height, context.theme, context.measure),
                      [&] { return lab_table_figure(context, 800, 760); });
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0) return;
  // The first position of the word that looks up this row, as query or key; -1: none.
  const std::int64_t n = input->symbols;
  const auto place_of = [&](std::int64_t i) -> std::int64_t {
    if (i >= n) return i - n;
    for (std::size_t k = 0; k < input->ids.size(); ++k)
      if (input->ids[k] == i) return static_cast<std::int64_t>(k);
    return -1;
  };
  const std::int64_t query = place_of(hit.row), key = place_of(hit.column);
  const auto terms = terms_of(context);
  const auto name_of = [&](std::int64_t i, std::int64_t place) {
    return i >= n ? fill(tr("place {}"), {std::to_string(i - n)})
                  : fill(tr("symbol {}"), {place >= 0 ? input->labels[static_cast<std::size_t>(place)] : std::to_string(i)});
  };
  const double value = static_cast<double>(input->table.data<float>()[hit.row * input->table.dim(1) + hit.column]);
  const std::string cell =
      fill(tr("query {}, key {}: {}"), {name_of(hit.row, query), name_of(hit.column, key), short_number(value)});
  if (query >= 0 && key >= 0) {
    own = query * input->positions + key + 1;
    ui::tooltip(look, fill(tr("{}. Looked up: {}"), {cell, cell_words(*terms, query, key)}));
  } else {
    ui::tooltip(look, fill(tr("{}. This word does not look it up"), {cell}));
  }
}

figures::Figure lab_table_figure(const Context& context, float width, float height) {
  const auto input = table_input(context, 0);
  return input ? figures::lookup_table(*input, width, height, context.theme, context.measure) : figures::Figure{};
}

}  // namespace headlight::views
