// The Patches view: a picture under its grid, and by page the way from pixels to a token, positions in two dimensions, attention
// among patches, and where the words of a caption look.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/patches/patches_data.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/two_columns.h"
#include "imgui.h"

namespace headlight::views {
namespace {

using figures::Font;

// A lower map says in its tooltip alone what its rows are.
constexpr float kNamedAxes = 240;
constexpr float kPatchesBeside = 720, kTokenBeside = 760, kPatchesGap = 24, kLeastPicture = 120, kLinesRoom = 66,
                kLowestForLines = 250;
constexpr float kWidestTile = 330, kWordMapRow = 22, kWordMapRest = 90, kLowestForMap = 420;
constexpr std::int64_t kMostSeed = 1000;

enum class Page { token, positions, attention, caption };
constexpr std::array kPages = {"token", "positions", "attention", "caption"};
Page page_of(const PatchesView& view) {
  for (std::size_t i = 0; i < kPages.size(); ++i)
    if (view.page == kPages[i]) return static_cast<Page>(i);
  return Page::attention;
}

// "name 16" with buttons, through `steps`; a value that is none of them stands where it belongs.
void number_stepper(Context& context, const ui::Look& look, const char* id, const char* words, std::vector<std::int64_t> steps,
                    std::int64_t& value, const char* tip) {
  if (std::find(steps.begin(), steps.end(), value) == steps.end()) steps.push_back(value);
  std::sort(steps.begin(), steps.end());
  const std::string text = fill(words, {std::to_string(value)});
  next_on_line(look, look.figures.width(text, 14, Font::words) + 80);
  const auto at = std::find(steps.begin(), steps.end(), value) - steps.begin();
  const std::int64_t to = stepper(look, id, text, at, static_cast<std::int64_t>(steps.size()), tip);
  name_part(context, std::string("patches:") + id);
  if (to >= 0) value = steps[static_cast<std::size_t>(to)];
}

Pages pages_of_patches() {
  return pages_in(
      [](ViewState& view) -> std::string& { return view.patches.page; },
      {{"token", tr_later("pixels to token"), tr_later("A patch as pixels, as a vector, through the linear layer, as a token")},
       {"positions", tr_later("positions"), tr_later("Sines and cosines of row and column, and how alike two places are")},
       {"attention", tr_later("attention"), tr_later("Which patches a patch looks at")},
       {"caption", tr_later("caption"), tr_later("Which regions each word of your sentence looks at")}});
}

void draw_pages(Context& context, const ui::Look& look) {
  static const Pages pages = pages_of_patches();
  std::vector<const char*> labels, why;
  for (const Pages::Page& page : pages.list) {
    labels.push_back(tr(page.label));
    why.push_back(tr(page.why));
  }
  const int clicked = ui::segmented(look, "page", labels.data(), static_cast<int>(labels.size()),
                                    static_cast<int>(page_of(context.view.patches)), why.data());
  name_part(context, "patches:page");
  if (clicked >= 0) context.view.patches.page = kPages[static_cast<std::size_t>(clicked)];
}

void draw_picture_buttons(Context& context, const ui::Look& look) {
  PatchesView& view = context.view.patches;
  if (context.ask_picture) {
    const std::string words = tr("Open a picture…");
    next_on_line(look, look.figures.width(words, 15, Font::words) + 40);
    if (ui::button(look, ui::labelled(words.c_str(), "open picture").c_str(), 0, 28)) context.ask_picture();
    ui::tooltip(look, tr("Any PNG; or drop it on the window"));
    name_part(context, "patches:open");
  }
  if (view.picture.empty()) return;
  const std::string words = tr("the bundled one");
  next_on_line(look, look.figures.width(words, 15, Font::words) + 40);
  if (ui::button(look, ui::labelled(words.c_str(), "bundled picture").c_str(), 0, 28)) {
    view.picture.clear();
    view.patch = view.key = -1;
  }
  ui::tooltip(look, tr("The lake that comes with the program"));
  name_part(context, "patches:bundled");
}

void draw_sizes(Context& context, const ui::Look& look) {
  PatchesView& view = context.view.patches;
  number_stepper(context, look, "side", tr("patch {} px"), {4, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512},
                 view.side, tr("Pixels a side of a patch"));
  number_stepper(context, look, "d_model", tr("d {}"), {8, 16, 32, 64, 128, 256, 512}, view.d_model,
                 tr("Numbers of a token: a multiple of 4 and of the heads"));
  number_stepper(context, look, "heads", tr("{} heads"), {1, 2, 4, 8, 16}, view.heads, tr("Heads of the attention"));
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i <= kMostSeed; ++i) seeds.push_back(i);
  number_stepper(context, look, "seed", tr("seed {}"), std::move(seeds), view.seed, tr("Of the random weights"));
  next_on_line(look, look.figures.width(tr("positions"), 15, Font::words) + 60);
  ui::toggle(look, ui::labelled(tr("positions"), "patch positions").c_str(), &view.positions);
  ui::tooltip(look, tr("Without them two patches of equal pixels have equal tokens, wherever they are"));
  name_part(context, "patches:positions");
}

// What is chosen among what there is: a head, a size of regions, a word.
void draw_choices(Context& context, const ui::Look& look, const PatchesState& state) {
  PatchesView& view = context.view.patches;
  const Page page = page_of(view);
  if (!state.shown || page == Page::token || page == Page::positions) return;
  const std::int64_t heads = state.attention().weights.dim(0);
  const auto choose = [&](const char* id, const std::string& text, std::int64_t now, std::int64_t count, const char* tip,
                          std::int64_t& value) {
    next_on_line(look, look.figures.width(text, 14, Font::words) + 80);
    const std::int64_t to = stepper(look, id, text, now, count, tip);
    name_part(context, std::string("patches:") + id);
    if (to >= 0) value = to;
  };
  if (heads > 1)
    choose("head", fill(tr("head {}"), {std::to_string(state.head)}), state.head, heads, tr("The head that is shown large"),
           view.head);
  if (page != Page::caption) return;
  std::vector<std::int64_t> regions;
  for (std::int64_t i = 1; i <= std::max<std::int64_t>(1, std::min({state.grid().rows, state.grid().columns, std::int64_t{32}}));
       ++i)
    regions.push_back(i);
  number_stepper(context, look, "region", tr("regions of {} patches a side"), std::move(regions), view.region,
                 tr("A region is one key: the mean of its patches"));
  if (state.caption && !state.caption->words.empty())
    choose("word", state.caption->words[static_cast<std::size_t>(state.word)], state.word,
           static_cast<std::int64_t>(state.caption->words.size()), tr("The word that is shown large"), view.word);
}

// "lake.png: 256 x 160 pixels, 10 rows of 16 patches".
std::string picture_words(const PatchesState& state) {
  const images::Picture& picture = state.opened->picture;
  std::string words = fill(tr("{}: {} x {} pixels"), {state.name, std::to_string(picture.width), std::to_string(picture.height)});
  if (!state.shown) return words;
  const images::PatchGrid& grid = state.grid();
  words += fill(tr(", {} rows of {} patches"), {std::to_string(grid.rows), std::to_string(grid.columns)});
  if (grid.left_out_right > 0 || grid.left_out_below > 0)
    words += fill(tr("; left out: {} at the right, {} below"),
                  {std::to_string(grid.left_out_right), std::to_string(grid.left_out_below)});
  return words;
}

figures::PatchPictureInput large_input(const Context& context, const PatchesState& state) {
  if (!state.shown) return bare_input(context, state);
  switch (page_of(context.view.patches)) {
    case Page::token: break;
    case Page::positions: return similarity_input(context, state);
    case Page::attention: return attention_input(context, state);
    case Page::caption:
      if (state.caption) return caption_input(context, state);
      break;
  }
  return bare_input(context, state);
}

std::int64_t told_key(const Context& context, const PatchesState& state, const PatchesHeld& held) {
  const std::int64_t pinned = context.view.patches.key, count = state.grid().count();
  return held.hot >= 0 && held.hot < count ? held.hot : pinned >= 0 && pinned < count ? pinned : strongest_key(state);
}

std::int64_t region_at(const PatchesState& state, std::int64_t patch) {
  const images::CaptionAttention& caption = state.caption->attention;
  const std::int64_t columns = state.grid().columns;
  return patch / columns / caption.region * caption.columns + patch % columns / caption.region;
}

// How the number under the mouse, or else the strongest, came about.
std::vector<std::string> told_lines(const Context& context, const PatchesState& state, const PatchesHeld& held) {
  if (!state.shown) return {};
  switch (page_of(context.view.patches)) {
    case Page::token: return token_lines(state, held.dimension);
    case Page::positions: {
      const figures::PatchPictureInput input = similarity_input(context, state);
      const std::int64_t key = told_key(context, state, held);
      return {fill(tr("codes of {} and {}: cosine {}"),
                   {patch_place(state.grid(), state.query), patch_place(state.grid(), key),
                    figures::cell_number(static_cast<double>(input.heat.data<float>()[key]), 4)})};
    }
    case Page::attention: return weight_lines(state, told_key(context, state, held));
    case Page::caption: break;
  }
  if (!state.caption) return {};
  const std::int64_t patch = held.hot;
  const std::int64_t regions = state.caption->attention.rows * state.caption->attention.columns;
  return word_lines(state, patch >= 0 && patch < state.grid().count()  ? region_at(state, patch)
                           : held.region >= 0 && held.region < regions ? held.region
                                                                       : strongest_region(state));
}

void move_query(Context& context, const PatchesState& state, const gl::Hit& hit) {
  const images::PatchGrid& grid = state.grid();
  std::int64_t row = state.query / grid.columns, column = state.query % grid.columns;
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) --column;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) ++column;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --row;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++row;
  row = std::clamp<std::int64_t>(row, 0, grid.rows - 1);
  column = std::clamp<std::int64_t>(column, 0, grid.columns - 1);
  if (hit.focused && row * grid.columns + column != state.query) context.view.patches.patch = row * grid.columns + column;
}

