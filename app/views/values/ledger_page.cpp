// The pages of everything that a layer adds to one token's vector: rows that add up, and beside them the grid of one head, with
// one of its numbers written out.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/values/ledger_data.h"
#include "app/views/values/ledger_plane_picture.h"
#include "app/views/values/pages.h"
#include "imgui.h"

namespace headlight::views::values {
namespace {

using figures::Tag;
using Kind = LayerLedger::Kind;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;
using Grid = std::shared_ptr<const WeightedValues>;

constexpr float kLeastRow = 20, kMostRow = 40, kMostCell = 46, kLeastCell = 26;
constexpr int kFewKeys = 4, kWrittenKeys = 6;  // with a line of their own where one dimension is written out

// The page while it is drawn.
struct LedgerFrame {
  Shared frame;
  LedgerPlace place;
  std::shared_ptr<const LayerLedger> ledger;

  const Context& context() const { return frame->context(); }
  ViewState& view() const { return frame->scene.view; }
  State& state() const { return frame->state; }
  std::string token() const { return row_labels(context(), place.choice)[static_cast<std::size_t>(place.query)]; }
};
using Page = std::shared_ptr<const LedgerFrame>;

// --- the ledger

// "decoder.layer.1.cross." as ViewState::site: "decoder.cross."
std::string kind_of(const std::string& prefix) {
  std::string kind = prefix;
  const std::size_t layer = kind.find("layer."), end = kind.find('.', layer + 6);
  return kind.erase(layer, end + 1 - layer);
}

void choose_head(const LedgerFrame& page, const LayerLedger::Row& row) {
  page.view().site = kind_of(row.prefix);
  page.view().head = row.head;
}

// The bracket with this dimension in its middle.
void move_bracket(const LedgerFrame& page, std::int64_t dimension) {
  State& state = page.state();
  const auto d = static_cast<std::int64_t>(page.ledger->rows.front().vector.size());
  state.first = std::clamp<std::int64_t>(dimension - state.dimensions / 2, 0, std::max<std::int64_t>(0, d - state.dimensions));
  state.dimension = -1;
}

void tell_row(const LedgerFrame& page, const LayerLedger::Row& row, std::int64_t dimension) {
  std::string words;
  if (dimension >= 0)
    words =
        fill(tr("dimension {}: {}"), {std::to_string(dimension), short_number(row.vector[static_cast<std::size_t>(dimension)])});
  else
    words = fill(tr("length {}, cosine with E {}, length of the sum up to here {}"),
                 {short_number(row.length), short_number(row.cosine), short_number(row.running)});
  if (row.kind == Kind::head && dimension >= 0)
    words += std::string("; ") + tr("a click takes the head into the grid and brings the bracket here");
  else if (row.kind == Kind::head)
    words += std::string("; ") + tr("a click takes the head into the grid");
  else if (dimension >= 0)
    words += std::string("; ") + tr("a click brings the bracket here");
  say_at_mouse(page.frame->scene, words);
}

// Up and down through the heads, left and right through the dimensions.
void walk_rows(const LedgerFrame& page) {
  const auto& rows = page.ledger->rows;
  const auto step = [&](int by) {
    const auto count = static_cast<std::int64_t>(rows.size());
    for (std::int64_t i = row_of_head(*page.ledger, page.place.choice.prefix(), page.place.choice.head) + by; i >= 0 && i < count;
         i += by)
      if (rows[static_cast<std::size_t>(i)].kind == Kind::head) {
        choose_head(page, rows[static_cast<std::size_t>(i)]);
        return;
      }
  };
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) step(1);
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) step(-1);
  const State& state = page.state();
  const std::int64_t middle = state.first + state.dimensions / 2;
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) move_bracket(page, std::max<std::int64_t>(0, middle - state.dimensions));
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) move_bracket(page, middle + state.dimensions);
}

void follow_row(const LedgerFrame& page, const gl::Hit& hit) {
  if (hit.focused) walk_rows(page);
  const bool strip = hit.tag.kind == Tag::cell_area;
  if (!hit.hovered || (!strip && hit.tag.kind != Tag::row)) return;
  const std::int64_t at = strip ? hit.row : hit.tag.a;
  if (at < 0 || at >= static_cast<std::int64_t>(page.ledger->rows.size())) return;
  const LayerLedger::Row& row = page.ledger->rows[static_cast<std::size_t>(at)];
  const std::int64_t dimension = strip && hit.column < static_cast<std::int64_t>(row.vector.size()) ? hit.column : -1;
  Hot& next = page.context().hover.next;
  if (row.kind == Kind::head) {
    next.layer = page.place.layer();
    next.head = row.head;
    if (row.prefix == page.place.choice.prefix()) {
      next.row = page.place.query;
      next.column = row.key;
    }
  }
  if (dimension >= 0 && !row.step.empty()) next.value = {row.step, {page.place.choice.batch, page.place.query, dimension}};
  tell_row(page, row, dimension);
  if (hit.clicked && row.kind == Kind::head) choose_head(page, row);
  if (dimension >= 0 && (hit.clicked || hit.dragging)) move_bracket(page, dimension);
}

