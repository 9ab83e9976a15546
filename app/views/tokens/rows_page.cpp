// Side by side: the rows with their ribbons, the stages before the model, and the pointed token written out in a column.
#include <algorithm>
#include <map>
#include <tuple>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/text/direction.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/figure_menu.h"
#include "app/views/tokens/pages.h"
#include "engine/text/display.h"
#include "imgui.h"

namespace headlight::views::tokens {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using Rows = std::shared_ptr<const TokenRowsData>;

constexpr float kLeastWithNumbers = 0.8f;                  // scale of the rows below which the numbers beside them go
constexpr float kLeastFactor = 0.75f, kMostFactor = 1.3f;  // scale of the rows in presentation mode
constexpr float kStory = 320, kBesideGap = 24, kLeastRows = 560, kHead = 46, kLeastHigh = 400;

using Composed = std::shared_ptr<const figures::TokenRowsInput>;

DerivedKey composed_key(DerivedKey::Tag tag, const Context& context, const TokenRowsData& rows, std::size_t row) {
  DerivedKey key = token_set_key(tag, context);
  key.add(rows.text).add(row).add(state_of(context).second).add(state_of(context).columns);
  for (const NamedTokenizer& one : rows.set) key.add(anatomy_of(context, one) != nullptr);
  return key;
}

// The rows with the stages of the pointed token's tokenizer.
Composed with_stages(const Context& context, const TokenRowsData& rows, std::size_t row, bool all) {
  const auto answer = context.derived.now<figures::TokenRowsInput>(composed_key("tokens/composed", context, rows, row).add(all),
                                                                   [&](const CancelToken&) -> Result<figures::TokenRowsInput> {
                                                                     figures::TokenRowsInput input = rows.input;
                                                                     input.stages = token_stages(context, rows, row, all);
                                                                     input.by_bytes = state_of(context).columns == "bytes";
                                                                     return input;
                                                                   });
  return answer.value;
}

std::shared_ptr<const figures::TokenStory> story(const Context& context, const TokenRowsData& rows, TokenPlace at) {
  return context.derived
      .now<figures::TokenStory>(
          composed_key("tokens/story", context, rows, at.row).add(at.token),
          [&](const CancelToken&) -> Result<figures::TokenStory> { return token_story_of(context, rows, at); })
      .value;
}

// The highlighted byte range: of a chip, of a token of the rows, or of the hovered row or column of the attention; else the pin.
figures::TokenLight light_of(const Context& context) {
  const Hot& hot = context.hover.now;
  if (hot.byte_start >= 0) return hot.in_target ? figures::TokenLight{} : figures::TokenLight{hot.byte_start, hot.byte_end};
  const State& view = state_of(context);
  return view.pinned.empty() ? figures::TokenLight{} : figures::TokenLight{view.pinned_start, view.pinned_end};
}

void follow(const Context& context, const TokenRowsData& rows, const gl::Hit& hit) {
  PointedToken none;
  PointedToken& pointed = context.transient ? context.transient->of<PointedToken>() : none;
  pointed = {};
  const figures::TokenRowsInput& input = rows.input;
  if (hit.tag.kind != figures::Tag::token) {
    if (hit.clicked) state_of(context).pinned.clear();
    return;
  }
  std::int64_t start = 0, end = 0;
  if (hit.tag.a < 0) {
    if (hit.tag.b >= static_cast<std::int64_t>(input.characters.size())) return;
    start = input.characters[static_cast<std::size_t>(hit.tag.b)].start;
    end = input.characters[static_cast<std::size_t>(hit.tag.b)].end;
  } else {
    if (hit.tag.a >= static_cast<std::int64_t>(input.rows.size())) return;
    const auto& row = input.rows[static_cast<std::size_t>(hit.tag.a)];
    if (hit.tag.b >= static_cast<std::int64_t>(row.pieces.size())) return;
    start = row.pieces[static_cast<std::size_t>(hit.tag.b)].start;
    end = row.pieces[static_cast<std::size_t>(hit.tag.b)].end;
    pointed = {hit.tag.a, hit.tag.b};
    if (hit.clicked) {
      State& view = state_of(context);
      const std::string& name = rows.set[static_cast<std::size_t>(hit.tag.a)].name;
      const bool same = view.pinned == name && view.pinned_start == start && view.pinned_end == end;
      view.pinned = same ? "" : name;
      view.pinned_start = same ? -1 : start;
      view.pinned_end = same ? -1 : end;
    }
  }
  context.hover.next.byte_start = start;
  context.hover.next.byte_end = end;
  context.hover.next.in_target = false;
  // The document's own token at that place, for the inspector.
  if (!context.trace || context.trace->texts().empty()) return;
  const auto texts = context.trace->texts();
  const auto& tokens = texts[static_cast<std::size_t>(
                                 std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(texts.size()) - 1))]
                           .tokens;
  for (std::size_t i = 0; i < tokens.size() && context.hover.next.token < 0; ++i)
    if (tokens[i].start < end && tokens[i].end > start) context.hover.next.token = static_cast<std::int64_t>(i);
}

