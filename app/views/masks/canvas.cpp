// The large pictures of the Masks view with what stands around them: the steps line by line, a sentence, the next word.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "app/figures/attention/word_axes.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/next_word_lines.h"
#include "app/views/base/query_axis.h"
#include "app/views/masks/parts.h"
#include "engine/attention/masks/combined.h"
#include "imgui.h"

namespace headlight::views::masked {

using namespace views;

namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

void draw_lines(const MaskTab& tab) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  const auto& words = tab.choice.words;
  const std::int64_t last = (words ? words->rows.size() : tab.choice.site->queries) - 1;
  const std::int64_t row = std::clamp<std::int64_t>(words ? words->rows.at(own(context).row) : own(context).row, -1, last);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ui::words(look, tr("line by line"), look.theme.secondary, 13);
  ui::tooltip(look, tr("As a decoder generates: row i is what token i may see when it is its turn"));
  struct Move {
    const char *label, *help;
    std::int64_t to;
    bool enabled;
  };
  const Move moves[] = {{"|<", tr("To the first row"), 0, row != 0},
                        {"<", tr("One row back"), row < 0 ? last : row - 1, row != 0},
                        {">", tr("One row on"), row < 0 ? 0 : row + 1, row < last},
                        {">|", tr("All rows"), -1, row >= 0}};
  ImGui::PushID("line by line");
  for (const Move& move : moves) {
    ImGui::SameLine(0, look.px(4));
    if (ui::button(look, move.label, look.px(28), 28, false, move.enabled)) {
      const std::int64_t to = std::min(move.to, last);
      own(context).row = words ? words->rows.last_token(to) : to;
    }
    ui::tooltip(look, move.help);
  }
  if (context.export_animation) {
    ImGui::SameLine(0, look.px(4));
    if (ui::button(look, tr("film…"), button_width(look, tr("film…"), 16), 28))
      context.export_animation(reveal_film(context, tab.choice));
    ui::tooltip(look, tr("A film of the mask line by line, as GIF or APNG"));
  }
  ImGui::PopID();
  ImGui::EndGroup();
  name_part(context, "masks:lines");
}

std::string join(const std::vector<std::string>& labels, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < labels.size() && i < most; ++i) text += (i ? "  " : "") + labels[i];
  if (labels.size() > most) text += "  …";
  return text;
}

// One line under the pictures.
std::string words_below(const MaskTab& tab, const MaskEffect* effect) {
  const Context& context = tab.context;
  const AttentionSite& site = *tab.choice.site;
  const auto& words = tab.choice.words;
  const auto queries = words ? words->row_labels : row_labels(context, tab.choice),
             keys = words ? words->column_labels : column_labels(context, tab.choice);
  const std::int64_t token = own(context).row, row = words ? words->rows.at(token) : token;
  if (row >= 0 && row < static_cast<std::int64_t>(queries.size())) {
    std::vector<std::string> seen;
    for (std::size_t j = 0; j < keys.size(); ++j) {
      const CellRange cell = in_tokens(tab.choice, {row, static_cast<std::int64_t>(j), 1, 1});
      bool allowed = false;
      for (std::int64_t q = cell.query; q < cell.query + cell.queries; ++q)
        for (std::int64_t k = cell.key; k < cell.key + cell.keys; ++k)
          allowed |= masks::allows(site.mask.mask, tab.choice.batch, 0, q, k);
      if (allowed) seen.push_back(keys[j]);
    }
    return fill(tr("row {} of {}: {} may see {} of {} keys: {}"),
                {std::to_string(row + 1), std::to_string(queries.size()), queries[static_cast<std::size_t>(row)],
                 std::to_string(seen.size()), std::to_string(keys.size()), join(seen, 16)});
  }
  if (!effect) return {};
  const auto percent = [](double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f", 100 * share);
    return std::string(text);
  };
  const std::int64_t hot = words ? words->rows.at(context.hover.now.row) : context.hover.now.row;
  if (hot >= 0 && hot < static_cast<std::int64_t>(effect->moved.size()))
    return fill(tr("The masks move {} % of the weight of {}."),
                {percent(effect->moved[static_cast<std::size_t>(hot)]), queries[static_cast<std::size_t>(hot)]});
  if (effect->most_moved < 0) return {};
  return fill(tr("The masks move {} % of a row's weight on average, most in {}: {} %."),
              {percent(effect->mean_moved), queries[static_cast<std::size_t>(effect->most_moved)],
               percent(effect->moved[static_cast<std::size_t>(effect->most_moved)])});
}

}  // namespace