void draw_picture(Context& context, const PatchesState& state, PatchesHeld& held, float width, float height) {
  figures::PatchPictureInput input = large_input(context, state);
  const bool caption = page_of(context.view.patches) == Page::caption;
  const std::int64_t hot = held.hot;
  held.hot = -1;
  if (state.shown && hot >= 0 && hot < state.grid().count()) {
    if (caption && state.caption)
      input.hot_region = region_at(state, hot);
    else
      input.hot = hot;
  }
  if (caption && state.caption && hot < 0) input.hot_region = held.region;
  input.title.clear();
  figures::Figure figure = figures::patch_picture(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "picture", true);
  name_part(context, "patches:picture");
  if (state.shown) {
    if (hit.hovered && hit.tag.kind == figures::Tag::cell) {
      held.hot = hit.tag.a * state.grid().columns + hit.tag.b;
      if (held.hot != hot) context.frame_in(0);
      if (hit.clicked && !caption) {
        context.view.patches.patch = held.hot;
        context.view.patches.key = -1;
      }
    } else if (hot >= 0) {
      context.frame_in(0);
    }
    if (!caption) move_query(context, state, hit);
  }
  figure_menu(context, "picture menu", hit, [&] {
    figures::PatchPictureInput plain = large_input(context, state);
    return figures::stacked({figures::patch_picture(plain, 900, 700, context.theme, context.measure)}, 0, 16);
  });
}

