// The pictures of the Patches view on the screen: what is pointed at and chosen in them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/panes.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/patches/parts.h"
#include "imgui.h"

namespace headlight::views::vision {
namespace {

using figures::Font;
using figures::Tag;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// A lower map says in its tooltip alone what its rows are.
constexpr float kNamedAxes = 240;
constexpr float kLeastPicture = 120, kLeastBesideWords = 170, kLineSize = 13;
constexpr std::size_t kLeastLines = 3;
constexpr float kWidestTile = 330, kTilesGap = 8, kWordMapRow = 22, kWordMapRest = 90, kLeastWordMap = 150, kLowestForMap = 420;

// What all pictures of a page are made of.
template <class Picture, class... More>
std::shared_ptr<const void> page_key(const Frame& frame, More... more) {
  const Seen& seen = frame.seen;
  return frame.scene.made_of<Picture>(seen.opened, seen.shown, seen.caption, frame.state.page, seen.query, seen.head, seen.word,
                                      frame.state.key, frame.context().view.colormap, more...);
}

// --- the picture and what is said of it

std::int64_t told_key(const Frame& frame) {
  const std::int64_t pinned = frame.state.key;
  if (frame.hot() >= 0) return frame.hot();
  return pinned >= 0 && pinned < frame.seen.grid().count() ? pinned : strongest_key(frame.seen);
}

// How the number under the mouse, or else the strongest, came about.
std::vector<std::string> told_lines(const Frame& frame) {
  const Seen& seen = frame.seen;
  if (!seen.shown) return {};
  switch (topic_of(frame.state)) {
    case Topic::token: return token_lines(seen, frame.held->dimension);
    case Topic::positions: {
      const figures::PatchPictureInput input = similarity_input(frame.context(), seen);
      const std::int64_t key = told_key(frame);
      return {fill(tr("codes of {} and {}: cosine {}"),
                   {patch_place(seen.grid(), seen.query), patch_place(seen.grid(), key),
                    figures::cell_number(static_cast<double>(input.heat.data<float>()[key]), 4)})};
    }
    case Topic::attention: return weight_lines(seen, told_key(frame));
    case Topic::caption: break;
  }
  if (!seen.caption) return {};
  const std::int64_t regions = seen.caption->attention.rows * seen.caption->attention.columns, region = frame.held->region;
  return word_lines(seen, frame.hot() >= 0                  ? region_at(seen, frame.hot())
                          : region >= 0 && region < regions ? region
                                                            : strongest_region(seen));
}

// Lines with room for three, so that what stands above them keeps its place while they change.
Node lines_of_words(Sheet& sheet, const std::vector<std::string>& lines) {
  const figures::TextMeasure& measure = sheet.scene.pen.measure;
  const float line = measure.line_height(kLineSize, Font::words);
  const auto wrapped = [lines, &measure](float width) {
    std::vector<std::pair<std::string, bool>> all;  // and whether it is of the first one
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (std::string& part : figures::wrap(lines[i], width, kLineSize, Font::words, measure))
        all.emplace_back(std::move(part), i == 0);
    return all;
  };
  Node node = sheet.by_hand({.id = "lines",
                             .draw =
                                 [wrapped, line](const ui::Look& look, Size room) {
                                   ImVec2 at = ImGui::GetCursorScreenPos();
                                   for (const auto& [words, first] : wrapped(room.w)) {
                                     look.figures.text(*ImGui::GetWindowDrawList(), at, words, kLineSize, Font::words,
                                                       first ? look.theme.text : look.theme.secondary);
                                     at.y += look.px(line);
                                   }
                                 }},
                            {0, 0, kAny}, 0);
  node.forms[0].high = [wrapped, line](float width) {
    return Span(line * static_cast<float>(std::max(kLeastLines, wrapped(width).size())));
  };
  node.presented = true;
  node.rank = 2;
  return node;
}

void move_query(const Frame& frame) {
  const images::PatchGrid& grid = frame.seen.grid();
  std::int64_t row = frame.seen.query / grid.columns, column = frame.seen.query % grid.columns;
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) --column;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) ++column;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --row;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++row;
  row = std::clamp<std::int64_t>(row, 0, grid.rows - 1);
  column = std::clamp<std::int64_t>(column, 0, grid.columns - 1);
  if (row * grid.columns + column != frame.seen.query) frame.state.patch = row * grid.columns + column;
}