// On paper the bracket, which belongs to the grid, is left out, and a title says whose ledger it is.
figures::LedgerInput on_paper(const LedgerFrame& page, figures::LedgerInput input) {
  input.current = input.hot = -1;
  input.count = 0;
  input.title = fill(tr("All that layer {} adds to {}"), {std::to_string(page.place.layer()), page.token()});
  return input;
}

Node table_of(Sheet& sheet, const Page& page) {
  const State& state = page->state();
  const LedgerPlace& place = page->place;
  const auto input =
      sheet.scene.data<figures::LedgerInput>(std::tuple(page->ledger, place.choice.prefix(), place.choice.head, state.first,
                                                        state.dimensions, state.one_scale, spoken_language()),
                                             [&] { return ledger_input(page->context(), place, *page->ledger); });
  const Hot& now = page->context().hover.now;
  const std::int64_t hot = now.head >= 0 && now.layer == place.layer()
                               ? row_of_head(*page->ledger, place.choice.prefix(), now.head)
                               : std::int64_t{-1};
  Part part{.id = "ledger",
            .picture =
                [page, input, hot](Size s, const Pen& pen) {
                  if (s.h <= 0) return figures::ledger_table(on_paper(*page, *input), s.w, pen.theme, pen.measure);
                  figures::LedgerInput fitted = *input;
                  fitted.hot = hot;
                  const auto rows = static_cast<float>(std::max<std::size_t>(1, input->rows.size()));
                  fitted.row_height =
                      std::clamp(std::floor((s.h - figures::ledger_frame_height(*input)) / rows), kLeastRow, kMostRow);
                  return figures::ledger_table(fitted, s.w, pen.theme, pen.measure);
                },
            .of = sheet.scene.made_of<struct LedgerOf>(input, hot),
            .hit = [page](const Drawn& drawn) { follow_row(*page, drawn.hit); },
            .focusable = true,
            .paper = {960, 0},
            .framed = true};
  if (page->frame->filed()) return sheet.picture(std::move(part), page->frame->wide(0, 960));
  const float around = figures::ledger_frame_height(*input), rows = static_cast<float>(input->rows.size());
  return sheet.picture(std::move(part), {574, 1200, kAny},
                       {around + kLeastRow * rows, around + kMostRow * rows, around + kMostRow * rows});
}

// --- the grid

// Rows as high as there is room for, and as many queries as fit in rows that are still readable.
void fit_rows(figures::WeightedGridInput& input, float width, float height, const figures::TextMeasure& measure) {
  figures::GridRoom room{};
  const float around = figures::grid_frame_height(input, width, measure);
  const auto queries = static_cast<std::int64_t>(input.queries.size());
  for (input.row_height = kMostCell; input.row_height >= kLeastCell; input.row_height -= 2) {
    room = figures::grid_room(input, width, height, measure);
    if (room.rows >= queries && around + input.row_height * static_cast<float>(queries) <= height + 0.5f) break;
  }
  input.row_height = std::max(input.row_height, kLeastCell);
  fit_grid(input, room);
}

