// Languages: how many more tokens does this language need, for every tokenizer of the rows.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/tokens/language_picture.h"
#include "app/views/tokens/pages.h"
#include "engine/text/display.h"
#include "engine/text/grouped_number.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/by_language.h"
#include "imgui.h"

namespace headlight::views::tokens {
namespace {

using figures::CostTable;
using figures::Figure;
using figures::Font;
using figures::LanguagePlot;
using sheet::kAny;

constexpr float kPanel = 520, kLeastPanel = 380, kGap = 28, kLeastPlot = 420;
constexpr std::int64_t kRoom = 1024, kRoomSmall = 128;  // tokens, for "what fits"
constexpr int kBytes = -1;

struct LanguagesData {
  tokenizers::LanguageTable table;
  std::vector<NamedTokenizer> set;  // those that could be opened
  std::vector<std::vector<tokenizers::LanguageCount>> counts;
  std::uint64_t bytes() const {
    std::uint64_t all = 4096;
    for (const auto& language : table.languages) all += static_cast<std::uint64_t>(language.bytes) * 2;
    return all;
  }
};

Result<LanguagesData> make_languages(const std::string& file, const std::vector<NamedTokenizer>& set, const CancelToken& cancel) {
  LanguagesData data;
  HL_ASSIGN(data.table, tokenizers::read_languages(file));
  for (const NamedTokenizer& one : set) {
    if (!one.tokenizer) continue;
    HL_ASSIGN(auto counts, tokenizers::count_languages(data.table, *one.tokenizer, cancel));
    data.set.push_back(one);
    data.counts.push_back(std::move(counts));
  }
  return data;
}

Derived::Answer<LanguagesData> find_languages(const Context& context) {
  std::vector<NamedTokenizer> set = token_set(context);
  if (set.empty()) return {};
  const std::string& file = state_of(context).table;
  return context.derived.later<LanguagesData>(
      token_set_key("tokens/languages", context).add(file),
      [file, set = std::move(set)](const CancelToken& cancel) { return make_languages(file, set, cancel); });
}

// The program's own languages and the scripts have names in every language; a table's names are its own.
std::string language_words(const std::string& name) { return tr(name.c_str()); }
std::string script_words(const std::string& scripts) {
  std::string words;
  for (std::size_t at = 0; at < scripts.size();) {
    const std::size_t end = std::min(scripts.find(", ", at), scripts.size());
    words += (words.empty() ? "" : ", ") + std::string(tr(scripts.substr(at, end - at).c_str()));
    at = end + 2;
  }
  return words;
}

std::string times_words(double times) {
  char text[32];
  std::snprintf(text, sizeof text, times >= 9.95 ? "%.0f×" : "%.1f×", times);
  return text;
}
double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Which tokenizer sorts: the chosen one, else the document's, else the first that is trained on text.
std::size_t sorted_by(const Context& context, const LanguagesData& data) {
  const auto rank = [&](std::size_t i) {
    const std::string& kind = data.set[i].tokenizer->kind();
    return data.set[i].current ? 2 : kind == "characters" || kind == "words" ? 0 : 1;
  };
  std::size_t own = 0;
  for (std::size_t i = 0; i < data.set.size(); ++i) {
    if (data.set[i].name == state_of(context).sorted_by) return i;
    if (rank(i) > rank(own)) own = i;
  }
  return own;
}

LanguagePlot plot_of(const Context& context, const LanguagesData& data) {
  LanguagePlot plot;
  const auto& languages = data.table.languages;
  for (const auto& language : languages) {
    plot.languages.push_back(language_words(language.name));
    plot.scripts.push_back(script_words(language.script));
    plot.order.push_back(plot.order.size());
  }
  plot.base = language_words(languages[data.table.base].name);
  for (std::size_t i = 0; i < data.set.size(); ++i) {
    auto& series = plot.series.emplace_back();
    series.name = data.set[i].label;
    series.mark = mark_of(data.set[i]);
    series.hue = static_cast<int>(i);
    std::vector<double> known;
    for (std::size_t l = 0; l < languages.size(); ++l) {
      series.times.push_back(tokenizers::times_base(data.table, data.counts[i], l));
      series.unknown.push_back(data.counts[i][l].unknown_share());
      series.tokens.push_back(static_cast<double>(data.counts[i][l].tokens));
      if (series.unknown.back() <= 0.1) known.push_back(series.times.back());
    }
    series.note = known.empty() ? "" : fill(tr("median {}"), {times_words(median_of(known))});
  }
  auto& bytes = plot.series.emplace_back();
  bytes.name = tr("bytes alone");
  bytes.note = tr("no vocabulary");
  bytes.mark = figures::Mark::tick;
  bytes.hue = kBytes;
  for (const auto& language : languages) {
    const auto base = static_cast<double>(std::max<std::int64_t>(1, languages[data.table.base].bytes));
    bytes.times.push_back(static_cast<double>(language.bytes) / base);
    bytes.unknown.push_back(0);
    bytes.tokens.push_back(static_cast<double>(language.bytes));
  }
  const std::size_t by = sorted_by(context, data);
  plot.sorted_by = static_cast<std::int64_t>(by);
  const auto& times = plot.series[by].times;
  std::ranges::stable_sort(plot.order, [&](std::size_t a, std::size_t b) {
    if ((a == data.table.base) != (b == data.table.base)) return a == data.table.base;
    return times[a] < times[b];
  });
  return plot;
}

// The language in hand: the chosen one, else the one that the sorting tokenizer makes dearest.
std::size_t chosen_language(const Context& context, const LanguagesData& data, const LanguagePlot& plot) {
  for (std::size_t l = 0; l < data.table.languages.size(); ++l)
    if (data.table.languages[l].name == state_of(context).language) return l;
  return plot.order.empty() ? 0 : plot.order.back();
}

CostTable costs_of(const LanguagesData& data, std::size_t language) {
  CostTable table;
  const auto& own = data.table.languages[language];
  const auto& base = data.table.languages[data.table.base];
  table.title = tr("what each way of cutting costs");
  table.legend = fill(tr("white tick: {}"), {language_words(base.name)});
  table.columns = {{tr("vocabulary"), tr("pieces")},
                   {tr("tokens"), tr("on this text")},
                   {fill(tr("per {}"), {language_words(base.name)}), tr("word")},
                   {tr("unknown"), tr("of the tokens")},
                   {tr("cost n²"), fill(tr("{} = 1"), {language_words(base.name)})}};
  const auto words = static_cast<double>(std::max<std::int64_t>(1, base.words));
  const auto add = [&](const std::string& name, int hue, figures::Mark mark, std::int64_t vocabulary, std::int64_t tokens,
                       std::int64_t of_base, double unknown, double base_unknown) {
    auto& row = table.rows.emplace_back();
    row.name = name;
    row.hue = hue;
    row.mark = mark;
    const auto n = static_cast<double>(tokens), b = static_cast<double>(std::max<std::int64_t>(1, of_base));
    char per[32], share[32], cost[32];
    std::snprintf(per, sizeof per, "%.1f", n / words);
    std::snprintf(share, sizeof share, "%.0f %%", 100 * unknown);
    std::snprintf(cost, sizeof cost, n / b >= 10 ? "%.0f" : "%.1f", n / b * n / b);
    row.cells = {{text::grouped_number(vocabulary), static_cast<double>(vocabulary)},
                 {text::grouped_number(tokens), n, b},
                 {per, n / words, b / words},
                 {share, unknown, base_unknown, unknown > 0.1, unknown == 0},
                 {cost, n / b * n / b, 1}};
  };
  add(tr("bytes"), -1, figures::Mark::tick, 256, own.bytes, base.bytes, 0, 0);
  table.plain = 1;
  for (std::size_t i = 0; i < data.set.size(); ++i) {
    const auto &count = data.counts[i][language], &of_base = data.counts[i][data.table.base];
    add(data.set[i].label, static_cast<int>(i), mark_of(data.set[i]), data.set[i].tokenizer->vocabulary_size(), count.tokens,
        of_base.tokens, count.unknown_share(), of_base.unknown_share());
  }
  return table;
}

// The first word of the language's text, cut by every tokenizer. A script without spaces: its first letters.
figures::LanguageCuts cuts_of(const LanguagesData& data, std::size_t language) {
  figures::LanguageCuts cuts;
  std::string word;
  std::int64_t points = 0;
  std::size_t longest = 0;
  // The longest of the first words says most.
  const std::string& text = data.table.languages[language].texts.front();
  for (const auto& [start, end] : words_of(text)) {
    if (longest++ == 4) break;
    if (static_cast<std::size_t>(end - start) > word.size())
      word = text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
  }
  std::int64_t most = 0;
  text::for_each_code_point(word, [&](std::int64_t at, const text::CodePoint& point) {
    if (++points <= 12) most = at + point.length;
  });
  word.resize(static_cast<std::size_t>(most));
  points = text::count_code_points(word);
  cuts.heading = fill(tr("a word of the first text: {}"), {word});
  cuts.right = fill(tr("{0} code points, {1} bytes"), {std::to_string(points), std::to_string(word.size())});
  cuts.bytes = static_cast<std::int64_t>(word.size());
  auto& letters = cuts.rows.emplace_back();
  letters.name = tr("code points");
  letters.count = std::to_string(points);
  text::for_each_code_point(word, [&](std::int64_t at, const text::CodePoint& point) {
    letters.pieces.push_back(
        {text::display_text(std::string_view(word).substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length))),
         at, at + point.length});
  });
  for (std::size_t i = 0; i < data.set.size(); ++i) {
    const auto tokens = data.set[i].tokenizer->encode(word);
    if (!tokens) continue;
    auto& row = cuts.rows.emplace_back();
    row.name = data.set[i].label;
    row.hue = static_cast<int>(i);
    row.mark = mark_of(data.set[i]);
    row.count = text::grouped_number(static_cast<std::int64_t>(tokens->size()));
    for (const auto& token : *tokens) {
      const bool unknown = token.id == data.set[i].tokenizer->unknown_id();
      std::string shown = unknown ? "[UNK]" : data.set[i].tokenizer->display_text(token.id);
      row.pieces.push_back({std::move(shown), token.start, token.end});
    }
  }
  return cuts;
}