void draw_lines(Context& context, const ui::Look& look, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) ui::words(look, lines[i], i == 0 ? look.theme.text : look.theme.secondary, 13);
  if (!lines.empty()) name_part(context, "patches:lines");
}

// The picture with what is said of it above and below.
void draw_picture_side(Context& context, const ui::Look& look, const PatchesState& state, PatchesHeld& held, float width,
                       float height) {
  const float top = ImGui::GetCursorPosY();
  const bool lines = height >= kLowestForLines;
  if (lines) {
    ui::words(look, picture_words(state), look.theme.secondary, 13);
    name_part(context, "patches:name");
  }
  const float used = (ImGui::GetCursorPosY() - top) / look.scale;
  draw_picture(context, state, held, width, std::max(kLeastPicture, height - used - (lines ? kLinesRoom + 8 : 0)));
  if (lines) draw_lines(context, look, told_lines(context, state, held));
}

// As large as all tiles can be in `width` x `height`.
void fit_tiles(figures::PatchTilesInput& input, float width, float height, float most) {
  const std::size_t count = std::max<std::size_t>(1, input.tiles.size());
  for (std::size_t in_row = 1; in_row <= count; ++in_row) {
    const float tile = std::min(most, figures::patch_tile_width(in_row, width));
    const std::size_t rows = (count + in_row - 1) / in_row;
    if (tile < input.least_tile || (in_row<count&& static_cast<float>(rows) * figures::patch_tile_pitch(input, tile)> height))
      continue;
    input.least_tile = std::min(input.least_tile, tile);
    input.most_tile = tile;
    input.in_row = static_cast<std::int64_t>(in_row);
    return;
  }
}