// Pointing at a row's name or numbers compares them with the lecture's words; a click makes it the second of the stages.
void explain_row(const Context& context, const ui::Look& look, const TokenRowsData& rows, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0 ||
      hit.tag.a >= static_cast<std::int64_t>(rows.set.size()))
    return;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  const std::string& note = rows.input.rows[at].note;
  ui::tooltip(look, note.empty() ? rows.set[at].name : note);
  if (hit.clicked) state_of(context).second = rows.set[at].name;
}

// How the rows stand in a room of some width: their scale, and whether the numbers are beside them. Beside a lesson they become
// smaller, and then the numbers go, before a part of the sentence is out of sight; a longer one scrolls.
struct RowsFit {
  float factor = 1;
  bool table = true;
  figures::CharacterPlaces places;  // in points before they are scaled
};
RowsFit fit_rows(const figures::TokenRowsInput& input, float width, const figures::TextMeasure& measure) {
  const float numbers = figures::token_table_width(input) + 4;
  const auto room_at = [&](float factor, bool table) {
    return std::max(80.0f, width / factor - figures::kNamesWidth - (table ? numbers : 0.0f));
  };
  const figures::CharacterPlaces least = figures::place_characters(input, 0, measure);
  for (const bool table : {true, false}) {
    const float needs = figures::kNamesWidth + (table ? numbers : 0.0f) + least.width();
    const float factor = std::min(1.0f, width / needs);
    if (factor < (table ? kLeastWithNumbers : kLeastFactor)) continue;
    return {factor, table, figures::place_characters(input, room_at(factor, table), measure)};
  }
  return {1, true, figures::place_characters(input, room_at(1, true), measure)};
}

// The fits of one composition by the width that they stand in.
struct RowsFits {
  mutable std::map<float, RowsFit> all;
};
RowsFit fit_of(const Scene& scene, const Composed& input, float width) {
  const auto kept = scene.data<RowsFits>(std::tuple(input, scene.context.scale), [] { return RowsFits(); });
  if (kept->all.size() > 8) kept->all.clear();
  const auto [at, fresh] = kept->all.try_emplace(width);
  if (fresh) at->second = fit_rows(*input, width, scene.pen.measure);
  return at->second;
}
// Whether the characters are wider than the room between the names and the numbers, in points.
float room_between(const RowsFit& fit, const figures::TokenRowsInput& input, float width) {
  const float table = fit.table ? figures::token_table_width(input) + 4 : 0;
  return std::max(80.0f, width - (figures::kNamesWidth + table) * fit.factor);
}
bool is_scrolled(const RowsFit& fit, const figures::TokenRowsInput& input, float width) {
  return fit.places.width() * fit.factor > room_between(fit, input, width) + 0.5f;
}
float scrollbar(const Scene& scene) { return ImGui::GetStyle().ScrollbarSize / scene.context.scale; }