figures::LanguageFits fits_of(const LanguagesData& data, std::size_t language) {
  figures::LanguageFits fits;
  fits.texts = static_cast<std::int64_t>(data.table.languages[language].texts.size());
  const bool small = std::ranges::all_of(data.counts, [&](const auto& counts) { return counts[language].tokens <= kRoom; });
  const std::int64_t room = small ? kRoomSmall : kRoom;
  fits.heading = fill(tr("what fits into {} tokens"), {text::grouped_number(room)});
  fits.right = fill(tr("a cell is a text, white tick: {}"), {language_words(data.table.languages[data.table.base].name)});
  for (std::size_t i = 0; i < data.set.size(); ++i)
    fits.rows.push_back({data.set[i].label, static_cast<int>(i), mark_of(data.set[i]), data.counts[i][language].fits(room),
                         data.counts[i][data.table.base].fits(room)});
  return fits;
}

// The words above the plot: what the language in hand needs, in the dearest and the cheapest of the tokenizers that know it.
std::string saying(const LanguagesData& data, const LanguagePlot& plot, std::size_t language) {
  const auto by = static_cast<std::size_t>(plot.sorted_by);
  std::string words =
      fill(tr("needs {0} times the tokens of {1} in {2}"),
           {times_words(plot.series[by].times[language]).substr(0, times_words(plot.series[by].times[language]).size() - 2),
            plot.base, data.set[by].label});
  std::size_t least = by;
  for (std::size_t i = 0; i < data.set.size(); ++i)
    if (plot.series[i].unknown[language] <= 0.1 && plot.series[i].times[language] < plot.series[least].times[language]) least = i;
  if (least != by) {
    const std::string times = times_words(plot.series[least].times[language]);
    words += fill(tr(", {0} in {1}"), {times.substr(0, times.size() - 2), data.set[least].label});
  }
  return words;
}