void follow_picture(const Frame& frame, const gl::Hit& hit) {
  if (!frame.seen.shown) return;
  if (hit.hovered && hit.tag.kind == Tag::cell) {
    frame.held->hot_next = hit.tag.a * frame.seen.grid().columns + hit.tag.b;
    if (hit.clicked && !frame.of_caption()) {
      frame.state.patch = frame.held->hot_next;
      frame.state.key = -1;
    }
  }
  if (frame.held->hot_next != frame.held->hot) frame.context().frame_in(0);  // the words and maps follow
  if (hit.focused && !frame.of_caption()) move_query(frame);
}

// The page's picture with what is under the mouse.
figures::PatchPictureInput pointed_input(const Frame& frame) {
  figures::PatchPictureInput input = page_input(frame.context(), frame.seen);
  const std::int64_t hot = frame.hot();
  if (!frame.of_caption() || !frame.seen.caption)
    input.hot = hot;
  else
    input.hot_region = hot >= 0 ? region_at(frame.seen, hot) : frame.held->region;
  input.title.clear();
  return input;
}

// As high as it is at its width, or as its room is; with words above and below it gives way after them.
Node picture(Sheet& sheet, const Shared& frame) {
  figures::PatchPictureInput sizes;
  sizes.width = static_cast<float>(frame->seen.opened->picture.width);
  sizes.height = static_cast<float>(frame->seen.opened->picture.height);
  const auto high = [sizes](float least) {
    return [sizes, least](float width) {
      const float own = figures::patch_picture_height(sizes, width);
      return Span{std::min(least, own), own, own};
    };
  };
  Node node = sheet.picture(
      {.id = "picture",
       .picture = [frame](
                      Size s,
                      const Pen& pen) { return figures::patch_picture(pointed_input(*frame), s.w, s.h, pen.theme, pen.measure); },
       .of = page_key<struct PictureOf>(*frame, frame->hot(), frame->held->region),
       .hit = [frame](const Drawn& drawn) { follow_picture(*frame, drawn.hit); },
       .focusable = true,
       .old = frame->old,
       .paper = {900, 700},
       .on_paper =
           [frame](Size s, const Pen& pen) {
             const figures::PatchPictureInput input = page_input(frame->context(), frame->seen);
             return figures::stacked({figures::patch_picture(input, s.w, s.h > 0 ? s.h : 700, pen.theme, pen.measure)}, 0, 16);
           }},
      {120, 480, kAny}, high(kLeastBesideWords));
  node.forms.push_back({node.forms.front().wide, high(kLeastPicture)});
  node.rank = 1;
  node.stays = true;
  return node;
}

// --- tiles of heads or words

figures::PatchTilesInput tiles_of(const Frame& frame) {
  return frame.of_caption() ? word_tiles(frame.context(), frame.seen) : head_tiles(frame.context(), frame.seen);
}

// What their layout depends on.
figures::PatchTilesInput tile_sizes(const Frame& frame) {
  figures::PatchTilesInput sizes;
  sizes.picture.width = static_cast<float>(frame.seen.opened->picture.width);
  sizes.picture.height = static_cast<float>(frame.seen.opened->picture.height);
  sizes.tiles.resize(frame.of_caption() ? frame.seen.caption->words.size()
                                        : static_cast<std::size_t>(frame.seen.attention().weights.dim(0)));
  return sizes;
}

void choose_tile(const Frame& frame, const gl::Hit& hit) {
  std::int64_t& chosen = frame.of_caption() ? frame.state.word : frame.state.head;
  const std::int64_t now = frame.of_caption() ? frame.seen.word : frame.seen.head,
                     count = static_cast<std::int64_t>(tile_sizes(frame).tiles.size());
  if (hit.hovered && hit.clicked && hit.tag.kind == Tag::link) chosen = hit.tag.a;
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) chosen = std::min(count - 1, now + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) chosen = std::max<std::int64_t>(0, now - 1);
}