// The names, the rows between them and their numbers, the stages below, in a box of this size.
void draw_rows(const Scene& scene, const TokenRowsData& rows, const figures::TokenRowsInput& input, const RowsFit& fit,
               Size size) {
  const Context& context = scene.context;
  const ui::Look look = look_of(scene);
  const float names = figures::kNamesWidth * fit.factor, table = fit.table ? figures::token_table_width(input) * fit.factor : 0,
              room = room_between(fit, input, size.w);
  const bool scrolls = is_scrolled(fit, input, size.w);
  const float high = size.h - (scrolls ? scrollbar(scene) : 0);
  // The ribbons take what the chips leave.
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.rows.size()));
  const float pitch = std::clamp(
      figures::kTokenPitchLow + (high / fit.factor - figures::token_rows_height(input, figures::kTokenPitchLow)) / count,
      figures::kTokenPitchLow, figures::kTokenPitchMost);
  const ImVec2 start = ImGui::GetCursorPos();
  const auto draw_part = [&](figures::Figure part, const char* id) {
    return context.figures.draw(fit.factor < 1 ? figures::scaled(std::move(part), fit.factor) : std::move(part), id);
  };
  explain_row(context, look, rows, draw_part(figures::token_names(input, context.theme, context.measure, pitch), "names"));
  name_part(context, "tokens:names");
  ImGui::SetCursorPos({start.x + look.px(names), start.y});
  if (ImGui::BeginChild(
          "body", {look.px(room), look.px(size.h)}, ImGuiChildFlags_NavFlattened,
          ImGuiWindowFlags_NoBackground | (scrolls ? ImGuiWindowFlags_HorizontalScrollbar
                                                   : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))) {
    const float from = ImGui::GetScrollX() / context.scale / fit.factor;
    const gl::Hit hit = draw_part(figures::token_body(input, fit.places, light_of(context), from, from + room / fit.factor,
                                                      context.theme, context.measure, pitch),
                                  "rows");
    follow(context, rows, hit);
    figure_menu(context, "rows menu", hit, [&] { return figure_of_rows(context, 1100, 700); });
  }
  ImGui::EndChild();
  if (scrolls) name_part(context, "tokens:scrolls");
  if (!fit.table) return;
  ImGui::SetCursorPos({start.x + look.px(size.w - table), start.y});
  explain_row(context, look, rows, draw_part(figures::token_table(input, context.theme, context.measure, pitch), "table"));
  name_part(context, "tokens:table");
}

// In a low room the second tokenizer's stages, and the first ones of the first, are left out.
Node rows_node(Sheet& sheet, const Rows& rows, const Composed& few, const Composed& all) {
  const Scene* const scene = &sheet.scene;
  const auto height = [](const Composed& input, float pitch) { return figures::token_rows_height(*input, pitch); };
  Part part{.id = "rows", .draw = [=](const ui::Look&, Size size) {
              const RowsFit fit = fit_of(*scene, all, size.w);
              const float bar = is_scrolled(fit, *all, size.w) ? scrollbar(*scene) : 0;
              const bool fits = height(all, figures::kTokenPitchLow) * fit.factor + bar <= size.h + 0.5f;
              draw_rows(*scene, *rows, fits ? *all : *few, fit, size);
            }};
  Node node = sheet.by_hand(std::move(part), {300, 900, kAny}, 0);
  node.forms[0].high = [=](float width) {
    const RowsFit fit = fit_of(*scene, all, width);
    const float bar = is_scrolled(fit, *all, width) ? scrollbar(*scene) : 0;
    return sheet::Span{height(few, figures::kTokenPitchLow) * fit.factor + bar,
                       height(all, figures::kTokenPitch) * fit.factor + bar,
                       height(all, figures::kTokenPitchMost) * fit.factor + bar};
  };
  return node;
}

// How the rows are presented: at which scale, and in which bands, one below the other, each with whole words of the sentence.
struct Presented {
  float factor = kLeastFactor, pitch = figures::kTokenPitch;
  figures::CharacterPlaces places;
  std::vector<float> cuts;  // where bands begin, and the end of the last, in points before they are scaled
  bool scrolls = false;
};
constexpr float kLeastBanded = 0.6f, kBetweenBands = 14;
constexpr float kInside = 0.5f;  // points: what begins where a band ends is in the next one
constexpr std::size_t kMostBands = 4;

// Bands no wider than `most`, cut before words; a word that is wider has a band of its own.
std::vector<float> cuts_of(const figures::TokenRowsInput& input, const figures::CharacterPlaces& places, float most) {
  std::vector<float> cuts = {0};
  float before = 0;  // the beginning of the last word that fits
  for (std::size_t i = 1; i <= input.characters.size(); ++i) {
    const bool ends = i == input.characters.size();
    if (!ends && input.characters[i].word == input.characters[i - 1].word) continue;
    if (places.left[i] - cuts.back() > most && before > cuts.back()) cuts.push_back(before);
    before = places.left[i];
  }
  cuts.push_back(places.width());
  return cuts;
}
float widest(const std::vector<float>& cuts) {
  float most = 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) most = std::max(most, cuts[i] - cuts[i - 1]);
  return most;
}