figures::MaskPicturesInput canvas_input(const Context& context, const AttentionChoice& choice) {
  const ViewState& view = context.view;
  const AttentionSite& site = *choice.site;
  figures::MaskPicturesInput input;
  const auto& words = choice.words;
  input.rows = words ? words->rows.size() : site.queries;
  input.columns = words ? words->columns.size() : site.keys;
  input.row_labels = words ? words->row_labels : row_labels(context, choice);
  input.column_labels = words ? words->column_labels : column_labels(context, choice);
  input.row_axis = words ? figures::query_words_axis(false) : query_axis(context, choice);  // words are those read here
  input.column_axis = words ? figures::key_words_axis() : tr("key (is attended to)");
  if (view.transposed) {
    std::swap(input.rows, input.columns);
    std::swap(input.row_labels, input.column_labels);
    std::swap(input.row_axis, input.column_axis);
  }
  input.waiting = tr("computing …");
  input.reduction = view.reduction == "mean" ? figures::Reduction::mean : figures::Reduction::max;
  const std::int64_t row = std::min(own(context).row, site.queries - 1);
  input.revealed = row < 0 ? -1 : (words ? words->rows.at(row) : row) + 1;
  input.reveal_columns = view.transposed;
  input.notes = {random_note(*context.trace, context.trace->name_at(choice.prefix(), Role::weights))};
  const std::string map = view.colormap == "signed" ? "viridis" : view.colormap;
  const auto shows = [&](const char* what) { return own(context).shows == what || own(context).shows == "all"; };
  const bool named = own(context).shows != "after";
  std::shared_ptr<const MaskEffect> effect;
  if (named) {
    effect = mask_effect(context, choice).value;
    if (const auto edges = mask_boundary(context, choice)) input.edges = *edges;
  }
  if (shows("before")) {
    figures::MaskPicture picture;
    picture.title = tr("without masks");
    picture.brief = tr("without");
    picture.colormap = map;
    picture.range_words = tr("weight 0..1");
    picture.edges = true;
    if (effect) {
      picture.values = effect->before;
      picture.key = effect->before_key;
    }
    input.pictures.push_back(std::move(picture));
  }
  if (shows("after") || input.pictures.empty() == (own(context).shows != "difference")) {
    figures::MaskPicture picture;
    picture.title = named ? tr("with masks") : "";
    picture.brief = tr("with");
    picture.colormap = map;
    picture.range_words = tr("weight 0..1");
    if (const auto weights = masked_weights(context, choice)) {
      picture.values = weights->values;
      picture.mask = weights->mask;
      picture.key = weights->key;
    }
    if (shows("after")) input.pictures.push_back(std::move(picture));
  }
  if (shows("difference")) {
    figures::MaskPicture picture;
    picture.title = picture.brief = tr("difference");
    picture.colormap = "signed";
    picture.range_words = tr("with − without");
    picture.edges = true;
    if (effect) {
      picture.values = effect->difference;
      picture.key = effect->difference_key;
      picture.high = effect->largest > 0 ? static_cast<float>(effect->largest) : 1.0f;
      picture.low = -picture.high;
    }
    input.pictures.push_back(std::move(picture));
  }
  return input;
}