// `height`: what they may fill; 0: as high as a row of small ones.
void draw_tiles(Context& context, const PatchesState& state, bool words, float width, float height) {
  figures::PatchTilesInput input = words ? word_tiles(context, state) : head_tiles(context, state);
  if (height > 0) fit_tiles(input, width, height, kWidestTile);
  figures::Figure figure = figures::patch_tiles(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "tiles", true);
  name_part(context, "patches:tiles");
  std::int64_t& chosen = words ? context.view.patches.word : context.view.patches.head;
  const auto count = static_cast<std::int64_t>(input.tiles.size());
  if (hit.hovered && hit.clicked && hit.tag.kind == figures::Tag::link) chosen = hit.tag.a;
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) chosen = std::min(count - 1, input.selected + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) chosen = std::max<std::int64_t>(0, input.selected - 1);
  figure_menu(context, "tiles menu", hit, [&] {
    return figures::framed(figures::patch_tiles(input, 900, context.theme, context.measure), input.title, 16, context.theme);
  });
}

void draw_map(Context& context, const ui::Look& look, const PatchesState& state, PatchesHeld& held, float width, float height) {
  figures::HeatmapInput input = patch_map_input(context, state);
  if (held.hot >= 0) input.hot_column = held.hot;
  if (std::min(width, height) < kNamedAxes) input.row_axis.clear();
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "map");
  name_part(context, "patches:map");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0) {
    const double weight = state.attention().weights.at({state.head, hit.row, hit.column});
    ui::tooltip(look, fill(tr("patch {} looks at {}, head {}: {}"),
                           {patch_place(state.grid(), hit.row), patch_place(state.grid(), hit.column), std::to_string(state.head),
                            figures::cell_number(weight, 4)}));
    if (hit.clicked) {
      PatchesView& view = context.view.patches;
      const bool again = view.patch == hit.row && view.key == hit.column;
      view.patch = hit.row;
      view.key = again ? -1 : hit.column;
    }
  }
  figure_menu(context, "map menu", hit,
              [&] { return figures::heatmap(patch_map_input(context, state), 900, 900, context.theme, context.measure); });
}