Figure panel_of(const LanguagesData& data, std::size_t language, float width, float height, const figures::Theme& theme,
                const figures::TextMeasure& measure) {
  const auto& own = data.table.languages[language];
  Figure head;
  head.width = width;
  head.height = 34;
  const figures::Composer pen{head, theme, measure};
  const std::string name = language_words(own.name);
  const float wide = measure.width(name, 18, Font::words_bold);
  pen.text(0, 12, name, 18, Font::words_bold, theme.selected, figures::Align::start, width);
  const std::string sizes =
      fill(tr("{0} characters · {1} bytes"), {text::grouped_number(own.characters), text::grouped_number(own.bytes)});
  pen.text(wide + 12, 13,
           figures::first_that_fits({script_words(own.script) + " · " + sizes, sizes, ""}, width - wide - 12, 13, Font::words,
                                    measure),
           13, Font::words, theme.secondary);
  std::vector<Figure> parts = {std::move(head), figures::cost_table(costs_of(data, language), width, theme, measure)};
  float used = parts[0].height + parts[1].height + 24;
  Figure cuts = figures::language_cuts(cuts_of(data, language), width, theme, measure);
  if (used + cuts.height + 16 <= height) {
    used += cuts.height + 16;
    parts.push_back(std::move(cuts));
    Figure fits = figures::language_fits(fits_of(data, language), width, theme, measure);
    if (used + fits.height + 16 <= height) parts.push_back(std::move(fits));
  }
  return figures::stacked(parts, 16, 0);
}