namespace {

using Next = std::shared_ptr<const figures::NextLinesInput>;

// The next word under the masks and under the model's own; null where there is none.
Next next_of(const Context& context) {
  auto made = next_word_lines(context, {tr("next word with these masks"), tr("with the model's own masks"), true});
  return made ? std::make_shared<const figures::NextLinesInput>(*std::move(made)) : nullptr;
}

// Points of width: narrower, the words below the pictures may take two lines.
constexpr float kTwoLines = 620;
constexpr float kLeastPicture = 200;     // points of height
constexpr float kLeastBelow = 260;       // ... beside the controls: with less the page scrolls
constexpr float kLeastBelowThree = 340;  // ... for three pictures, whose names and scales take more of it
// ... for up to so many rows, all of which are named: this much for each, and for what is not rows; and for the legend of that.
constexpr std::int64_t kNamedRows = 24;
constexpr float kNamedRow = 7, kBesideRows = 214, kLegend = 60;
constexpr float kLegendWide = 244;     // of a legend beside the picture
constexpr float kMostPresented = 300;  // the most that a picture asks for where nothing scrolls

Node lines_node(Sheet& sheet, const Shared& tab) {
  const float words = sheet.scene.pen.measure.width(tr("line by line"), 13, figures::Font::words),
              film = sheet.scene.pen.measure.width(tr("film…"), 14, figures::Font::words);
  const float wide = std::ceil(words) + 4 * 32 + (tab->context.export_animation ? std::ceil(film) + 20 : 0);
  return sheet.by_hand({.id = "lines", .draw = [tab](const ui::Look&, Size) { draw_lines(*tab); }}, wide, 28);
}

Node whole_node(Sheet& sheet) {
  return sheet.button({.id = "whole",
                       .label = tr("whole"),
                       .why = tr("Back to the whole matrix; the wheel zooms, Shift with the mouse moves"),
                       .press =
                           [&view = sheet.scene.view] {
                             view.zoom = 1;
                             view.pan_x = view.pan_y = 0;
                           },
                       .high = 28});
}

// What the pictures show in a sentence. It keeps the height of as many lines as it may need, so that the pictures do not move
// when the words change under the mouse.
std::optional<Node> said(Sheet& sheet, const MaskTab& tab, const MaskEffect* effect) {
  const Context& context = tab.context;
  std::string words = words_below(tab, effect);
  if (sheet.scene.medium == sheet::Medium::presented)
    words = attention_title(tab.choice) + ", " +
            (context.document.masks.empty() ? std::string(tr("no mask")) : headlight::masks::to_text(context.document.masks)) +
            (words.empty() ? "" : ".  " + words);
  if (words.empty()) return std::nullopt;
  constexpr float kWords = 14;
  const float line = context.measure.line_height(kWords, figures::Font::words) + 3;
  const auto lines_of = [words, &measure = context.measure](float width) {
    return figures::wrap(words, width, kWords, figures::Font::words, measure);
  };
  return sheet.picture({.id = "said",
                        .picture =
                            [lines_of, line](Size s, const Pen& pen) {
                              figures::Figure figure;
                              figure.width = s.w;
                              figure.height = s.h;
                              const figures::Composer composer{figure, pen.theme, pen.measure};
                              float y = line / 2;
                              for (const std::string& one : lines_of(s.w)) {
                                composer.text(0, y, one, kWords, figures::Font::words, pen.theme.secondary, figures::Align::start,
                                              s.w + 1);
                                y += line;
                              }
                              return figure;
                            }},
                       {100, 600, kAny}, [lines_of, line](float width) {
                         const float least = width < kTwoLines ? 2 : 1;
                         return Span(line * std::max(least, static_cast<float>(lines_of(width).size())));
                       });
}

// The legend of one picture, for a column beside it.
Node legend_node(Sheet& sheet, const figures::MaskPicturesInput& input) {
  const figures::MaskPicture& picture = input.pictures.front();
  figures::Legend legend;
  legend.colormap = picture.colormap;
  legend.low = picture.low;
  legend.high = picture.high;
  legend.range_words = picture.range_words;
  legend.masked = !picture.mask.empty();
  legend.masked_words = tr("masked: query may not see it");
  for (const std::string& note : input.notes)
    if (!note.empty()) legend.notes.push_back(note);
  return sheet.picture(
      {.id = "legend",
       .picture = [legend](Size s,
                           const Pen& pen) { return figures::legend_figure(legend, 0, 200, s.w, pen.theme, pen.measure); }},
      Span(kLegendWide));
}

Node next_node(Sheet& sheet, const Next& next) {
  const auto rows = static_cast<float>(next->rows.size());
  Node node = sheet.picture({.id = "next",
                             .picture =
                                 [next](Size s, const Pen& pen) {
                                   return s.w > 0 && s.w <= kLegendWide
                                              ? figures::next_list(*next, s.w, s.h, pen.theme, pen.measure)
                                              : figures::next_lines(*next, s.w, pen.theme, pen.measure);
                                 },
                             .explains = tr("The next word under these masks, and under those that the model was trained with"),
                             .paper = {900, 0},
                             .framed = true},
                            {kLegendWide + 1, 600, kAny}, Span(figures::kNextLine * rows));
  return node;
}
// ... above the legend, each row as a list.
Node beside_legend(Node next, float rows) {
  next.forms = {{Span(kLegendWide), [rows](float) { return Span{rows * 46, rows * 98, rows * 124}; }}};
  return next;
}

// How the pictures stand: as high as their room without or with their legend; or, where the page scrolls, as high as all that is
// in sight at once.
enum class Stands { fitted, bare, scrolled };

Node paint_node(Sheet& sheet, const Shared& tab, const std::shared_ptr<const figures::MaskPicturesInput>& input, Stands stands,
                float least) {
  const Scene& scene = sheet.scene;
  const float in_sight = std::max(kLeastPicture, scene.room.h - 8);
  const bool several = input->pictures.size() > 1;
  Node node = sheet.picture({.id = "paint",
                             .picture =
                                 [input, stands, in_sight, several](Size s, const Pen& pen) {
                                   figures::MaskPicturesInput shown = *input;
                                   shown.legend = stands != Stands::bare;
                                   const float high = stands == Stands::scrolled ? in_sight : s.h;
                                   figures::Figure figure = figures::mask_pictures(shown, s.w, high, pen.theme, pen.measure);
                                   if (stands != Stands::fitted || !several || figure.height <= high + 1) return figure;
                                   return figures::mask_pictures(shown, s.w, high / static_cast<float>(shown.pictures.size()),
                                                                 pen.theme, pen.measure);
                                 },
                             .hit =
                                 [tab, input](const Drawn& drawn) {
                                   if (drawn.hit.tag.kind == figures::Tag::cell_area)
                                     ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // zooms and does not scroll the page
                                   follow_hands(*tab, drawn.hit, drawn.figure, *input);
                                   if (own(tab->context).shows != "after") name_part(tab->context, "masks:effect");
                                 },
                             .focusable = true,
                             .paper = {1000, 760},
                             .on_paper = [tab](Size s, const Pen&) { return canvas_figure(tab->context, s.w, s.h); }},
                            {120, 600, kAny}, Span{least, least, kAny});
  if (scene.medium != sheet::Medium::screen || (stands != Stands::scrolled && !several)) return node;
  node.forms[0].high = [input, stands, in_sight, least, several, &pen = scene.pen](float width) {
    if (stands == Stands::scrolled && !several) return Span(in_sight);
    const float high = figures::mask_pictures(*input, width, in_sight, pen.theme, pen.measure).height;
    return stands == Stands::scrolled || high > in_sight + 1 ? Span(high) : Span{least, least, kAny};
  };
  return node;
}

}  // namespace