void draw_word_map(Context& context, const ui::Look& look, const PatchesState& state, PatchesHeld& held, float width,
                   float height) {
  figures::HeatmapInput input = word_map_input(context, state);
  const images::CaptionAttention& caption = state.caption->attention;
  if (held.hot >= 0 && held.hot < state.grid().count()) input.hot_column = region_at(state, held.hot);
  if (held.hot < 0) input.hot_column = strongest_region(state);
  if (height < kNamedAxes) input.row_axis.clear();
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "word map");
  name_part(context, "patches:word-map");
  const std::int64_t before = held.region;
  held.region = hit.hovered && hit.tag.kind == figures::Tag::cell_area ? hit.column : -1;
  if (held.region != before) context.frame_in(0);  // the picture, which lights it, is already drawn
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0) {
    ui::tooltip(
        look,
        fill(tr("{} looks at region {}, head {}: {}"),
             {state.caption->words[static_cast<std::size_t>(hit.row)],
              "(" + std::to_string(hit.column / caption.columns) + ", " + std::to_string(hit.column % caption.columns) + ")",
              std::to_string(state.head), figures::cell_number(caption.weights.at({state.head, hit.row, hit.column}), 4)}));
    if (hit.clicked) context.view.patches.word = hit.row;
  }
  figure_menu(context, "word map menu", hit, [&] {
    figures::HeatmapInput plain = word_map_input(context, state);
    plain.legend = true;
    plain.hot_row = -1;
    return figures::heatmap(plain, 1000, 560, context.theme, context.measure);
  });
}

void draw_code(Context& context, const ui::Look& look, const PatchesState& state, float width, float height) {
  figures::HeatmapInput input = patch_code_input(context, state);
  if (std::min(width, height) < kNamedAxes) input.row_axis.clear();
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "code");
  name_part(context, "patches:code");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0) {
    ui::tooltip(look, fill(tr("patch {}, dimension {}: {}"), {patch_place(state.grid(), hit.row), std::to_string(hit.column),
                                                              figures::cell_number(input.values.at({hit.row, hit.column}), 4)}));
    if (hit.clicked) context.view.patches.patch = hit.row;
  }
  figure_menu(context, "code menu", hit,
              [&] { return figures::heatmap(patch_code_input(context, state), 900, 700, context.theme, context.measure); });
}

void draw_token(Context& context, const ui::Look& look, const PatchesState& state, PatchesHeld& held, float width, float height) {
  held.dimension = std::clamp<std::int64_t>(held.dimension, 0, state.attention().tokens.dim(1) - 1);
  const figures::PatchTokenInput input = patch_token_input(context, state, held.dimension);
  figures::Figure figure = figures::patch_to_token(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "token");
  name_part(context, "patches:token");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    if (hit.row >= figures::kPixelTag && hit.row < figures::kTokenTag) {
      const std::int64_t at = hit.row - figures::kPixelTag, side = state.grid().side;
      const char* const channels[] = {tr("red"), tr("green"), tr("blue")};
      ui::tooltip(look,
                  fill(tr("pixel number {}: {} of row {}, column {}: {}"),
                       {std::to_string(at), channels[at % 3], std::to_string(at / (3 * side)), std::to_string(at / 3 % side),
                        figures::cell_number(input.pixels.at({at, 0}), 4)}),
                  tr("byte / 127.5 − 1"));
    } else if (hit.row < figures::kPixelTag) {
      ui::tooltip(look,
                  fill(tr("W_E, row {}, column {}: {}"), {std::to_string(hit.row), std::to_string(hit.column),
                                                          figures::cell_number(input.matrix.at({hit.row, hit.column}), 4)}));
    }
    if (hit.row < figures::kPixelTag || hit.row >= figures::kTokenTag) held.dimension = hit.column;
  }
  figure_menu(context, "token menu", hit, [&] {
    return figures::framed(figures::patch_to_token(input, 860, 460, context.theme, context.measure), input.title, 16,
                           context.theme);
  });
}