struct TableField {
  std::string path;
  std::int64_t pointed = -1;  // the language under the mouse
};

// The program's sentences, or a table of one's own.
void draw_tables(const Scene& scene, std::string& path) {
  const ui::Look look = look_of(scene);
  State& state = scene.state<State>();
  if (ImGui::MenuItem(tr("the program's sentences"), nullptr, state.table.empty())) state.table.clear();
  ImGui::SetNextItemWidth(look.px(280));
  const bool entered = ui::text_input("##table", path, tr("path of a table"), ImGuiInputTextFlags_EnterReturnsTrue);
  ui::tooltip(look, tr("A line a text: language, tab, text. A heading may name the columns \"name\" and \"text\"."));
  if ((ui::button(look, ui::labelled(tr("Open it"), "open").c_str(), 0, 28, true, !path.empty()) || entered) && !path.empty()) {
    state.table = path;
    ImGui::CloseCurrentPopup();
  }
  ui::tooltip(look, tr("Counts the tokens of every language in it"));
}

// The page during one frame.
struct Languages {
  std::shared_ptr<const LanguagesData> data;
  std::shared_ptr<const LanguagePlot> plot;
  std::size_t hot = 0;  // the language in hand
};
using Shared = std::shared_ptr<const Languages>;

Figure saying_figure(const Languages& page, float width, const Pen& given) {
  Figure figure;
  figure.width = width;
  figure.height = 46;
  const figures::Composer pen{figure, given.theme, given.measure};
  const auto& languages = page.data->table.languages;
  const std::string name = language_words(languages[page.hot].name);
  const float wide = given.measure.width(name, 17, Font::words_bold);
  const std::string words = saying(*page.data, *page.plot, page.hot);
  pen.text(0, 12, name, 17, Font::words_bold, given.theme.selected);
  pen.text(wide + 7, 12,
           figures::first_that_fits({words, words.substr(0, words.find(',')), ""}, width - wide - 7, 17, Font::words_bold,
                                    given.measure),
           17, Font::words_bold, given.theme.text, figures::Align::start, std::max(1.0f, width - wide - 7));
  const std::string many = std::to_string(languages.size()), texts = std::to_string(languages.front().texts.size());
  pen.text(0, 33,
           figures::first_that_fits(
               {fill(tr("The same {0} texts in {1} languages; each tokenizer against its own {2}, on a log scale."),
                     {texts, many, page.plot->base}),
                fill(tr("{0} texts, {1} languages, log scale"), {texts, many}), ""},
               width, 13, Font::words, given.measure),
           13, Font::words, given.theme.secondary);
  return figure;
}

