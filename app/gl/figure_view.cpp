#include "app/gl/figure_view.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gl/cells.h"
#include "app/gl/non_finite_search.h"
#include "app/gl/photo_textures.h"
#include "app/gl/screen_text.h"
#include "imgui_internal.h"

namespace headlight::gl {
namespace {

using figures::Align;
using figures::Box;
using figures::Point;

constexpr std::uint64_t kTextureBudget = std::uint64_t{256} << 20, kPhotoBudget = std::uint64_t{64} << 20;

float share(Align align) { return align == Align::start ? 0.0f : align == Align::middle ? 0.5f : 1.0f; }

Point on_curve(const figures::Curve& c, float t) {
  const float s = 1 - t, a = s * s * s, b = 3 * s * s * t, d = 3 * s * t * t, e = t * t * t;
  return {a * c.from.x + b * c.control1.x + d * c.control2.x + e * c.to.x,
          a * c.from.y + b * c.control1.y + d * c.control2.y + e * c.to.y};
}

}  // namespace

struct FigureView::State {
  ScreenText text;
  CellsRenderer cells;
  PhotoTextures photos;
  NonFiniteSearch search;
  const figures::Theme* theme = nullptr;
  figures::Cover* cover = nullptr;
  GuessMarks* marks = nullptr;
  float scale = 1;
  bool has_gl = false, shaders_tried = false;
  std::uint64_t shader_version = 0;

  // The state while one figure is drawn.
  struct Pen {
    ImDrawList* list;
    ImVec2 origin;
    float scale, alpha;
    ImVec2 at(Point p) const { return {origin.x + p.x * scale, origin.y + p.y * scale}; }
    ImU32 color(figures::Color c) const { return packed(c, alpha); }
  };

