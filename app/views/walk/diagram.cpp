#include "app/views/walk/diagram.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/figure_menu.h"
#include "app/views/walk/steps.h"
#include "imgui.h"

namespace headlight::views::walk {
namespace {

using figures::WalkBox;
using Side = figures::WalkPicture::Side;

// Where letters would be smaller than this, the diagram scrolls instead: points at scale 1, and presented pixels.
constexpr float kLeastLetter = 12, kLeastPresented = 14;

std::string box_words(const Context& context, const WalkScene& scene, int index) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if (box.kind == WalkBox::Kind::text) return tr("The sentence as it was typed.");
  if (box.steps.empty()) return figures::walk_words(*context.trace, scene.choice.site, *scene.graph, index);
  return box.step() + " " + figures::walk_shape(box.shape, box.axes, figures::WalkShape::named) + ": " +
         tr(box.operation.c_str());
}

// The number under the mouse in a small picture is highlighted everywhere; returns it in words: "·blue → a: 0.42".
std::string hover_cell(const Context& context, const WalkScene& scene, int index, const figures::Box& inner, figures::Point at) {
  const auto& picture = scene.input.pictures[static_cast<std::size_t>(index)];
  if (!picture) return {};
  const figures::Box cells = walk_cells(*picture, inner);
  if (!cells.contains(at) || cells.w <= 0) return {};
  const std::int64_t rows = picture->values.dim(0), columns = picture->values.dim(1);
  const auto place = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset / size * static_cast<float>(count)), 0, count - 1);
  };
  const std::int64_t cell_row = place(at.y - cells.y, cells.h, rows), cell_column = place(at.x - cells.x, cells.w, columns);
  const std::int64_t row = cell_row * picture->row_block;
  const std::int64_t column = cell_column * (picture->head_from < 0 ? picture->column_block : 1);
  Hot& next = context.hover.next;
  if (picture->rows == Side::queries) next.row = row;
  if (picture->rows == Side::keys) next.column = row;
  if (picture->columns == Side::keys) next.column = column;
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if ((box.role == Role::loss || box.role == Role::loss_shifted) && box.steps.size() > 1) {  // each row's part in the mean
    next.value = {box.steps[box.steps.size() - 2], {row * picture->full_columns + column}};
    return fill(tr("sentence {0}, place {1}: {2} nats"),
                {std::to_string(row + 1), std::to_string(column), walk_number(picture->values.at({cell_row, cell_column}))});
  }
  // Vectors are sampled, so each cell is one number; in a reduced pattern a cell stands for several.
  const bool one = picture->columns == Side::other || (picture->row_block == 1 && picture->column_block == 1);
  if (one && picture->head_from < 0) {
    next.value = walk_address(*context.trace, scene.choice, box.step(), row, column);
  } else if (one) {
    // All heads side by side: finds the head and its dimension.
    const std::int64_t each = picture->head_to - picture->head_from, size = box.shape.back();
    next.value =
        walk_address(*context.trace, scene.choice, box.step(), row, std::min(size - 1, column % each * picture->column_block));
    if (next.value.index.size() == 4) next.value.index[1] = column / each;
  }
  const auto label = [&](Side side, std::int64_t k) {
    const bool writes = side == Side::queries && picture->columns == Side::keys;
    const auto labels = writes ? row_labels(context, scene.choice) : walk_labels(*context.trace, scene.choice, box, side);
    return k < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(k)] : std::to_string(k);
  };
  const bool hidden = !picture->mask.empty() && picture->mask.at({cell_row, cell_column}) == 0;
  const std::int64_t dimension = next.value.index.empty() ? column : next.value.index.back();
  return label(picture->rows, row) + (picture->columns == Side::keys ? " → " : ", ") +
         (picture->columns == Side::keys ? label(Side::keys, column) : std::to_string(dimension)) + ": " +
         (hidden ? std::string(tr("masked")) : walk_number(picture->values.at({cell_row, cell_column})));
}

// The names that lessons give a box.
std::vector<std::string> names_of(const WalkBox& box) {
  std::vector<std::string> names = {"walk:" + box.id};
  if (box.role == Role::weights) names.emplace_back("walk:softmax");
  return names;
}

// Where the boxes stand of which a lesson's step speaks; none: it speaks of no box.
std::optional<figures::Box> spoken_of(const Context& context, const WalkScene& scene, const figures::WalkLayout& layout) {
  std::optional<figures::Box> all;
  for (std::size_t i = 0; context.parts && i < layout.boxes.size(); ++i) {
    const std::vector<std::string> names = names_of(scene.graph->boxes[i]);
    if (std::ranges::none_of(names, [&](const std::string& name) { return context.parts->is_spoken_of(name); })) continue;
    const figures::Box& box = layout.boxes[i];
    if (!all) all = box;
    const float right = std::max(all->x + all->w, box.x + box.w), bottom = std::max(all->y + all->h, box.y + box.h);
    all->x = std::min(all->x, box.x);
    all->y = std::min(all->y, box.y);
    all->w = right - all->x;
    all->h = bottom - all->y;
  }
  return all;
}