// As large as they fit: larger for a short sentence, in bands for a long one; a still longer text is scrolled with the wheel.
Presented presented_fit(const figures::TokenRowsInput& input, Size size, const figures::TextMeasure& measure) {
  constexpr float kSlack = 6, kStep = 0.02f;
  const float width = size.w - 4, height = size.h - kSlack, names = figures::kNamesWidth;
  Presented now;
  for (now.factor = kMostFactor; now.factor >= kLeastBanded; now.factor -= kStep) {
    const float room = width / now.factor - names;
    now.pitch = figures::kTokenPitch;
    now.places = figures::place_characters(input, room, measure);
    now.cuts = {0, now.places.width()};
    if (now.factor >= kLeastFactor && now.places.width() <= room &&
        figures::token_rows_height(input, now.pitch) * now.factor <= height)
      return now;
    now.pitch = figures::kTokenPitchLow;
    now.cuts = cuts_of(input, now.places, room);
    const auto bands = static_cast<float>(now.cuts.size() - 1);
    const float high = figures::token_rows_height(input, now.pitch) * now.factor * bands + kBetweenBands * (bands - 1);
    if (bands > 1 && now.cuts.size() <= kMostBands + 1 && widest(now.cuts) <= room && high <= height) return now;
  }
  now.factor = kLeastFactor;
  now.pitch = figures::kTokenPitch;
  now.places = figures::place_characters(input, width / now.factor - names, measure);
  now.cuts = {0, now.places.width()};
  now.scrolls = true;
  return now;
}

// In presentation mode: the rows alone.
void draw_presented(const Scene& scene, const Rows& shown_rows, Size size) {
  const Context& context = scene.context;
  const TokenRowsData& rows = *shown_rows;
  const figures::TokenRowsInput& input = rows.input;
  const auto kept = scene.data<Presented>(std::tuple(shown_rows, size.w, size.h, context.scale),
                                          [&] { return presented_fit(input, size, context.measure); });
  const Presented& fit = *kept;
  const float high = figures::token_rows_height(input, fit.pitch), width = (size.w - 4) / fit.factor - figures::kNamesWidth;
  const ImVec2 start = ImGui::GetCursorPos();
  gl::Hit hit;
  for (std::size_t band = 0; band + 1 < fit.cuts.size(); ++band) {
    const std::string id = std::to_string(band);
    const float y = start.y + static_cast<float>(band) * (high * fit.factor + kBetweenBands) * context.scale;
    ImGui::SetCursorPos({start.x, y});
    context.figures.draw(figures::scaled(figures::token_names(input, context.theme, context.measure, fit.pitch), fit.factor),
                         ("names" + id).c_str());
    ImGui::SetCursorPos({start.x + fit.factor * figures::kNamesWidth * context.scale, y});
    const float shown = fit.scrolls ? width : fit.cuts[band + 1] - fit.cuts[band];
    const ImGuiWindowFlags wheel = fit.scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollWithMouse;
    if (ImGui::BeginChild(("body" + id).c_str(), {shown * fit.factor * context.scale + 1, high * fit.factor * context.scale + 2},
                          ImGuiChildFlags_NavFlattened, wheel | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground)) {
      const float from = fit.scrolls ? ImGui::GetScrollX() / context.scale / fit.factor : fit.cuts[band];
      if (!fit.scrolls) ImGui::SetCursorPosX(-fit.cuts[band] * fit.factor * context.scale);
      const gl::Hit here = context.figures.draw(
          figures::scaled(figures::token_body(input, fit.places, light_of(context), from + kInside, from + shown - kInside,
                                              context.theme, context.measure, fit.pitch),
                          fit.factor),
          ("rows" + id).c_str());
      if (here.hovered || band == 0) hit = here;
      // The wheel scrolls horizontally even without Shift, because nothing else scrolls.
      if (fit.scrolls && ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0)
        ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * 60 * context.scale);
    }
    ImGui::EndChild();
  }
  follow(context, rows, hit);
}
Node presented_rows(Sheet& sheet, const Rows& rows) {
  const float high = figures::token_rows_height(rows->input);
  Node node = sheet.by_hand(
      {.id = "rows", .draw = [scene = &sheet.scene, rows](const ui::Look&, Size size) { draw_presented(*scene, rows, size); }},
      {300, 900, kAny}, {kLeastFactor * high, kMostFactor * high, kAny});
  node.presented = true;
  return node;
}