  void draw(const Pen& pen, const figures::Rectangle& item) const {
    const ImVec2 a = pen.at({item.box.x, item.box.y}), b = pen.at({item.box.x + item.box.w, item.box.y + item.box.h});
    if (!ImGui::IsRectVisible(a, b)) return;
    const ImVec2 low(std::round(a.x), std::round(a.y)), high(std::round(b.x), std::round(b.y));
    if (item.fill.a > 0) pen.list->AddRectFilled(low, high, pen.color(item.fill), item.radius * pen.scale);
    if (item.stroke.a > 0 && item.line > 0)
      pen.list->AddRect(low, high, pen.color(item.stroke), item.radius * pen.scale, 0, std::max(1.0f, item.line * pen.scale));
  }
  void draw(const Pen& pen, const figures::Line& item) const {
    pen.list->AddLine(pen.at(item.from), pen.at(item.to), pen.color(item.color), std::max(1.0f, item.width * pen.scale));
  }
  void draw(const Pen& pen, const figures::Curve& item) const {
    pen.list->AddBezierCubic(pen.at(item.from), pen.at(item.control1), pen.at(item.control2), pen.at(item.to),
                             pen.color(item.color), item.width * pen.scale);
  }
  void draw(const Pen& pen, const figures::Disc& item) const {
    pen.list->AddCircleFilled(pen.at(item.centre), item.radius * pen.scale, pen.color(item.fill));
  }
  void draw(const Pen& pen, const figures::Polygon& item) const {
    if (item.points.size() < 3) return;
    std::vector<ImVec2> points;
    points.reserve(item.points.size());
    for (const Point& p : item.points) points.push_back(pen.at(p));
    const auto count = static_cast<int>(points.size());
    // ImGui antialiases the edges of areas whose corners run clockwise on the screen.
    float area = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ImVec2 a = points[i], b = points[(i + 1) % points.size()];
      area += a.x * b.y - b.x * a.y;
    }
    if (area < 0) std::reverse(points.begin(), points.end());
    if (item.fill.a > 0) pen.list->AddConcavePolyFilled(points.data(), count, pen.color(item.fill));
    if (item.stroke.a > 0 && item.line > 0)
      pen.list->AddPolyline(points.data(), count, pen.color(item.stroke), ImDrawFlags_Closed,
                            std::max(1.0f, item.line * pen.scale));
  }
  // The box of a text before rotation, in points.
  Box box_of(const figures::Text& item, const std::string& shown) const {
    const float w = text.width(shown, item.size, item.font) / scale, h = text.line_height(item.size, item.font) / scale;
    return {item.at.x - share(item.horizontal) * w, item.at.y - share(item.vertical) * h, w, h};
  }
  std::string shown(const figures::Text& item) const {
    return item.max_width > 0 ? text.fitted(item.text, item.size, item.font, item.max_width * scale) : item.text;
  }
  void draw(const Pen& pen, const figures::Text& item) const {
    const std::string words = shown(item);
    const Box box = box_of(item, words);
    const ImVec2 low = pen.at({box.x, box.y}), high = pen.at({box.x + box.w, box.y + box.h});
    if (item.rotation == 0 && !ImGui::IsRectVisible(low, high))
      return text.tell(*pen.list, low, high, words, item.size, item.font);
    text.draw(*pen.list, low, words, item.size, item.font, pen.color(item.color), item.rotation, pen.at(item.at));
  }
  void draw(const Pen& pen, const figures::Cells& item) {
    const ImVec2 a = pen.at({item.box.x, item.box.y}), b = pen.at({item.box.x + item.box.w, item.box.y + item.box.h});
    if (!has_gl || !ImGui::IsRectVisible(a, b)) return;
    cells.add(*pen.list, item, {std::round(a.x), std::round(a.y)}, {std::round(b.x), std::round(b.y)}, pen.alpha);
  }
  void draw(const Pen& pen, const figures::ColorBar& item) const {
    const figures::Colormap* map = figures::colormaps().find(item.colormap);
    if (!map || !theme) return;
    constexpr int kPieces = 64;
    for (int i = 0; i < kPieces; ++i) {
      const float t0 = static_cast<float>(i) / kPieces, t1 = static_cast<float>(i + 1) / kPieces;
      const ImU32 c0 = pen.color(map->at(t0, *theme)), c1 = pen.color(map->at(t1, *theme));
      const Box& box = item.box;
      if (item.vertical) {  // the text's start is at the bottom
        pen.list->AddRectFilledMultiColor(pen.at({box.x, box.y + box.h * (1 - t1)}),
                                          pen.at({box.x + box.w, box.y + box.h * (1 - t0)}), c1, c1, c0, c0);
      } else {
        pen.list->AddRectFilledMultiColor(pen.at({box.x + box.w * t0, box.y}), pen.at({box.x + box.w * t1, box.y + box.h}), c0,
                                          c1, c1, c0);
      }
    }
  }

  void draw(const Pen& pen, const figures::Photo& item) {
    const ImVec2 a = pen.at({item.box.x, item.box.y}), b = pen.at({item.box.x + item.box.w, item.box.y + item.box.h});
    if (!has_gl || item.rgba.empty() || !ImGui::IsRectVisible(a, b)) return;
    if (const unsigned texture = photos.texture(item))
      pen.list->AddImage(ImTextureRef(static_cast<ImTextureID>(texture)), {std::round(a.x), std::round(a.y)},
                         {std::round(b.x), std::round(b.y)}, {0, 0}, {1, 1}, pen.color({1, 1, 1, 1}));
  }