void follow_plot(const Scene& scene, const LanguagesData& data, const gl::Hit& hit) {
  State& state = scene.state<State>();
  const bool row = hit.tag.kind == figures::Tag::row, column = hit.tag.kind == figures::Tag::column;
  own_transient<TableField>(scene)->pointed = hit.hovered && row ? hit.tag.a : -1;
  if (hit.clicked && row && hit.tag.a < static_cast<std::int64_t>(data.table.languages.size()))
    state.language = data.table.languages[static_cast<std::size_t>(hit.tag.a)].name;
  if (hit.hovered && column) say_at_mouse(scene, tr("A click sorts the languages by this one"));
  if (hit.clicked && column && hit.tag.a < static_cast<std::int64_t>(data.set.size()))
    state.sorted_by = data.set[static_cast<std::size_t>(hit.tag.a)].name;
}

// A part whose picture needs some height, and takes more up to `most`.
sheet::Node stretching(Sheet& sheet, Part part, sheet::Span wide, bool without_bound) {
  sheet::Node node = sheet.picture(std::move(part), wide, sheet::Span());
  node.forms[0].high = [own = sheet.parts.back(), scene = &sheet.scene, without_bound](float width) {
    const float least = Sheet::made(*scene, *own, {width, 1})->height;
    if (without_bound) return sheet::Span(least, least, kAny);
    const float most = Sheet::made(*scene, *own, {width, 1e6f})->height;
    return sheet::Span(least, most, most);
  };
  return node;
}

sheet::Node plot_column(Sheet& sheet, const Shared& page) {
  const Scene* const scene = &sheet.scene;
  Part saying{.id = "languages saying",
              .picture = [page](Size s, const Pen& pen) { return saying_figure(*page, s.w, pen); },
              .of = scene->made_of<struct LanguageSayingOf>(page->plot, page->hot)};
  Part plot{.id = "languages",
            .picture =
                [page](Size s, const Pen& pen) {
                  LanguagePlot lit = *page->plot;
                  lit.hot = static_cast<std::int64_t>(page->hot);
                  return figures::language_plot(lit, s.w, s.h, pen.theme, pen.measure);
                },
            .of = scene->made_of<struct LanguagesOf>(page->plot, page->hot),
            .hit = [scene, page](const Drawn& drawn) { follow_plot(*scene, *page->data, drawn.hit); },
            .paper = {900, 900},
            .on_paper = [scene](Size s, const Pen&) { return figure_of_languages(scene->context, s.w, s.h); }};
  sheet::Node column = Sheet::column(
      "plot", 4,
      {sheet.picture(std::move(saying), {200, 600, kAny}, 46), stretching(sheet, std::move(plot), {200, 600, kAny}, true)});
  column.wide = {kLeastPlot, 740, kAny};
  column.scrolls = true;
  return column;
}