void draw_diagram(const Frame& frame, float width, float height) {
  const Context& context = frame.context;
  const ui::Look& look = frame.look;
  const WalkScene& scene = frame.walk;
  // The whole diagram is shown, closer together and then smaller where it has to be. If letters would become too small it
  // scrolls.
  const float least = context.view.presentation ? std::min(1.0f, kLeastPresented / figures::kWalkRoomy.small / context.scale)
                                                : kLeastLetter / figures::kWalkRoomy.small / std::max(1.0f, context.scale);
  const auto fitting = [&](const figures::WalkSize& whole) {
    return std::min({1.0f, width / whole.width, height / whole.height});
  };
  figures::WalkType type = figures::kWalkRoomy;
  if (fitting(figures::walk_least_size(*scene.graph)) < 1) type = figures::kWalkTight;
  const figures::WalkSize whole = figures::walk_least_size(*scene.graph, type);
  const float fits = fitting(whole);
  float factor = std::max(fits, least);
  if (fits < factor) {             // the boxes of which a lesson's step speaks are in sight together
    constexpr float kAround = 48;  // with the scroll bars
    const figures::WalkLayout smallest = walk_layout(*scene.graph, 0, 0, context.measure, type);
    if (const auto spoken = spoken_of(context, scene, smallest))
      factor = std::clamp(std::min(width / (spoken->w + kAround), height / (spoken->h + kAround)), fits, factor);
  }
  const bool scrolls = fits < factor;
  const ImVec2 size{look.px(width), look.px(height)};
  auto& kept = context.transient->of<WalkTransient>();
  if (ImGui::BeginChild("diagram", size, ImGuiChildFlags_NavFlattened,
                        scrolls ? ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoBackground : kQuiet)) {
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize / context.scale : 0;
    const figures::WalkLayout layout =
        walk_layout(*scene.graph, (width - (height < whole.height * factor ? bar : 0)) / factor,
                    (height - (width < whole.width * factor ? bar : 0)) / factor, context.measure, type);
    // A diagram that has just appeared can be scrolled in its second frame only.
    if (std::exchange(kept.follow, false) || kept.followed_width != width) kept.following = 3;
    if (scrolls && kept.following > 0) {
      --kept.following;
      const figures::Box seen =
          spoken_of(context, scene, layout).value_or(layout.boxes[static_cast<std::size_t>(scene.input.lit)]);
      ImGui::SetScrollX(look.px(std::max(0.0f, (seen.x + seen.w / 2) * factor - width / 2)));
      ImGui::SetScrollY(look.px(std::max(0.0f, (seen.y + seen.h / 2) * factor - height / 2)));
    }
    kept.followed_width = width;
    const figures::Figure figure =
        figures::scaled(walk_figure(*scene.graph, layout, scene.input, context.theme, context.measure), factor);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    gl::Hit hit = context.figures.draw(figure, "diagram");
    hit.at = {hit.at.x / factor, hit.at.y / factor};
    int hovered = -1;
    for (int i = 0; i < static_cast<int>(layout.boxes.size()); ++i) {
      const figures::Box& box = layout.boxes[static_cast<std::size_t>(i)];
      if (context.parts) {
        const float s = context.scale * factor;
        for (const std::string& name : names_of(scene.graph->boxes[static_cast<std::size_t>(i)]))
          context.parts->add(name, origin.x + box.x * s, origin.y + box.y * s, origin.x + (box.x + box.w) * s,
                             origin.y + (box.y + box.h) * s);
      }
      if (hit.hovered && box.contains(hit.at)) hovered = i;
    }
    kept.hovered = hovered;
    if (hovered >= 0) {
      const std::string number = hover_cell(context, scene, hovered, layout.inner[static_cast<std::size_t>(hovered)], hit.at);
      ui::tooltip(look,
                  (number.empty() ? "" : number + "\n") + box_words(context, scene, hovered) + "\n" +
                      tr("Click: go there. Double click or Enter: its values."),
                  scene.graph->boxes[static_cast<std::size_t>(hovered)].formula);
      if (hit.double_clicked) {
        open_box(context, scene, hovered);
      } else if (hit.clicked) {
        play(context, scene, false);
        own(context).step = scene.graph->boxes[static_cast<std::size_t>(hovered)].id;
      }
    }
    figure_menu(context, "diagram menu", hit, [&] {
      return walk_poster(*scene.graph, scene.input, walk_notes_of(context, scene, scene.input.lit), scene.input.lit, 1, 1480, 800,
                         context.theme, context.measure);
    });
  }
  ImGui::EndChild();
}

}  // namespace

sheet::Node diagram_part(Sheet& sheet, const Shared& frame) {
  return part_by_hand(sheet, "diagram", [frame](const ui::Look&, Size room) { draw_diagram(*frame, room.w, room.h); });
}

}  // namespace headlight::views::walk