  // Whether an item with a tag is under `p`; for Cells also finds the cell.
  bool touches(const figures::Item& item, Point p, Hit& hit) const {
    const auto found = [&](const figures::Tag& tag) {
      if (tag.kind == figures::Tag::none || tag.kind == figures::Tag::gap) return false;
      hit.tag = tag;
      hit.row = tag.kind == figures::Tag::cell ? tag.a : -1;
      hit.column = tag.kind == figures::Tag::cell ? tag.b : -1;
      return true;
    };
    if (const auto* r = std::get_if<figures::Rectangle>(&item)) return r->box.contains(p) && found(r->tag);
    if (const auto* d = std::get_if<figures::Disc>(&item)) {
      const float x = p.x - d->centre.x, y = p.y - d->centre.y, reach = std::max(d->radius, 4.0f);
      return x * x + y * y <= reach * reach && found(d->tag);
    }
    if (const auto* g = std::get_if<figures::Polygon>(&item))
      return g->tag.kind != figures::Tag::none && contains(*g, p) && found(g->tag);
    if (const auto* c = std::get_if<figures::Curve>(&item)) {
      if (c->tag.kind == figures::Tag::none) return false;
      const float reach = std::max(4.0f, c->width);
      for (int i = 0; i <= 48; ++i) {
        const Point q = on_curve(*c, static_cast<float>(i) / 48);
        if (std::hypot(q.x - p.x, q.y - p.y) <= reach) return found(c->tag);
      }
      return false;
    }
    if (const auto* t = std::get_if<figures::Text>(&item)) {
      if (t->tag.kind == figures::Tag::none) return false;
      const float angle = t->rotation * 3.14159265f / 180, x = p.x - t->at.x, y = p.y - t->at.y;
      const Point level{t->at.x + x * std::cos(angle) - y * std::sin(angle), t->at.y + x * std::sin(angle) + y * std::cos(angle)};
      return box_of(*t, shown(*t)).contains(level) && found(t->tag);
    }
    if (const auto* m = std::get_if<figures::Cells>(&item)) {
      if (!m->box.contains(p) || !found(m->tag)) return false;
      if (m->tag.kind == figures::Tag::cell_area) {
        const auto index = [](float at, float size, std::int64_t count) {
          return std::clamp<std::int64_t>(static_cast<std::int64_t>(at / size * static_cast<float>(count)), 0, count - 1);
        };
        hit.row = m->tag.a + index(p.y - m->box.y, m->box.h, m->rows);
        hit.column = m->tag.b + index(p.x - m->box.x, m->box.w, m->columns);
      }
      return true;
    }
    return false;
  }

  // A click on a lid marks a guess, or counts one for the mark that is there. The view does not get it.
  void mark(const figures::Figure& figure, ImGuiID id, const std::vector<Box>& lids, Hit& hit) const {
    constexpr float kReach = 14;
    if (std::none_of(lids.begin(), lids.end(), [&](const Box& lid) { return lid.contains(hit.at); })) return;
    hit.tag = {};
    hit.row = hit.column = -1;
    hit.hovered = false;  // the view would tell what lies there
    if (!std::exchange(hit.clicked, false) || !marks || figure.width <= 0 || figure.height <= 0) return;
    hit.double_clicked = false;
    const auto near = std::find_if(marks->list.begin(), marks->list.end(), [&](const GuessMarks::Mark& one) {
      return one.picture == id && std::hypot(one.x * figure.width - hit.at.x, one.y * figure.height - hit.at.y) <= kReach;
    });
    marks->clicked = static_cast<int>(near - marks->list.begin());
    if (near != marks->list.end()) return;
    if (marks->list.size() < GuessMarks::kMost)
      marks->list.push_back({id, hit.at.x / figure.width, hit.at.y / figure.height});
    else
      marks->clicked = -1;
  }
  void draw_marks(const Pen& pen, const figures::Figure& figure, ImGuiID id) const {
    if (!marks || !theme) return;
    constexpr float kRadius = 11, kSize = 14;
    for (std::size_t i = 0; i < marks->list.size(); ++i) {
      const GuessMarks::Mark& one = marks->list[i];
      if (one.picture != id) continue;
      const ImVec2 at = pen.at({one.x * figure.width, one.y * figure.height});
      pen.list->AddCircleFilled(at, (kRadius + 2) * scale, pen.color(theme->background));
      pen.list->AddCircleFilled(at, kRadius * scale, pen.color(theme->selected));
      const std::string name = std::to_string(i + 1);
      text.draw(*pen.list,
                {at.x - text.width(name, kSize, figures::Font::words_bold) / 2,
                 at.y - text.line_height(kSize, figures::Font::words_bold) / 2},
                name, kSize, figures::Font::words_bold, pen.color(figures::ink_on(theme->selected)));
    }
  }

