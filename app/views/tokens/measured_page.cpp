// Measured: what each way of cutting costs on the sentence or on a corpus, as numbers and bars.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "app/figures/base/compose.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/menu.h"
#include "app/views/tokens/lecture_words.h"
#include "app/views/tokens/pages.h"
#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/text/grouped_number.h"
#include "engine/tokenizers/models/model.h"
#include "imgui.h"

namespace headlight::views::tokens {
namespace {

using figures::CostTable;

constexpr std::uint64_t kMostCorpus = std::uint64_t{64} << 20;
constexpr float kMostWide = 1100;

std::string with_places(double value, int places) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

// The text that is measured, and how it is called.
struct MeasuredText {
  std::string text, words;
};
Result<MeasuredText> text_to_measure(const std::string& on, const std::string& sentence) {
  if (on.empty()) return MeasuredText{sentence, tr("this sentence")};
  if (on == "sample") {
    HL_ASSIGN(const std::filesystem::path assets, assets_folder());
    HL_ASSIGN(std::string text, read_text_file(assets / "corpus" / "sample.txt", kMostCorpus));
    return MeasuredText{std::move(text), tr("the sample corpus")};
  }
  HL_ASSIGN(std::string text, read_text_file(on, kMostCorpus));
  return MeasuredText{std::move(text), std::filesystem::path(on).filename().string()};
}

// Ids and times: the first run of a cold tokenizer.
struct Cost {
  tokenizers::Measured measured;
  double seconds = 0;
};
Result<Cost> cost_of(const tokenizers::Tokenizer& tokenizer, std::string_view text, const CancelToken& cancel) {
  Cost cost;
  tokenizer.forget_words();
  const auto began = std::chrono::steady_clock::now();
  HL_ASSIGN(const auto ids, tokenizer.encode_ids(text, cancel));
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::int64_t unknown = 0, partial = 0;
  HL_TRY(tokenizer.encode_parts(
      text,
      [&](const std::vector<tokenizers::Token>& tokens) {
        const tokenizers::Measured part = tokenizers::measure(tokenizer, text, tokens);
        unknown += part.unknown;
        partial += part.partial;
        return Status();
      },
      cancel));
  cost.measured.tokens = static_cast<std::int64_t>(ids.size());
  cost.measured.bytes = static_cast<std::int64_t>(text.size());
  cost.measured.unknown = unknown;
  cost.measured.partial = partial;
  cost.measured.bytes_per_token = ids.empty() ? 0 : static_cast<double>(text.size()) / static_cast<double>(ids.size());
  return cost;
}

CostTable::Row row_of(const NamedTokenizer& one, const Cost& cost, double words, std::int64_t least, int hue) {
  const auto& m = cost.measured;
  const auto tokens = static_cast<double>(m.tokens);
  CostTable::Row row;
  row.name = one.label;
  row.note = tr(tokenizers::model_registry().find(one.tokenizer->kind())->label.c_str());
  if (row.note == row.name) row.note.clear();
  row.hue = hue;
  row.mark = mark_of(one);
  row.hot = one.current;
  row.why = lecture_note(one.name, *one.tokenizer, m);
  const double share = tokens > 0 ? static_cast<double>(m.unknown) / tokens : 0,
               more = least > 0 ? tokens / static_cast<double>(least) : 0;
  row.cells = {
      {text::grouped_number(one.tokenizer->vocabulary_size()), static_cast<double>(one.tokenizer->vocabulary_size())},
      {text::grouped_number(m.tokens), tokens},
      {words > 0 ? with_places(tokens / words, 2) : "–", words > 0 ? tokens / words : 0},
      {with_places(m.bytes_per_token, 2), m.bytes_per_token},
      {with_places(100 * share, share > 0 && share < 0.1 ? 1 : 0) + " %", share, -1, share > 0, share == 0},
      {text::grouped_number(m.partial), static_cast<double>(m.partial), -1, false, m.partial == 0},
      {with_places(more * more, 1), more * more},
      {cost.seconds > 0 ? with_places(static_cast<double>(m.bytes) / cost.seconds / 1e6, 1) : "–",
       cost.seconds > 0 ? static_cast<double>(m.bytes) / cost.seconds / 1e6 : 0},
  };
  return row;
}

Result<CostTable> make_table(const std::string& on, const std::string& sentence, const std::vector<NamedTokenizer>& set,
                             const CancelToken& cancel) {
  HL_ASSIGN(const MeasuredText corpus, text_to_measure(on, sentence));
  CostTable table;
  table.title = fill(tr("what each way of cutting costs: {0}, {1} bytes"),
                     {corpus.words, text::grouped_number(static_cast<std::int64_t>(corpus.text.size()))});
  table.columns = {{tr("vocabulary"), tr("pieces")},     {tr("tokens"), tr("on this text")},
                   {tr("tokens"), tr("per word")},       {tr("bytes"), tr("per token")},
                   {tr("unknown"), tr("of the tokens")}, {tr("cut letters"), tr("tokens within")},
                   {tr("cost n²"), tr("shortest = 1")},  {"MB/s", tr("first time")}};
  std::vector<Cost> costs;
  std::int64_t least = 0;
  for (const NamedTokenizer& one : set) {
    costs.emplace_back();
    if (!one.tokenizer) continue;
    HL_ASSIGN(costs.back(), cost_of(*one.tokenizer, corpus.text, cancel));
    const std::int64_t tokens = costs.back().measured.tokens;
    if (tokens > 0 && (least == 0 || tokens < least)) least = tokens;
  }
  const auto words = static_cast<double>(words_of(corpus.text).size());
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set[i].tokenizer) table.rows.push_back(row_of(set[i], costs[i], words, least, static_cast<int>(i)));
  return table;
}

Derived::Answer<CostTable> find_table(const Context& context) {
  const std::string* const text = token_text(context);
  std::vector<NamedTokenizer> set = token_set(context);
  if (set.empty()) return {};
  const std::string& on = state_of(context).measured_on;
  DerivedKey key = token_set_key("tokens/measured", context).add(on).add(on.empty() && text ? *text : std::string());
  return context.derived.later<CostTable>(key, [on, sentence = text ? *text : std::string(), set = std::move(set)](
                                                   const CancelToken& cancel) { return make_table(on, sentence, set, cancel); });
}

struct CorpusField {
  std::string path;
};

// The menu that asks for a file; the button "a file" opens it.
void draw_corpus_menu(const Scene& scene, CorpusField& field, std::string& on) {
  const ui::Look look = look_of(scene);
  if (!begin_menu(scene.context, look, "corpus menu", true)) return;
  ImGui::SetNextItemWidth(look.px(280));
  const bool entered = ui::text_input("##corpus", field.path, tr("path of a text file"), ImGuiInputTextFlags_EnterReturnsTrue);
  ui::tooltip(look, tr("A text file of your own"));
  if ((ui::button(look, ui::labelled(tr("Measure it"), "measure").c_str(), 0, 28, true, !field.path.empty()) || entered) &&
      !field.path.empty()) {
    on = field.path;
    ImGui::CloseCurrentPopup();
  }
  ui::tooltip(look, tr("Reads the file and cuts it with every tokenizer"));
  end_menu();
}

}  // namespace