void draw_page(Context& context, const ui::Look& look, const PatchesState& state, PatchesHeld& held, float width, float height) {
  if (!state.shown) return;
  const float top = ImGui::GetCursorPosY();
  const auto left = [&] { return std::max(kLeastPicture, height - (ImGui::GetCursorPosY() - top) / look.scale - 4); };
  switch (page_of(context.view.patches)) {
    case Page::token: return draw_token(context, look, state, held, width, left());
    case Page::positions: return draw_code(context, look, state, width, left());
    case Page::attention:
      if (state.attention().weights.dim(0) > 1) {
        // A low room has the heads alone, larger.
        const bool map = left() >= kLowestForMap;
        draw_tiles(context, state, false, width, map ? 0 : left());
        if (!map) return;
        ImGui::Dummy({0, look.px(4)});
      }
      return draw_map(context, look, state, held, width, left());
    case Page::caption: break;
  }
  if (!state.caption) return;
  const float map =
      std::clamp(kWordMapRest + kWordMapRow * static_cast<float>(state.caption->words.size()), 150.0f, 0.45f * left());
  const bool both = left() >= kLowestForMap;
  draw_tiles(context, state, true, width, both ? left() - map - 8 : left());
  if (!both) {
    held.region = -1;
    return;
  }
  ImGui::Dummy({0, look.px(6)});
  draw_word_map(context, look, state, held, width, std::max(kLeastPicture, std::min(left(), map + 80)));
}

// What cannot be computed is said; the picture stays.
void say_errors(Context& context, const ui::Look& look, const PatchesState& state) {
  bool said = false;
  for (const std::string* error : {&state.picture_error, &state.error, &state.caption_error}) {
    if (error->empty()) continue;
    ui::words(look, *error, look.theme.wrong, 15);
    said = true;
  }
  if (said) name_part(context, "patches:error");
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  PatchesHeld& held = context.transient->of<PatchesHeld>();
  record_patches(context.view.patches, held);
  const bool caption = page_of(context.view.patches) == Page::caption;
  PatchesState state = patches_state(context, caption);
  const bool failed = !state.picture_error.empty() || !state.error.empty() || !state.caption_error.empty();
  const bool complete = state.shown && (!caption || state.caption);
  if (complete) held.state = state;
  const bool dim = !complete && !failed && held.state.shown && (!caption || held.state.caption);
  if (dim) state = held.state;
  draw_pages(context, look);
  if (!context.view.presentation) {
    draw_picture_buttons(context, look);
    draw_sizes(context, look);
  }
  draw_choices(context, look, state);
  say_errors(context, look, state);
  if (!state.opened || (!state.shown && !failed)) {
    if (state.picture_error.empty()) ui::words(look, tr("computing …"), look.theme.secondary, 15);
    return;
  }
  ImGui::Dummy({0, look.px(4)});
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 14,
              height = std::max(kLeastPicture, ImGui::GetContentRegionAvail().y / context.scale - 4);
  if (dim) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f * ImGui::GetStyle().Alpha);
  const bool token = page_of(context.view.patches) == Page::token, beside = width >= (token ? kTokenBeside : kPatchesBeside);
  if (!beside) {
    if (token && state.shown) {
      draw_token(context, look, state, held, width, std::max(kLeastPicture, height - kLinesRoom));
      draw_lines(context, look, token_lines(state, held.dimension));
    } else {
      draw_picture_side(context, look, state, held, width, height);
    }
  } else {
    const float left = std::round((caption ? 0.54f : 0.5f) * width), right = width - left - kPatchesGap;
    two_columns(
        "patches", look, left, right, kPatchesGap, [&] { draw_picture_side(context, look, state, held, left, height); },
        [&] { draw_page(context, look, state, held, right, height); });
  }
  if (dim) ImGui::PopStyleVar();
}