  // Finds the topmost item with a tag under hit.at.
  void touch(const figures::Figure& figure, Hit& hit) const {
    hit.tag = {};
    hit.row = hit.column = -1;
    for (auto item = figure.items.rbegin(); item != figure.items.rend(); ++item)
      if (touches(*item, hit.at, hit)) break;
  }
};

FigureView::FigureView() : state_(std::make_unique<State>()) {}
FigureView::~FigureView() = default;

void FigureView::begin_frame(const Fonts& fonts, const figures::Theme& theme, float scale, bool has_gl) {
  state_->theme = &theme;
  state_->scale = scale;
  state_->has_gl = has_gl;
  state_->text.begin_frame(fonts, scale, has_gl);
  state_->cells.begin_frame(theme, scale);
  state_->photos.begin_frame();
  if (has_gl && !state_->shaders_tried) {
    state_->shaders_tried = true;
    (void)state_->cells.load_shaders();  // the shell already called reload_shaders() and showed its error
  }
}

void FigureView::end_frame() {
  state_->cells.trim(kTextureBudget);
  state_->photos.trim(kPhotoBudget);
  state_->text.labels().trim();
}

std::uint64_t FigureView::shader_version() const { return state_->shader_version; }

Status FigureView::reload_shaders() {
  state_->shaders_tried = true;
  ++state_->shader_version;
  return state_->cells.load_shaders();
}

NonFiniteSearch& FigureView::search() { return state_->search; }

void FigureView::release() {
  state_->cells.clear();
  state_->photos.clear();
  state_->text.labels().clear();
}

void FigureView::watch_text(std::vector<DrawnText>* drawn) { state_->text.watch(drawn); }
void FigureView::tell(ImVec2 low, ImVec2 high, std::string_view text, float size, figures::Font font) const {
  if (state_->text.watched()) state_->text.tell(*ImGui::GetWindowDrawList(), low, high, text, size, font);
}

std::set<char32_t> FigureView::take_missing() { return std::exchange(state_->text.missing(), {}); }

FigureView::Statistics FigureView::statistics() const {
  const auto& s = *state_;
  return {static_cast<std::int64_t>(s.cells.textures()), static_cast<std::int64_t>(const_cast<State&>(s).text.labels().size()),
          s.cells.uploads(), s.cells.bytes() + s.photos.bytes() + const_cast<State&>(s).text.labels().bytes()};
}