// `fitted`: as large as all have room for.
Part tiles_part(const Shared& frame, bool fitted) {
  return {.id = "tiles",
          .picture =
              [frame, fitted](Size s, const Pen& pen) {
                figures::PatchTilesInput input = tiles_of(*frame);
                if (fitted) figures::fit_patch_tiles(input, s.w, s.h, kWidestTile);
                return figures::patch_tiles(input, s.w, pen.theme, pen.measure);
              },
          .of = page_key<struct TilesOf>(*frame),
          .hit = [frame](const Drawn& drawn) { choose_tile(*frame, drawn.hit); },
          .focusable = true,
          .old = frame->old,
          .paper = {900, 0},
          .on_paper =
              [frame](Size s, const Pen& pen) {
                const figures::PatchTilesInput input = tiles_of(*frame);
                return figures::framed(figures::patch_tiles(input, s.w, pen.theme, pen.measure), input.title, 16, pen.theme);
              }};
}

Node small_tiles(Sheet& sheet, const Shared& frame) { return sheet.picture(tiles_part(frame, false), {120, 400, kAny}); }

// What a low room has instead of tiles and a map.
Node tiles_alone(Sheet& sheet, const Shared& frame) {
  figures::PatchTilesInput smallest = tile_sizes(*frame);
  smallest.least_tile = 56;
  smallest.most_tile = 64;
  return sheet.picture(tiles_part(frame, true), {120, 400, kAny}, [smallest](float width) {
    const float least = figures::patch_tiles_height(smallest, width);
    return Span{least, std::max(least, 300.0f), kAny};
  });
}

// --- maps

// A map of numbers: its input on the screen, in a file, and what the mouse does in it.
struct Map {
  std::string id;
  std::function<figures::HeatmapInput()> input, plain;
  std::function<void(const gl::Hit&)> follow;
  Size paper;
};

bool is_on_cell(const gl::Hit& hit) { return hit.hovered && hit.tag.kind == Tag::cell_area && hit.row >= 0 && hit.column >= 0; }

Node map_node(Sheet& sheet, const Shared& frame, Map map, std::function<Span(float)> high) {
  return sheet.picture({.id = std::move(map.id),
                        .picture =
                            [make = std::move(map.input)](Size s, const Pen& pen) {
                              figures::HeatmapInput input = make();
                              if (std::min(s.w, s.h) < kNamedAxes) input.row_axis.clear();
                              return figures::heatmap(input, s.w, s.h, pen.theme, pen.measure);
                            },
                        .of = page_key<struct MapOf>(*frame, frame->hot()),
                        .hit = [follow = std::move(map.follow)](const Drawn& drawn) { follow(drawn.hit); },
                        .old = frame->old,
                        .paper = map.paper,
                        .on_paper =
                            [plain = std::move(map.plain), high = map.paper.h](Size s, const Pen& pen) {
                              return figures::heatmap(plain(), s.w, s.h > 0 ? s.h : high, pen.theme, pen.measure);
                            }},
                       {120, 400, kAny}, std::move(high));
}

void follow_map(const Frame& frame, const gl::Hit& hit) {
  if (!is_on_cell(hit)) return;
  const Seen& seen = frame.seen;
  const double weight = seen.attention().weights.at({seen.head, hit.row, hit.column});
  say_at_mouse(frame.scene, fill(tr("patch {} looks at {}, head {}: {}"),
                                 {patch_place(seen.grid(), hit.row), patch_place(seen.grid(), hit.column),
                                  std::to_string(seen.head), figures::cell_number(weight, 4)}));
  if (!hit.clicked) return;
  const bool again = frame.state.patch == hit.row && frame.state.key == hit.column;
  frame.state.patch = hit.row;
  frame.state.key = again ? -1 : hit.column;
}

// All patches by all patches.
Node patch_map(Sheet& sheet, const Shared& frame, std::function<Span(float)> high) {
  const auto plain = [frame] { return patch_map_input(frame->context(), frame->seen); };
  const auto input = [frame, plain] {
    figures::HeatmapInput map = plain();
    if (frame->hot() >= 0) map.hot_column = frame->hot();
    return map;
  };
  return map_node(sheet, frame,
                  {.id = "map",
                   .input = input,
                   .plain = plain,
                   .follow = [frame](const gl::Hit& hit) { follow_map(*frame, hit); },
                   .paper = {900, 900}},
                  std::move(high));
}