void follow_cell(const LedgerFrame& page, const WeightedValues& values, const figures::WeightedGridInput& grid,
                 const Drawn& drawn) {
  const gl::Hit& hit = drawn.hit;
  if (!hit.hovered) return;
  std::int64_t query = -1, key = -1, dimension = -1;
  if (hit.tag.kind == Tag::cell) {
    key = hit.tag.a;
    query = hit.tag.b;
  } else if (hit.tag.kind == Tag::row) {
    query = hit.tag.a;
  } else if (hit.tag.kind == Tag::column) {
    key = hit.tag.a;
  } else if (hit.tag.kind == Tag::cell_area && hit.column >= 0) {
    query = hit.row % figures::kSum;
    if (hit.row >= figures::kSum) {
      dimension = hit.column;
    } else {
      const figures::GridPlace at = figures::grid_place(hit.column, values.count);
      // Which keys are shown follows from the width.
      figures::WeightedGridInput shown = grid;
      fit_grid(shown, figures::grid_room(shown, drawn.figure.width / drawn.type, kAny, page.context().measure));
      if (at.shown < static_cast<std::int64_t>(shown.shown_keys.size()))
        key = shown.shown_keys[static_cast<std::size_t>(at.shown)];
      dimension = at.dimension;
    }
  }
  if (query < 0 && key < 0) return;
  Hot& next = page.context().hover.next;
  next.row = query;
  next.column = key;
  if (query >= 0 && key >= 0) {
    next.value = {page.context().trace->name_at(page.place.choice.prefix(), Role::weights),
                  {page.place.choice.batch, page.place.choice.head, query, key}};
    const double w = values.weights.at({query, key});
    std::string words = fill(tr("{} looks at {}: {}"), {grid.queries[static_cast<std::size_t>(query)],
                                                        grid.keys[static_cast<std::size_t>(key)], short_number(w)});
    if (dimension >= 0) {
      const double v = values.value(query, key, dimension);
      words += fill(tr("; dimension {}: {} × {} = {}"),
                    {std::to_string(values.first + dimension), short_number(w), short_number(v), short_number(w * v)});
    }
    say_at_mouse(page.frame->scene, words);
  }
  if (!hit.clicked || query < 0) return;
  page.view().pinned_row = query;
  page.view().pinned_column = std::max<std::int64_t>(0, key);
  page.state().dimension = dimension >= 0 ? values.first + dimension : -1;
}

figures::Figure grid_on_paper(const LedgerFrame& page, figures::WeightedGridInput input, float width, const Pen& pen) {
  fit_grid(input, figures::grid_room(input, width, 900, pen.measure));
  input.in_file = true;
  input.title = attention_title(page.place.choice) + ": " + tr("weight × value");
  return figures::weighted_grid(input, width, pen.theme, pen.measure);
}

Node cells_of(Sheet& sheet, const Page& page, const Grid& values) {
  const State& state = page->state();
  const LedgerPlace& place = page->place;
  const auto input = sheet.scene.data<figures::WeightedGridInput>(
      std::tuple(page->ledger, values, place.query, state.one_scale, spoken_language()),
      [&] { return grid_input(page->context(), place, *page->ledger, *values); });
  const Hot& now = page->context().hover.now;
  const std::int64_t dimension = shown_dimension(page->context(), place, *values);
  Part part{.id = "grid",
            .picture =
                [page, input, dimension, row = now.row, column = now.column](Size s, const Pen& pen) {
                  if (s.h <= 0) return grid_on_paper(*page, *input, s.w, pen);
                  figures::WeightedGridInput fitted = *input;
                  fit_rows(fitted, s.w, s.h, pen.measure);
                  fitted.hot_query = row;
                  fitted.hot_key = column;
                  fitted.dimension = dimension;
                  return figures::weighted_grid(fitted, s.w, pen.theme, pen.measure);
                },
            .of = sheet.scene.made_of<struct GridOf>(input, dimension, now.row, now.column),
            .hit = [page, values, input](const Drawn& drawn) { follow_cell(*page, *values, *input, drawn); },
            .paper = {960, 0},
            .framed = true};
  if (page->frame->filed()) return sheet.picture(std::move(part), page->frame->wide(0, 960));
  return sheet.picture(std::move(part), {382, 800, kAny}, [input, measure = &sheet.scene.pen.measure](float width) {
    const float around = figures::grid_frame_height(*input, width, *measure),
                queries = std::max(3.0f, static_cast<float>(input->queries.size()));
    const float most = around + kMostCell * queries;
    return Span{around + kLeastCell * std::min(4.0f, queries), most, most};
  });
}

Node dimension_of(Sheet& sheet, const Page& page, const Grid& values) {
  const Scene& scene = sheet.scene;
  const std::int64_t dimension = shown_dimension(page->context(), page->place, *values);
  const auto key = std::tuple(values, page->place.query, dimension, spoken_language());
  const auto heights = scene.data<Heights>(key, [] { return Heights(); });
  const auto draw = [page, values, dimension](float width, int keys, const Pen& pen) {
    figures::DimensionSumInput input =
        dimension_input(page->context(), page->place, *values, dimension, static_cast<std::size_t>(keys));
    figures::Figure figure = figures::dimension_sum(input, width, pen.theme, pen.measure);
    figure.title = input.title;
    return figure;
  };
  const auto height_of = [heights, draw, &scene](float width, int keys) {
    return heights->at(width, keys, [&] { return draw(width, keys, scene.pen); });
  };
  Node node = sheet.picture({.id = "dimension",
                             .picture =
                                 [draw, height_of](Size s, const Pen& pen) {
                                   const bool few = s.h > 0 && s.h + 0.5f < height_of(s.w, kWrittenKeys);
                                   return draw(s.w, few ? kFewKeys : kWrittenKeys, pen);
                                 },
                             .of = heights,
                             .paper = {520, 0},
                             .framed = true},
                            {300, 800, kAny}, [height_of](float width) {
                              const float most = height_of(width, kWrittenKeys);
                              return Span{height_of(width, kFewKeys), most, most};
                            });
  node.filed = false;
  return node;
}