Hit FigureView::draw(const figures::Figure& figure, const char* name, bool focusable) {
  State& s = *state_;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 size(std::max(1.0f, figure.width * s.scale), std::max(1.0f, figure.height * s.scale));
  ImGui::InvisibleButton(name, size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                             (focusable ? ImGuiButtonFlags_EnableNav : ImGuiButtonFlags_None));
  const ImGuiID id = ImGui::GetItemID();
  Hit hit;
  hit.focused = focusable && ImGui::IsItemFocused() && !ImGui::GetIO().WantTextInput;
  if (hit.focused)
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::SetKeyOwner(key, ImGui::GetItemID());
  hit.hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const ImGuiIO& io = ImGui::GetIO();
  hit.at = {(io.MousePos.x - origin.x) / s.scale, (io.MousePos.y - origin.y) / s.scale};
  if (hit.hovered) {
    hit.clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    hit.double_clicked = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    hit.right_clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    hit.wheel = io.MouseWheel;
    s.touch(figure, hit);
    if (hit.tag.kind == figures::Tag::non_finite && NonFiniteSearch::leads(s.search.parts_of(figure))) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (hit.clicked) s.search.go_to_next(static_cast<figures::NonFinite>(hit.tag.a), false, id);
    }
  }
  if (const auto cell = s.search.look(figure, id)) {
    hit.at = {cell->x + cell->w / 2, cell->y + cell->h / 2};
    hit.hovered = hit.clicked = true;
    s.touch(figure, hit);
    const ImVec2 middle(origin.x + hit.at.x * s.scale, origin.y + hit.at.y * s.scale), room(40 * s.scale, 40 * s.scale);
    ImGui::ScrollToRect(ImGui::GetCurrentWindow(), {middle.x - room.x, middle.y - room.y, middle.x + room.x, middle.y + room.y},
                        ImGuiScrollFlags_KeepVisibleEdgeX | ImGuiScrollFlags_KeepVisibleEdgeY);
  }
  std::optional<figures::CoveredFigure> hidden;
  if (s.cover && s.theme) {
    hidden = figures::covered(figure, *s.cover, *s.theme, *this);
    s.mark(figure, id, hidden->lids, hit);
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    hit.dragging = true;
    hit.drag = {io.MouseDelta.x / s.scale, io.MouseDelta.y / s.scale};
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const State::Pen pen{&list, origin, s.scale, ImGui::GetStyle().Alpha};
  if (figure.background.a > 0) list.AddRectFilled(origin, {origin.x + size.x, origin.y + size.y}, pen.color(figure.background));
  for (const figures::Item& item : (hidden ? hidden->figure : figure).items)
    std::visit([&](const auto& one) { s.draw(pen, one); }, item);
  s.draw_marks(pen, figure, id);
  if (const auto found = s.search.found_in(figure, id); found && s.theme) {
    // A ring that a cell of any size fits into, in two colours that are seen on every other one.
    const float wide = std::max(found->w, 8.0f) / 2 + 2, high = std::max(found->h, 8.0f) / 2 + 2;
    const Point middle{found->x + found->w / 2, found->y + found->h / 2};
    const ImVec2 low = pen.at({middle.x - wide, middle.y - high}), far = pen.at({middle.x + wide, middle.y + high});
    list.AddRect(low, far, pen.color(s.theme->background), 0, 0, 5 * s.scale);
    list.AddRect(low, far, pen.color(s.theme->selected), 0, 0, 2.5f * s.scale);
  }
  return hit;
}

void FigureView::cover(figures::Cover* cover, GuessMarks* marks) {
  state_->cover = cover;
  state_->marks = marks;
}

Uncovered::Uncovered(FigureView& figures) : figures_(figures), before_{figures.state_->cover, figures.state_->marks} {
  figures_.cover(nullptr, nullptr);
}
Uncovered::~Uncovered() { figures_.cover(before_.first, before_.second); }

std::optional<std::string> FigureView::uncovered(std::string_view sentence) const {
  if (!state_->cover) return std::string(sentence);
  return figures::covered(sentence, *state_->cover);
}

void FigureView::cover_sentence(ImDrawList& list, ImVec2 low, ImVec2 high) const {
  if (!state_->theme) return;
  const float inset = 0.15f * std::min(high.y - low.y, 16 * state_->scale);
  list.AddRectFilled({low.x, low.y + inset}, {high.x, high.y - inset},
                     packed(state_->theme->secondary, 0.4f * ImGui::GetStyle().Alpha), 2 * state_->scale);
}

void FigureView::text(ImDrawList& list, ImVec2 at, std::string_view text, float size, figures::Font font, figures::Color color,
                      float max_width) {
  std::string kept;
  if (state_->cover) {
    auto shown = uncovered(text);
    if (!shown) {
      const float wide = state_->text.width(text, size, font);
      return cover_sentence(
          list, at, {at.x + (max_width > 0 ? std::min(wide, max_width) : wide), at.y + state_->text.line_height(size, font)});
    }
    kept = std::move(*shown);
    text = kept;
  }
  const ImU32 ink = packed(color, ImGui::GetStyle().Alpha);
  if (max_width > 0)
    state_->text.draw(list, at, state_->text.fitted(text, size, font, max_width), size, font, ink);
  else
    state_->text.draw(list, at, text, size, font, ink);
}

float FigureView::width(std::string_view text, float size, figures::Font font) const {
  return state_->text.width(text, size, font) / state_->scale;
}
float FigureView::line_height(float size, figures::Font font) const {
  return state_->text.line_height(size, font) / state_->scale;
}

}  // namespace headlight::gl