// For files.
figures::Figure file_of(const std::vector<figures::Figure>& parts, const std::string& title) {
  figures::Figure figure = figures::stacked(parts, 16, 16);
  figure.title = title;
  return figure;
}

figures::Figure figure_of_attention(const Context& context, float width, float) {
  const PatchesState state = patches_state(context, false);
  if (!state.shown) return {};
  const float wide = std::max(width, 600.0f) - 32;
  figures::PatchPictureInput large = attention_input(context, state);
  std::vector<figures::Figure> parts = {figures::patch_picture(large, wide, 560, context.theme, context.measure)};
  if (state.attention().weights.dim(0) > 1) {
    figures::PatchTilesInput tiles = head_tiles(context, state);
    tiles.picture.data_name = "heads";
    parts.push_back(figures::patch_tiles(tiles, wide, context.theme, context.measure));
  }
  figures::HeatmapInput map = patch_map_input(context, state);
  map.data_name = "map";
  parts.push_back(figures::heatmap(map, wide, wide, context.theme, context.measure));
  return file_of(parts, large.title);
}

figures::Figure figure_of_positions(const Context& context, float width, float) {
  const PatchesState state = patches_state(context, false);
  if (!state.shown) return {};
  const float wide = std::max(width, 600.0f) - 32;
  const figures::PatchPictureInput large = similarity_input(context, state);
  return file_of({figures::patch_picture(large, wide, 560, context.theme, context.measure),
                  figures::heatmap(patch_code_input(context, state), wide, 560, context.theme, context.measure)},
                 large.title);
}

figures::Figure figure_of_caption(const Context& context, float width, float) {
  const PatchesState state = patches_state(context, true);
  if (!state.caption) return {};
  const float wide = std::max(width, 600.0f) - 32;
  const figures::PatchPictureInput large = caption_input(context, state);
  figures::PatchTilesInput tiles = word_tiles(context, state);
  tiles.picture.data_name = "words";
  figures::HeatmapInput map = word_map_input(context, state);
  map.legend = true;
  map.hot_row = -1;
  return file_of({figures::patch_picture(large, wide, 480, context.theme, context.measure),
                  figures::patch_tiles(tiles, wide, context.theme, context.measure),
                  figures::heatmap(map, wide, 420, context.theme, context.measure)},
                 tiles.title);
}

// The grid, and how the query's patch becomes a token.
figures::Figure figure_of_token(const Context& context, float width, float) {
  const PatchesState state = patches_state(context, false);
  if (!state.shown) return {};
  const float wide = std::max(width, 700.0f) - 32;
  figures::PatchPictureInput large = bare_input(context, state);
  large.title = picture_words(state);
  const figures::PatchTokenInput token = patch_token_input(context, state, -1);
  return file_of({figures::patch_picture(large, wide, 480, context.theme, context.measure),
                  figures::patch_to_token(token, wide, 420, context.theme, context.measure)},
                 token.title);
}

figures::Figure figure_of_view(const Context& context, float width, float height) {
  switch (page_of(context.view.patches)) {
    case Page::token: return figure_of_token(context, width, height);
    case Page::positions: return figure_of_positions(context, width, height);
    case Page::caption: return figure_of_caption(context, width, height);
    case Page::attention: break;
  }
  return figure_of_attention(context, width, height);
}

}  // namespace

Entry patches_panel() {
  Entry entry = {"patches", "Patches", "token = patch W_E + position", "Dosovitskiy et al. 2021", draw, figure_of_view};
  entry.full_width = true;
  entry.pages = pages_of_patches();
  entry.pictures = {
      {"patches", "a picture cut into patches, and how one becomes a token", figure_of_token},
      {"patch-positions", "the code of row and column, and how alike one place is to all others", figure_of_positions},
      {"patch-attention", "where one patch looks, in every head, and all patches by all patches", figure_of_attention},
      {"patch-caption", "where each word of a sentence looks", figure_of_caption},
  };
  return entry;
}

}  // namespace headlight::views
