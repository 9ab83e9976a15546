// One word in the Index lab: its four terms adding up to QKᵀ, and the table they are looked up in.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/compose.h"
#include "app/figures/index_terms.h"
#include "app/figures/stack.h"
#include "app/figures/table.h"
#include "app/figures/timing_bars.h"
#include "app/gl/figure_view.h"
#include "app/panels/attention_bar.h"
#include "app/panels/figure_menu.h"
#include "app/panels/index_lab.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "app/window/text_input.h"
#include "engine/text/utf8.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr std::int64_t kLeast = 8, kMost = 16;  // symbols of the pictured word

std::int64_t pictured_length(const ViewState& view) {
  return std::clamp<std::int64_t>(text::count_code_points(view.lab_word), kLeast, kMost);
}

// Of the word, at the lab's d; made in the background where d is large.
std::shared_ptr<const bench::WordTerms> terms_of(const Context& context) {
  const ViewState& view = context.view;
  const std::int64_t length = pictured_length(view), d = std::min<std::int64_t>(view.lab_d, 1024);
  const std::string key = "lab/word/" + std::to_string(length) + "/" + std::to_string(d) + "/" + view.lab_word;
  const auto made = context.derived.later<bench::WordTerms>(
      key, [word = view.lab_word, length, d](const CancelToken& cancel) -> Result<bench::WordTerms> {
        HL_ASSIGN(const std::shared_ptr<backends::Backend> cpu, backends::open("cpu"));
        return bench::word_terms(*cpu, word, length, d, cancel);
      });
  return made.value;
}

// Unique for the values: the address of what is kept for them, which no other set has while it is there.
std::uint64_t key_of(const std::shared_ptr<const bench::WordTerms>& terms) {
  return static_cast<std::uint64_t>(std::hash<const void*>()(terms.get())) ^ 0x1ab0000000000000ULL;
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
  input.mask_padding = context.view.lab_padding;
  for (const std::int32_t id : terms->word.ids) input.padding.push_back(id == 0 ? 1 : 0);
  input.note = tr("random weights, seed 1");
  return input;
}

std::string cell_words(const bench::WordTerms& t, std::int64_t i, std::int64_t j) {
  const auto l = static_cast<std::int64_t>(t.word.ids.size());
  const auto at = [&](const Tensor& values) { return short_number(static_cast<double>(values.data<float>()[i * l + j])); };
  const auto label = [&](std::int64_t k) { return t.word.labels[static_cast<std::size_t>(k)]; };
  return fill(tr("query {} at place {}, key {} at place {}: {} + {} + {} + {} = {}"),
              {label(i), std::to_string(i), label(j), std::to_string(j), at(t.mm), at(t.mp), at(t.pm), at(t.pp), at(t.qk)});
}

// The cell of the pictured word that the mouse is on; shared by the terms and the table.
std::int64_t& hot_cell(Context& context) { return context.transient->numbers["index/hot cell"]; }

void draw_words(Context& context, const window::Look& look, const bench::WordTerms& t, float width) {
  const std::int64_t l = static_cast<std::int64_t>(t.word.ids.size()), n = bench::kAlphabet;
  const auto by = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + "×" + std::to_string(b); };
  lab_words(context, look, tr("Looked up, never multiplied"), look.theme.text, window::kBody, width);
  lab_words(context, look, fill(tr("4 tables: {}, {}, {}, {}"), {by(n, n), by(n, l), by(l, n), by(l, l)}), look.theme.secondary,
            14, width);
  std::string ids;
  for (const std::int32_t id : t.word.ids) ids += (ids.empty() ? "[" : ", ") + std::to_string(id);
  ids += "]";
  lab_words(context, look, fill(tr("indices {}"), {ids}), look.theme.secondary, 14, width);
  const auto error = [](double e) {
    char text[24];
    std::snprintf(text, sizeof text, "%.1e", e);
    return std::string(text);
  };
  lab_words(context, look, fill(tr("mean |index - direct| {} (float32)"), {error(t.mean_between)}), look.theme.good, 14, width);
  lab_words(context, look,
            fill(tr("mean error against float64: index {}, direct {}"), {error(t.mean_index), error(t.mean_direct)}),
            look.theme.good, 14, width);
}

// The word, and whether its padding counts.
void draw_word_field(Context& context, const window::Look& look, bool stacked) {
  ViewState& view = context.view;
  ImGui::AlignTextToFramePadding();
  window::words(look, tr("word"), look.theme.secondary, 14);
  ImGui::SameLine(0, look.px(10));
  ImGui::SetNextItemWidth(look.px(220));
  push_font(context, Font::mono, window::kToken);
  window::text_input("##word", view.lab_word, tr("type a word"));
  ImGui::PopFont();
  window::tooltip(look,
                  fill(tr("Up to {} characters are pictured, padded to at least {}. a..z are symbols 1..26, padding is 0: the "
                          "notebook's alphabet of 64"),
                       {std::to_string(kMost), std::to_string(kLeast)}));
  name_part(context, "index:word");
  if (stacked)
    ImGui::Dummy({0, look.px(2)});
  else
    ImGui::SameLine(0, look.px(16));
  window::toggle(look, (std::string(tr("padding masked")) + "##padding").c_str(), &view.lab_padding);
  window::tooltip(
      look, tr("The notebook masks nothing: padding takes part like any symbol. Masked, keys that are padding get weight 0 and "
               "queries that are padding leave the mean"));
}

}  // namespace