Node canvas_page(Sheet& sheet, const Shared& tab, std::vector<Node> controls) {
  const Scene& scene = sheet.scene;
  const Context& context = tab->context;
  const State& state = own(context);
  const bool presented = scene.medium == sheet::Medium::presented;
  controls.push_back(lines_node(sheet, tab));
  if (scene.view.zoom > 1) controls.push_back(whole_node(sheet));
  std::vector<Node> above = {Sheet::flow("controls", 14, std::move(controls))}, below;
  const MaskEffectAnswer effect = state.shows == "after" ? MaskEffectAnswer() : mask_effect(context, tab->choice);
  if (!effect.error.empty()) {
    above.push_back(sheet.words("error", effect.error, 14, context.theme.wrong));
    above.back().presented = true;
  }
  const auto input = std::make_shared<const figures::MaskPicturesInput>(input_on_screen(*tab));
  const float named = input->rows <= kNamedRows ? kBesideRows + kNamedRow * static_cast<float>(input->rows) : 0;
  const bool several = input->pictures.size() > 1;
  const float least = presented ? std::clamp(named, kLeastPicture, kMostPresented)
                      : several ? kLeastBelowThree
                                : std::max(kLeastBelow, named);
  std::optional<Node> words = said(sheet, *tab, effect.value.get());
  if (words) {
    words->rank = presented ? 1 : 2;
    below.push_back(*words);
  }
  const auto page = [&above](const char* id, Node middle, const std::vector<Node>& low) {
    std::vector<Node> all = above;
    all.push_back(std::move(middle));
    all.insert(all.end(), low.begin(), low.end());
    return Sheet::column(id, {4, 6, 8}, std::move(all));
  };
  // The next word below the picture, else beside it above the legend, else not at all; then the page scrolls. Presented, smaller
  // type comes before it goes.
  const Node fitted = paint_node(sheet, tab, input, Stands::fitted, least);
  std::vector<Node> stands, scrolling = below;
  if (const Next next = next_of(context)) {
    Node lines = next_node(sheet, next);
    lines.rank = presented ? 1 : 0;
    scrolling.push_back(lines);
    stands.push_back(page("canvas and word", fitted, scrolling));
    if (!several) {
      Node side =
          Sheet::column("side", 12, {beside_legend(lines, static_cast<float>(next->rows.size())), legend_node(sheet, *input)});
      Node row = Sheet::row("beside", 16, {paint_node(sheet, tab, input, Stands::bare, least - kLegend), std::move(side)});
      stands.push_back(page("canvas beside", std::move(row), below));
    }
  }
  if (!presented || stands.empty()) stands.push_back(page("canvas", fitted, below));
  Node shown = Sheet::either(std::move(stands));
  shown.rank = presented ? 1 : 3;
  if (presented) return shown;
  Node scrolled = page("canvas scrolled", paint_node(sheet, tab, input, Stands::scrolled, kLeastPicture), scrolling);
  scrolled.scrolls = true;
  Node either = Sheet::either({std::move(shown), std::move(scrolled)});
  either.rank = 1;
  return either;
}

figures::Figure canvas_figure(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_masked(context);
  if (!choice.site) return {};
  figures::MaskPicturesInput input = canvas_input(context, choice);
  input.title = attention_title(choice) + ", " +
                (context.document.masks.empty() ? tr("no mask") : headlight::masks::to_text(context.document.masks));
  if (own(context).shows == "all") height = std::min(height, 0.6f * width);
  const Next lines = next_of(context);
  figures::Figure next = lines ? figures::next_lines(*lines, width, context.theme, context.measure) : figures::Figure();
  const float under = next.items.empty() ? 0 : next.height + 12;
  figures::Figure figure = figures::mask_pictures(input, width, height - under, context.theme, context.measure);
  if (under <= 0) return figure;
  figures::move(next, 0, figure.height + 12);
  std::move(next.items.begin(), next.items.end(), std::back_inserter(figure.items));
  std::move(next.data.begin(), next.data.end(), std::back_inserter(figure.data));
  figure.height += under;
  return figure;
}

}  // namespace headlight::views::masked