sheet::Node language_column(Sheet& sheet, const Shared& page) {
  const Scene* const scene = &sheet.scene;
  Part panel{.id = "language",
             .picture =
                 [page](Size s, const Pen& pen) {
                   return panel_of(*page->data, page->hot, s.w, s.h > 0 ? s.h : 1e6f, pen.theme, pen.measure);
                 },
             .of = scene->made_of<struct LanguageOf>(page->plot, page->hot),
             .paper = {560, 900},
             .on_paper = [scene](Size s, const Pen&) { return figure_of_language(scene->context, s.w, s.h); }};
  sheet::Node column =
      Sheet::column("language column", 0, {stretching(sheet, std::move(panel), {kLeastPanel, kPanel, kPanel}, false)});
  column.wide = {kLeastPanel, kPanel, kPanel};
  column.scrolls = true;
  column.rank = 1;
  return column;
}

}  // namespace

std::vector<sheet::Node> languages_choices(Sheet& sheet) {
  const Scene* const scene = &sheet.scene;
  State& state = scene->state<State>();
  std::vector<sheet::Node> all = {
      sheet.menu({"languages text", tr("text"),
                  state.table.empty() ? tr("the program's sentences") : std::filesystem::path(state.table).filename().string(),
                  tr("The same texts in many languages: the program's own sentences, or a table of yours"),
                  [scene, field = own_transient<TableField>(*scene)] { draw_tables(*scene, field->path); }})};
  const auto data = find_languages(scene->context);
  if (!data || data.value->set.empty()) return all;
  std::vector<std::string> labels, names;
  for (const NamedTokenizer& one : data.value->set) {
    labels.push_back(one.label);
    names.push_back(one.name);
  }
  all.push_back(choose_one(sheet, "languages sorted", tr("sorted by"), std::move(labels), sorted_by(scene->context, *data.value),
                           tr("Whose languages stand in order; a click on a name in the legend does the same"),
                           [&state, names = std::move(names)](std::size_t by) { state.sorted_by = names[by]; }));
  return all;
}

sheet::Node languages_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const auto data = find_languages(scene.context);
  if (!data)
    return sheet.notice(data.error ? spoken_in_window(*data.error) : tr("counting the tokens of every language …"),
                        data.error ? scene.pen.theme.wrong : scene.pen.theme.secondary);
  if (data.value->set.empty()) return Sheet::column("languages page", 0, {});
  const auto plot = scene.data<LanguagePlot>(std::tuple(data.value, sorted_by(scene.context, *data.value), spoken_language()),
                                             [&] { return plot_of(scene.context, *data.value); });
  const auto languages = static_cast<std::int64_t>(data.value->table.languages.size());
  const std::int64_t pointed = own_transient<TableField>(scene)->pointed;
  const std::size_t hot = pointed >= 0 && pointed < languages ? static_cast<std::size_t>(pointed)
                                                              : chosen_language(scene.context, *data.value, *plot);
  const auto page = std::make_shared<const Languages>(Languages{data.value, plot, hot});
  sheet::Node left = plot_column(sheet, page), right = language_column(sheet, page);
  return Sheet::row("languages page", kGap, {std::move(left), std::move(right)});
}

figures::Figure figure_of_languages(const Context& context, float width, float height) {
  const auto data = find_languages(context);
  if (!data || data.value->set.empty()) return {};
  LanguagePlot plot = plot_of(context, *data.value);
  if (!state_of(context).language.empty()) plot.hot = static_cast<std::int64_t>(chosen_language(context, *data.value, plot));
  Figure figure = figures::language_plot(plot, std::max(width - 32, 640.0f), height, context.theme, context.measure);
  const std::string title = figure.title;
  return figures::framed(std::move(figure), title, 16, context.theme);
}

figures::Figure figure_of_language(const Context& context, float width, float) {
  const auto data = find_languages(context);
  if (!data || data.value->set.empty()) return {};
  const LanguagePlot plot = plot_of(context, *data.value);
  Figure figure = panel_of(*data.value, chosen_language(context, *data.value, plot), std::clamp(width - 32, 480.0f, 640.0f), 1e6f,
                           context.theme, context.measure);
  return figures::framed(std::move(figure), "", 16, context.theme);
}

}  // namespace headlight::views::tokens