void draw_lab_word(Context& context, const window::Look& look, float width) {
  std::int64_t& hot = hot_cell(context);
  // Beside the terms in a wide room, above them in a narrow one.
  const float words_room = width >= 1100 && !context.view.presentation ? 300.0f : 0.0f;
  if (words_room <= 0) draw_word_field(context, look, false);
  const auto terms = terms_of(context);
  if (!terms) {
    if (words_room > 0) draw_word_field(context, look, true);
    window::words(look, tr("computing …"), look.theme.secondary);
    ImGui::Dummy({0, look.px(220)});
    return;
  }
  const float room = width - words_room - (words_room > 0 ? 24 : 0);
  figures::IndexTermsInput input = terms_input(context, terms);
  const auto l = static_cast<std::int64_t>(terms->word.ids.size());
  if (hot > 0) {
    input.hot_row = (hot - 1) / l;
    input.hot_column = (hot - 1) % l;
  }
  // Presented, the picture fills what is seen without scrolling.
  const float high = context.view.presentation ? std::max(200.0f, ImGui::GetContentRegionAvail().y / context.scale - 8)
                     : words_room > 0          ? 290.0f
                                               : 420.0f;
  const float factor = context.view.presentation ? std::min(1.0f, room / 960) : 1.0f;  // the titles have room at 960
  figures::Figure figure =
      figures::scaled(figures::index_terms(input, room / factor, high / factor, context.theme, context.measure), factor);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "terms");
  name_part(context, "index:terms");
  hot = 0;
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    hot = hit.row * l + hit.column + 1;
    window::tooltip(look, cell_words(*terms, hit.row, hit.column), "QKᵀ[i, j] = MM[Iᵢ, Iⱼ] + MP[Iᵢ, j] + PM[i, Iⱼ] + PP[i, j]");
  }
  figure_menu(context, "terms menu", hit, [&] {
    figures::IndexTermsInput quiet = input;
    quiet.hot_row = quiet.hot_column = -1;
    figures::Figure out = figures::index_terms(quiet, 1100, 320, context.theme, context.measure);
    out.background = context.theme.background;
    return out;
  });
  if (words_room > 0) ImGui::SameLine(0, look.px(24));
  ImGui::BeginGroup();
  if (words_room > 0) draw_word_field(context, look, true);
  draw_words(context, look, *terms, words_room > 0 ? words_room : width);
  ImGui::EndGroup();
}

figures::Figure lab_word_figure(const Context& context, float width, float height) {
  const auto terms = terms_of(context);
  if (!terms) return {};
  return figures::index_terms(terms_input(context, terms), width, height, context.theme, context.measure);
}