void follow_word_map(const Frame& frame, const gl::Hit& hit) {
  const Seen& seen = frame.seen;
  if (is_on_cell(hit)) {
    const images::CaptionAttention& caption = seen.caption->attention;
    frame.held->region_next = hit.column;
    const std::string place =
        "(" + std::to_string(hit.column / caption.columns) + ", " + std::to_string(hit.column % caption.columns) + ")";
    say_at_mouse(frame.scene, fill(tr("{} looks at region {}, head {}: {}"),
                                   {seen.caption->words[static_cast<std::size_t>(hit.row)], place, std::to_string(seen.head),
                                    figures::cell_number(caption.weights.at({seen.head, hit.row, hit.column}), 4)}));
    if (hit.clicked) frame.state.word = hit.row;
  }
  if (frame.held->region_next != frame.held->region) frame.context().frame_in(0);  // the picture follows
}

Node word_map(Sheet& sheet, const Shared& frame, std::function<Span(float)> high) {
  const auto input = [frame] {
    figures::HeatmapInput map = word_map_input(frame->context(), frame->seen);
    map.hot_column = frame->hot() >= 0 ? region_at(frame->seen, frame->hot()) : strongest_region(frame->seen);
    return map;
  };
  const auto plain = [frame] {
    figures::HeatmapInput map = word_map_input(frame->context(), frame->seen);
    map.legend = true;
    map.hot_row = -1;
    return map;
  };
  return map_node(sheet, frame,
                  {.id = "word-map",
                   .input = input,
                   .plain = plain,
                   .follow = [frame](const gl::Hit& hit) { follow_word_map(*frame, hit); },
                   .paper = {1000, 560}},
                  std::move(high));
}

void follow_code(const Frame& frame, const gl::Hit& hit) {
  if (!is_on_cell(hit)) return;
  const double number = patch_code_input(frame.context(), frame.seen).values.at({hit.row, hit.column});
  say_at_mouse(frame.scene,
               fill(tr("patch {}, dimension {}: {}"),
                    {patch_place(frame.seen.grid(), hit.row), std::to_string(hit.column), figures::cell_number(number, 4)}));
  if (hit.clicked) frame.state.patch = hit.row;
}

Node code_map(Sheet& sheet, const Shared& frame) {
  const auto input = [frame] { return patch_code_input(frame->context(), frame->seen); };
  return map_node(sheet, frame,
                  {.id = "code",
                   .input = input,
                   .plain = input,
                   .follow = [frame](const gl::Hit& hit) { follow_code(*frame, hit); },
                   .paper = {900, 700}},
                  [](float) {
                    return Span{kLeastPicture, 400, kAny};
                  });
}

// --- from pixels to a token

void follow_token(const Frame& frame, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != Tag::cell_area || hit.row < 0) return;
  const images::PatchAttention& a = frame.seen.attention();
  if (hit.row >= figures::kPixelTag && hit.row < figures::kTokenTag) {
    const std::int64_t at = hit.row - figures::kPixelTag, side = frame.seen.grid().side;
    const char* const channels[] = {tr("red"), tr("green"), tr("blue")};
    say_at_mouse(frame.scene,
                 fill(tr("pixel number {}: {} of row {}, column {}: {}"),
                      {std::to_string(at), channels[at % 3], std::to_string(at / (3 * side)), std::to_string(at / 3 % side),
                       figures::cell_number(a.pixels.at({frame.seen.query, at}), 4)}),
                 tr("byte / 127.5 − 1"));
    return;
  }
  if (hit.row < figures::kPixelTag)
    say_at_mouse(frame.scene,
                 fill(tr("W_E, row {}, column {}: {}"), {std::to_string(hit.row), std::to_string(hit.column),
                                                         figures::cell_number(a.embedding.at({hit.row, hit.column}), 4)}));
  if (frame.held->dimension == hit.column) return;
  frame.held->dimension = hit.column;
  frame.context().frame_in(0);
}