// While the values are being computed, a line says so.
Node grid_column(Sheet& sheet, const Page& page) {
  std::string error;
  const Grid values = grid_of(page->context(), page->place, &error);
  if (!values) return waiting(sheet, error);
  Node column = Sheet::column("grid column", 6, {cells_of(sheet, page, values), dimension_of(sheet, page, values)});
  column.scrolls = true;
  return column;
}

Page page_of(const Shared& frame, std::string* error) {
  const AttentionChoice& choice = frame->choice;
  const LedgerPlace place{choice, choice.kind == "decoder.cross." ? "decoder." : choice.kind, frame->query};
  auto ledger = ledger_of(frame->context(), place, error);
  return ledger ? std::make_shared<const LedgerFrame>(LedgerFrame{frame, place, std::move(ledger)}) : nullptr;
}

}  // namespace

Node ledger_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const Page page = page_of(frame, &error);
  if (!page) return waiting(sheet, error);
  Node table = table_of(sheet, page);
  if (frame->filed()) return table;
  Node rows = Sheet::column("ledger column", {2, 6, 6}, {});
  rows.scrolls = true;
  if (sheet.scene.medium == sheet::Medium::presented) {  // without the controls that say it, a line says whose ledger this is
    rows.children.push_back(sheet.words(
        "ledger title", fill(tr("All that layer {} adds to {}"), {std::to_string(page->place.layer()), page->token()}),
        ui::kHeading, sheet.scene.pen.theme.text));
    rows.children.back().presented = true;
  }
  rows.children.push_back(std::move(table));
  Node grid = grid_column(sheet, page);
  grid.rank = 1;
  grid.below = true;
  grid.presented = false;
  return Sheet::row("ledger and grid", 24, {std::move(rows), std::move(grid)});
}

Node arrows_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const Page page = page_of(frame, &error);
  if (!page) return waiting(sheet, error);
  const LedgerPlace& place = page->place;
  const auto input = sheet.scene.data<figures::LedgerInput>(
      std::tuple(page->ledger, place.choice.prefix(), place.choice.head, spoken_language(), 0),
      [&] { return ledger_input(page->context(), place, *page->ledger); });
  const Hot& now = page->context().hover.now;
  const std::int64_t hot = now.head >= 0 && now.layer == place.layer()
                               ? row_of_head(*page->ledger, place.choice.prefix(), now.head)
                               : std::int64_t{-1};
  const std::string title = fill(tr("All that layer {} adds to {}"), {std::to_string(place.layer()), page->token()});
  Part part{.id = "arrows",
            .picture =
                [input, hot, title](Size s, const Pen& pen) {
                  figures::LedgerInput lit = *input;
                  lit.hot = hot;
                  if (s.h <= 0) lit.current = lit.hot = -1;
                  figures::Figure figure = figures::ledger_plane(lit, s.w, s.h > 0 ? s.h : 0.6f * s.w, pen.theme, pen.measure);
                  figure.title = title;
                  return figure;
                },
            .of = sheet.scene.made_of<struct ArrowsOf>(input, hot),
            .hit = [page](const Drawn& drawn) { follow_row(*page, drawn.hit); },
            .paper = {900, 0},
            .framed = true};
  if (frame->filed()) return sheet.picture(std::move(part), frame->wide(0, 900));
  Node words = sheet.words("ledger title", title, ui::kHeading, sheet.scene.pen.theme.text);
  words.presented = true;
  return Sheet::column("arrows column", {2, 6, 6},
                       {std::move(words), sheet.picture(std::move(part), frame->wide(300, 1100), {180, 560, kAny})});
}

Node grid_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const Page page = page_of(frame, &error);
  if (!page) return waiting(sheet, error);
  Node grid = grid_column(sheet, page);
  if (sheet.scene.medium != sheet::Medium::presented) return grid;
  std::vector<Node> all = {sheet.words("grid title", attention_title(frame->choice) + ": " + tr("weight × value"), ui::kHeading,
                                       sheet.scene.pen.theme.text)};
  all.back().presented = true;
  all.push_back(std::move(grid));
  return Sheet::column("grid page", {2, 6, 6}, std::move(all));
}

}  // namespace headlight::views::values