void draw_lab_tables(Context& context, const window::Look& look, float width) {
  const bool beside = width >= 980;
  // The notebook's table has the most columns.
  const float each = beside ? std::floor((width - 2 * 28) * 0.3f) : width, last = beside ? width - 2 * 28 - 2 * each : width;
  const auto next = [&] {
    if (beside) ImGui::SameLine(0, look.px(28));
  };
  // The table.
  ImGui::BeginGroup();
  window::words(look, tr("The table that scores are looked up in"), look.theme.text, 16);
  if (const auto terms = terms_of(context)) {
    figures::LookupTableInput input;
    input.table = terms->table;
    input.symbols = bench::kAlphabet;
    input.positions = static_cast<std::int64_t>(terms->word.ids.size());
    input.ids = terms->word.ids;
    input.key = key_of(terms) + 7;
    if (const std::int64_t hot = hot_cell(context); hot > 0) {
      input.hot_row = (hot - 1) / input.positions;
      input.hot_column = (hot - 1) % input.positions;
    }
    input.note = tr("amber: the rows and columns of this word; hover a cell of QKᵀ above");
    figures::Figure figure = figures::lookup_table(input, each, 380, context.theme, context.measure);
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, "table");
    name_part(context, "index:table");
    figure_menu(context, "table menu", hit, [&] {
      figures::Figure out = figures::lookup_table(input, 800, 760, context.theme, context.measure);
      out.background = context.theme.background;
      return out;
    });
  }
  ImGui::EndGroup();
  if (!context.sweep) return;  // nothing can be measured here

  // The errors.
  next();
  ImGui::BeginGroup();
  window::words(look, tr("Errors of the result against float64"), look.theme.text, 16);
  const std::string problem = lab_problem(context.view);
  const bench::Request request = lab_request(context);
  if (problem.empty() && request.backend &&
      bench::written_flops(
          {1, static_cast<double>(request.length), static_cast<double>(request.vocab), static_cast<double>(request.d)}) < 4e9) {
    const std::string key = "lab/errors/" + request.backend->device().id + "/" + lab_sizes_words(context.view) +
                            (context.view.lab_padding ? "/pad" : "");
    const auto h = context.derived.later<bench::ErrorHistogram>(
        key, [request](const CancelToken& cancel) { return bench::error_histogram(request, cancel); });
    if (h.value) {
      figures::ErrorBarsInput input;
      input.first.assign(h.value->index.begin(), h.value->index.end());
      input.second.assign(h.value->direct.begin(), h.value->direct.end());
      input.lowest = bench::ErrorHistogram::kLowest;
      input.per_decade = bench::ErrorHistogram::kPerDecade;
      input.first_label = tr("index first");
      input.second_label = tr("as written");
      input.axis = tr("absolute error of a number of the result");
      figures::Figure figure = figures::error_bars(input, each, 240, context.theme, context.measure);
      figure.background.a = 0;
      const gl::Hit hit = context.figures.draw(figure, "errors");
      name_part(context, "index:errors");
      figure_menu(context, "errors menu", hit, [&] {
        figures::Figure out = figures::error_bars(input, 720, 420, context.theme, context.measure);
        out.background = context.theme.background;
        return out;
      });
      const auto line = [&](const char* name, const bench::ErrorFigures& e) {
        char text[96];
        std::snprintf(text, sizeof text, "%.1e, %.1e, %.1e", e.mean_abs, e.max_abs, e.relative);
        lab_words(context, look, fill(tr("{}: mean, largest, relative {}"), {name, text}), look.theme.secondary, 13, each);
      };
      line(tr("index first"), h.value->index_errors);
      line(tr("as written"), h.value->direct_errors);
    } else {
      window::words(look, h.error ? h.error->sentence() : std::string(tr("computing …")), look.theme.secondary);
    }
  } else {
    window::words(look,
                  problem.empty() ? tr("Too large to check in double while you wait: choose a smaller d or l") : problem.c_str(),
                  look.theme.secondary);
  }
  ImGui::EndGroup();
  next();

  // The notebook's table.
  ImGui::BeginGroup();
  window::words(look, tr("The notebook's table on this machine"), look.theme.text, 16);
  bench::Request book = lab_request(context);
  const bench::Request notebook_sizes;
  book.words = notebook_sizes.words;
  book.length = notebook_sizes.length;
  book.vocab = notebook_sizes.vocab;
  book.d = notebook_sizes.d;
  book.heads = notebook_sizes.heads;
  book.pad_index = notebook_sizes.pad_index;
  const auto rows = !book.backend
                        ? Derived::Answer<LabRows>{}
                        : context.derived.later<LabRows>(
                              "lab/notebook/" + book.backend->device().id,
                              [book, edits = context.edits](const CancelToken& cancel) mutable -> Result<LabRows> {
                                book.stage.clear();
                                book.mode = "per-call";
                                book.variants = {"q:index", "q:direct", "qk:index", "qk:direct", "layer:index", "layer:notebook"};
                                book.effort = {0.3, 3, edits};
                                LabRows made;
                                HL_ASSIGN(made.rows, bench::isdpa(book, cancel));
                                return made;
                              });
  if (rows.value) {
    figures::TableInput input;
    input.columns = {{"", false, false},        {tr("notebook"), false, true}, {"", false, true},
                     {tr("here"), false, true}, {tr("index"), false, true},    {"", false, true}};
    const auto median = [&](const std::string& variant) {
      for (const bench::Row& row : rows.value->rows)
        if (row.variant == variant) return bench::percentile(row.samples, 0.5);
      return 0.0;
    };
    const auto number = [](std::string text, double value) { return figures::TableInput::Cell{std::move(text), {}, 0, value}; };
    const auto ratio = [&](double a, double b) {
      char text[24];
      std::snprintf(text, sizeof text, "%.1f×", b > 0 ? a / b : 0);
      return number(text, b > 0 ? a / b : 0);
    };
    for (const bench::NotebookRow& row : bench::kNotebook) {
      const std::string id = row.id;
      const double direct = median(id + (id == "layer" ? ":notebook" : ":direct")), index = median(id + ":index");
      char theirs[48];
      std::snprintf(theirs, sizeof theirs, "%.2f/%.2f s", row.direct_s, row.index_s);
      input.rows.push_back({{tr(row.label)},
                            number(theirs, row.direct_s),
                            ratio(row.direct_s, row.index_s),
                            number(figures::time_text(direct), direct),
                            number(figures::time_text(index), index),
                            ratio(direct, index)});
    }
    input.note = fill(
        tr("notebook: 10,000 repetitions on its GPU, as written / index; here: one call on {}, the tables made in every call"),
        {book.backend->device().label});
    figures::Figure figure = figures::table(input, last, context.theme, context.measure);
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, "notebook");
    name_part(context, "index:notebook");
    figure_menu(context, "notebook menu", hit, [&] {
      figures::Figure out = figures::table(input, 720, context.theme, context.measure);
      out.background = context.theme.background;
      return out;
    });
  } else {
    window::words(look, rows.error ? rows.error->sentence() : std::string(tr("measuring …")), look.theme.secondary);
  }
  ImGui::EndGroup();
}

}  // namespace headlight::panels