// What the square chips are, and how much of a long text is shown.
void add_legend(Sheet& sheet, const Rows& rows, std::vector<Node>& column) {
  const Pen& pen = sheet.scene.pen;
  if (figures::token_legend(rows->input, 600, pen.theme, pen.measure).height > 0) {
    column.push_back(sheet.picture(
        {.id = "legend",
         .picture = [rows](Size s, const Pen& p) { return figures::token_legend(rows->input, s.w, p.theme, p.measure); },
         .of = rows},
        {200, 900, kAny}));
    column.back().rank = 2;
  }
  if (!rows->input.note.empty()) column.push_back(sheet.words("note", rows->input.note, 15, pen.theme.secondary));
}

// "is 1 token in GPT-2", ", 2 in cl100k": the pointed token's characters in every row, its own first.
std::vector<std::string> tokens_in_words(const TokenRowsData& rows, TokenPlace at) {
  const auto& token = rows.tokens[at.row][at.token];
  std::vector<std::string> words;
  const auto add = [&](std::size_t row) {
    std::int64_t pieces = 0;
    for (const auto& piece : rows.input.rows[row].pieces) pieces += piece.start < token.end && piece.end > token.start;
    const char* const text = !words.empty() ? tr(", {0} in {1}")
                             : pieces == 1  ? tr("is {0} token in {1}")
                                            : tr("is {0} tokens in {1}");
    words.push_back(fill(text, {std::to_string(pieces), rows.set[row].label}));
  };
  add(at.row);
  for (std::size_t row = 0; row < rows.set.size(); ++row)
    if (row != at.row && rows.set[row].tokenizer) add(row);
  return words;
}

figures::Figure heading(const Pen& given, const TokenRowsData& rows, TokenPlace at, float width) {
  const auto& token = rows.tokens[at.row][at.token];
  figures::Figure figure;
  figure.width = width;
  figure.height = kHead;
  const figures::Composer pen{figure, given.theme, given.measure};
  std::string piece = text::display_text(std::string_view(rows.text).substr(static_cast<std::size_t>(token.start),
                                                                            static_cast<std::size_t>(token.end - token.start)));
  while (piece.starts_with("·") && piece.size() > 2) piece.erase(0, 2);
  const float wide = std::min(given.measure.width(piece, 17, Font::words_bold), 0.5f * width);
  pen.text(0, 12, piece, 17, Font::words_bold, given.theme.selected, figures::Align::start, wide + 1);
  // Whole comparisons are left out at the end where they do not fit.
  const std::vector<std::string> words = tokens_in_words(rows, at);
  std::string fits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string longer = fits + words[i];
    const char* const more = i + 1 < words.size() ? " …" : "";
    if (wide + 8 + given.measure.width(longer + more, 17, Font::words_bold) > width) {
      if (i > 0) fits += " …";
      break;
    }
    fits = longer;
  }
  pen.text(wide + 8, 12, fits, 17, Font::words_bold, given.theme.text);
  // A text that runs from right to left begins at the left here, in the order in which a model reads it.
  const std::vector<std::string> how =
      reads_right_to_left(rows.text)
          ? std::vector<std::string>{tr("The text runs from right to left; here its first character stands at the left, in the "
                                        "order that a model reads."),
                                     tr("The text runs from right to left; here it begins at the left."), ""}
          : std::vector<std::string>{tr("A ribbon follows the same characters down; a dark needle is a cut that only one of the "
                                        "two rows makes. A click pins a token."),
                                     tr("A ribbon follows the same characters; a needle is a cut that one row makes."), ""};
  pen.text(0, 33, figures::first_that_fits(how, width, 13, Font::words, given.measure), 13, Font::words, given.theme.secondary);
  return figure;
}