Node token(Sheet& sheet, const Shared& frame) {
  return sheet.picture(
      {.id = "token",
       .picture =
           [frame](Size s, const Pen& pen) {
             return figures::patch_to_token(patch_token_input(frame->context(), frame->seen, frame->held->dimension), s.w, s.h,
                                            pen.theme, pen.measure);
           },
       .of = page_key<struct TokenOf>(*frame, frame->held->dimension),
       .hit = [frame](const Drawn& drawn) { follow_token(*frame, drawn.hit); },
       .old = frame->old,
       .paper = {860, 460},
       .on_paper =
           [frame](Size s, const Pen& pen) {
             const figures::PatchTokenInput input = patch_token_input(frame->context(), frame->seen, frame->held->dimension);
             return figures::framed(figures::patch_to_token(input, s.w, s.h > 0 ? s.h : 460, pen.theme, pen.measure), input.title,
                                    16, pen.theme);
           }},
      {200, 480, kAny}, Span{206, 460, kAny});
}

// --- pages

Node attention_page(Sheet& sheet, const Shared& frame) {
  const figures::PatchTilesInput sizes = tile_sizes(*frame);
  if (sizes.tiles.size() < 2) return patch_map(sheet, frame, [](float) { return Span{kLeastPicture, 400, kAny}; });
  const auto map_high = [sizes](float width) {
    const float least = std::max(kLeastPicture, kLowestForMap - kTilesGap - figures::patch_tiles_height(sizes, width));
    return Span{least, std::max(least, 400.0f), kAny};
  };
  std::vector<Node> both = {small_tiles(sheet, frame), patch_map(sheet, frame, map_high)};
  return Sheet::either({Sheet::column("heads and patches", kTilesGap, std::move(both)), tiles_alone(sheet, frame)});
}

Node caption_page(Sheet& sheet, const Shared& frame, float room) {
  const figures::PatchTilesInput sizes = tile_sizes(*frame);
  const float rows = kWordMapRest + kWordMapRow * static_cast<float>(sizes.tiles.size());
  const float map = std::clamp(rows, kLeastWordMap, std::max(kLeastWordMap, 0.45f * room));
  const auto tiles_high = [sizes, free = room - map - kTilesGap](float width) {
    const float least = figures::patch_tiles_height(sizes, width);
    figures::PatchTilesInput fitted = sizes;
    figures::fit_patch_tiles(fitted, width, std::max(free, least), kWidestTile);
    const float own = std::max(least, figures::patch_tiles_height(fitted, width));
    return Span{least, own, own};
  };
  const auto map_high = [sizes, map](float width) {
    const float beside = kLowestForMap - kTilesGap - figures::patch_tiles_height(sizes, width);
    const float least = std::clamp(beside, kLeastWordMap, kNamedAxes);
    return Span{least, std::max(least, map), std::max(least, map) + 80};
  };
  std::vector<Node> both = {sheet.picture(tiles_part(frame, true), {120, 400, kAny}, tiles_high),
                            word_map(sheet, frame, map_high)};
  return Sheet::either({Sheet::column("words and regions", kTilesGap, std::move(both)), tiles_alone(sheet, frame)});
}

}  // namespace

Node picture_column(Sheet& sheet, const Shared& frame) {
  Node name = sheet.words("name", picture_words(frame->seen), kLineSize, sheet.scene.pen.theme.secondary);
  name.presented = true;
  name.rank = 3;
  std::vector<Node> all = {std::move(name), picture(sheet, frame)};
  if (const auto lines = told_lines(*frame); !lines.empty()) all.push_back(lines_of_words(sheet, lines));
  return Sheet::column("left", 4, std::move(all));
}

Node page_column(Sheet& sheet, const Shared& frame, float room) {
  std::vector<Node> all;
  switch (topic_of(frame->state)) {
    case Topic::token: all.push_back(token(sheet, frame)); break;
    case Topic::positions: all.push_back(code_map(sheet, frame)); break;
    case Topic::attention: all.push_back(attention_page(sheet, frame)); break;
    case Topic::caption: all.push_back(caption_page(sheet, frame, room)); break;
  }
  return Sheet::column("right", 0, std::move(all));
}

Node token_column(Sheet& sheet, const Shared& frame) {
  return Sheet::column("left", 4, {token(sheet, frame), lines_of_words(sheet, told_lines(*frame))});
}

}  // namespace headlight::views::vision