std::vector<sheet::Node> measured_choices(Sheet& sheet) {
  std::string& on = sheet.scene.state<State>().measured_on;
  const bool file = !on.empty() && on != "sample";
  const auto choose = [&on, file](int clicked) {
    if (clicked == 0) on.clear();
    if (clicked == 1) on = "sample";
    if (clicked == 2 && !file) ImGui::OpenPopup("corpus menu");
  };
  sheet::Node node =
      sheet.choice("measured on", {tr("this sentence"), tr("sample corpus"), tr("a file")},
                   on.empty() ? 0
                   : file     ? 2
                              : 1,
                   {tr("The sentence above"), tr("Sentences that come with the program"), tr("A text file of your own")}, choose);
  Part& part = *sheet.parts.back();
  part.draw = [choice = std::move(part.draw), scene = &sheet.scene, &on, field = own_transient<CorpusField>(sheet.scene)](
                  const ui::Look& look, Size size) {
    choice(look, size);
    draw_corpus_menu(*scene, *field, on);
  };
  return {std::move(node)};
}

sheet::Node measured_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const auto answer = find_table(scene.context);
  if (!answer)
    return sheet.notice(answer.error ? spoken_in_window(*answer.error) : tr("measuring …"),
                        answer.error ? scene.pen.theme.wrong : scene.pen.theme.secondary);
  const auto table = answer.value;
  Part part{
      .id = "measured",
      .picture = [table](Size s, const Pen& pen) { return figures::cost_table(*table, s.w, pen.theme, pen.measure); },
      .of = table,
      .hit =
          [scene = &scene, table](const Drawn& drawn) {
            const gl::Hit& hit = drawn.hit;
            if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a < static_cast<std::int64_t>(table->rows.size()))
              say_at_mouse(*scene, table->rows[static_cast<std::size_t>(hit.tag.a)].why);
          },
      .paper = {900, 500},
      .on_paper = [scene = &scene](Size s, const Pen&) { return figure_of_measured(scene->context, s.w, s.h); }};
  sheet::Node column = Sheet::column("measured column", 0, {sheet.picture(std::move(part), {300, kMostWide, kMostWide})});
  column.scrolls = true;
  return column;
}

figures::Figure figure_of_measured(const Context& context, float width, float) {
  const auto table = find_table(context);
  if (!table) return {};
  return figures::framed(figures::cost_table(*table.value, std::max(width - 32, 760.0f), context.theme, context.measure), "", 16,
                         context.theme);
}

}  // namespace headlight::views::tokens