// The token written out, beside the rows where they leave room.
Node story_column(Sheet& sheet, const std::shared_ptr<const figures::TokenStory>& told) {
  const figures::TokenLight light = light_of(sheet.scene.context);
  Part part{.id = "story",
            .picture =
                [told, light](Size s, const Pen& pen) {
                  figures::TokenStory lit = *told;
                  lit.joins.light = lit.tries.light = lit.lattice.light = light;
                  return figures::token_story(lit, s.w, pen.theme, pen.measure);
                },
            .of = sheet.scene.made_of<struct StoryOf>(told, light.start, light.end),
            .paper = {360, 600},
            .on_paper = [context = &sheet.scene.context](Size s, const Pen&) { return figure_of_token(*context, s.w, s.h); }};
  Node column = Sheet::column("token", 0, {sheet.picture(std::move(part), kStory)});
  column.scrolls = true;
  column.rank = 1;
  column.wide = kStory;
  return column;
}

}  // namespace

std::vector<sheet::Node> rows_choices(Sheet& sheet) {
  State& state = sheet.scene.state<State>();
  return {choose_one(sheet, "columns", tr("same width"), {tr("characters"), tr("bytes")}, state.columns == "bytes" ? 1 : 0,
                     tr("What is equally wide: a character, or a byte of it"),
                     [&state](std::size_t at) { state.columns = at == 1 ? "bytes" : "characters"; })};
}

sheet::Node rows_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const Context& context = scene.context;
  const figures::Theme& theme = scene.pen.theme;
  const std::string* text = token_text(context);
  if (!text || text->empty()) return sheet.notice(tr("Type a sentence: it is cut here by every tokenizer."), theme.secondary);
  const auto answer = token_rows_data(context);
  if (!answer)
    return sheet.notice(answer.error ? spoken_in_window(*answer.error) : tr("cutting the text …"),
                        answer.error ? theme.wrong : theme.secondary);
  const Rows rows = answer.value;
  std::vector<Node> left;
  if (scene.medium == sheet::Medium::presented) {
    left = {presented_rows(sheet, rows)};
    add_legend(sheet, rows, left);
    return Sheet::column("rows page", 4, std::move(left));
  }
  const auto at = shown_token(context, *rows);
  if (at && scene.room.h >= kLeastHigh)
    left.push_back(sheet.picture({.id = "saying",
                                  .picture = [rows, at = *at](Size s, const Pen& pen) { return heading(pen, *rows, at, s.w); },
                                  .of = scene.made_of<struct SayingOf>(rows, at->row, at->token)},
                                 {200, 900, kAny}, kHead));
  const Composed few = with_stages(context, *rows, at ? at->row : 0, false),
                 all = with_stages(context, *rows, at ? at->row : 0, true);
  if (few && all) left.push_back(rows_node(sheet, rows, few, all));
  add_legend(sheet, rows, left);
  Node column = Sheet::column("rows page", 4, std::move(left));
  column.scrolls = true;
  column.wide = {kLeastRows, 1000, kAny};
  std::vector<Node> both = {std::move(column)};
  if (const auto told = at ? story(context, *rows, *at) : nullptr) both.push_back(story_column(sheet, told));
  return Sheet::row("side by side", kBesideGap, std::move(both));
}

figures::Figure figure_of_rows(const Context& context, float width, float) {
  const std::string* text = token_text(context);
  const auto rows = text && !text->empty() ? token_rows_data(context) : TokenRowsAnswer{};
  if (!rows) return {};
  const auto at = shown_token(context, *rows.value);
  const auto composed = with_stages(context, *rows.value, at ? at->row : 0, true);
  return figures::token_rows(composed ? *composed : rows.value->input, width, context.theme, context.measure);
}

figures::Figure figure_of_token(const Context& context, float width, float) {
  const std::string* text = token_text(context);
  const auto rows = text && !text->empty() ? token_rows_data(context) : TokenRowsAnswer{};
  const auto at = rows ? shown_token(context, *rows.value) : std::nullopt;
  if (!at) return {};
  return figures::framed(figures::token_story(token_story_of(context, *rows.value, *at), std::clamp(width - 32, 300.0f, 520.0f),
                                              context.theme, context.measure),
                         "", 16, context.theme);
}

}  // namespace headlight::views::tokens
