#include <algorithm>
#include <cmath>
#include <map>

#include "app/figures/base/compose.h"
#include "app/figures/base/panes.h"
#include "app/text/language.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/view.h"
#include "imgui.h"

namespace headlight::views {
namespace {

constexpr float kBar = 12;     // a scroll bar beside a column, in the gap
constexpr float kMargin = 16;  // of a file

// The figure at this size of type. A part that is as high as it is was measured without a height.
std::shared_ptr<const figures::Figure> made(const Scene& scene, const Part& part, Size size, float type) {
  auto figure = Sheet::made(scene, part, {size.w / type, part.fits_itself ? 0 : size.h / type});
  return type == 1 ? figure : std::make_shared<const figures::Figure>(figures::scaled(*figure, type));
}

// Whether something presented is not a picture: controls and words keep their size.
bool presents_by_hand(const Sheet& sheet, const sheet::Node& node) {
  if (!node.presented) return false;
  if (node.kind == sheet::Node::part) return node.number >= 0 && !sheet.parts[static_cast<std::size_t>(node.number)]->picture;
  return std::ranges::any_of(node.children, [&](const sheet::Node& child) { return presents_by_hand(sheet, child); });
}

sheet::Rules rules_of(const Sheet& sheet) {
  sheet::Rules rules;
  rules.medium = sheet.scene.medium;
  if (rules.medium == sheet::Medium::presented && !presents_by_hand(sheet, sheet.root))
    rules.types = {1, 0.9375f, 0.875f, 0.8125f, 0.75f};
  return rules;
}

figures::Figure on_paper(const Part& part, const Pen& pen, float width, float height) {
  figures::Figure figure = (part.on_paper ? part.on_paper : part.picture)({width, height}, pen);
  if (part.on_paper) figure.background = pen.theme.background;
  if (!part.title.empty()) figure.title = part.title;
  return part.framed ? figures::framed(std::move(figure), part.caption, kMargin, pen.theme) : figure;
}

class SheetDrawing {
 public:
  SheetDrawing(const Context& context, std::string view, const Sheet& sheet)
      : context_(context),
        view_(std::move(view)),
        sheet_(sheet),
        look_{context.theme, context.fonts, context.figures, context.scale} {}

  void draw(const sheet::Layout& layout) {
    origin_ = ImGui::GetCursorScreenPos();
    type_ = layout.type;
    int open = -1;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    for (const sheet::Placed& one : layout.parts) {
      if (one.scroll != open) {
        if (open >= 0) end_scroll();
        open = one.scroll;
        if (open >= 0) begin_scroll(layout.scrolls[static_cast<std::size_t>(open)]);
      }
      const Part& part = *sheet_.parts[static_cast<std::size_t>(one.node->number)];
      if (part.old) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f * ImGui::GetStyle().Alpha);
      draw_part(part, one.box);
      if (part.old) ImGui::PopStyleVar();
    }
    if (open >= 0) end_scroll();
    ImGui::PopStyleVar();
    ImGui::SetCursorScreenPos({origin_.x, origin_.y + look_.px(layout.height)});
    ImGui::Dummy({0, 0});
  }

 private:
  void begin_scroll(const sheet::Scroll& scroll) {
    outer_ = origin_;
    ImGui::SetCursorScreenPos({origin_.x + look_.px(scroll.box.x), origin_.y + look_.px(scroll.box.y)});
    ImGui::BeginChild(scroll.node->id.c_str(), {look_.px(scroll.box.w + kBar), look_.px(scroll.box.h)},
                      ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground);
    origin_ = ImGui::GetCursorScreenPos();
    origin_ = {origin_.x - look_.px(scroll.box.x), origin_.y - look_.px(scroll.box.y)};
  }
  void end_scroll() {
    ImGui::EndChild();
    origin_ = outer_;
  }

  void draw_part(const Part& part, const sheet::Box& box) {
    ImGui::SetCursorScreenPos({origin_.x + look_.px(box.x), origin_.y + look_.px(box.y)});
    const std::string name = view_ + ":" + part.id;
    if (!part.picture) {
      const ImVec2 low = ImGui::GetCursorScreenPos();
      ImGui::PushID(part.id.c_str());
      part.draw(look_, {box.w, box.h});
      ImGui::PopID();
      ui::tooltip(look_, part.explains, part.formula);
      if (part.why && ImGui::IsItemHovered()) ui::tooltip(look_, part.why());
      // A part is its box, whatever it draws there.
      ImGui::SetCursorScreenPos(low);
      ImGui::Dummy({look_.px(box.w), look_.px(box.h)});
      name_part(context_, name);
      return;
    }
    const auto figure = made(sheet_.scene, part, {box.w, box.h}, type_);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const gl::Hit hit = context_.figures.draw(*figure, part.id.c_str(), part.focusable);
    name_part(context_, name);
    if (hit.hovered) ui::tooltip(look_, part.why ? part.why() : part.explains);
    if (part.hit) part.hit({hit, *figure, type_, origin});
    figure_menu(context_, (part.id + " menu").c_str(), hit,
                [&] { return on_paper(part, sheet_.scene.pen, part.paper.w, part.paper.h); });
  }

  const Context& context_;
  const std::string view_;
  const Sheet& sheet_;
  const ui::Look look_;
  ImVec2 origin_, outer_;
  float type_ = 1;
};

// "chips:0" names something in the part "chips".
bool is_named(const sheet::Node& node, const std::vector<std::string>& ids) {
  return !node.id.empty() && std::ranges::any_of(ids, [&](const std::string& id) {
    return id == node.id || (id.size() > node.id.size() && id.starts_with(node.id) && id[node.id.size()] == ':');
  });
}
bool has_any(const sheet::Node& node, const std::vector<std::string>& ids) {
  return is_named(node, ids) || std::ranges::any_of(node.children, [&](const sheet::Node& child) { return has_any(child, ids); });
}

// Ranks on a sheet of which a lesson's step speaks. What it names goes last; before that goes what else would always stay, the
// lowest on the page first; before that type gets smaller; and what gives way anyway goes first.
constexpr int kSpokenRank = 1, kStayingRank = 2, kSpokenTypeRank = 103, kGivingRank = 102;

void give_way_first(sheet::Node& node) {
  if (node.rank > 0) node.rank += kGivingRank;
  for (sheet::Node& child : node.children) give_way_first(child);
}

// What a lesson's step names is on the presented sheet in any room. Elsewhere a column scrolls to it.
void keep_spoken(sheet::Node& node, const std::vector<std::string>& ids, int& staying) {
  if (!has_any(node, ids)) {
    const bool stays = node.rank == 0;
    give_way_first(node);
    if (stays) node.rank = std::min(kStayingRank + staying++, kGivingRank);
    return;
  }
  node.presented = true;
  const int rank = node.rank;
  node.rank = std::min(rank, kSpokenRank);
  if (is_named(node, ids)) return;
  for (sheet::Node& child : node.children) {
    child.rank = std::max(child.rank, rank);  // as it would have gone with the node
    keep_spoken(child, ids, staying);
  }
}

// The names that a lesson's step gives to parts of this view: "masks:paint" is "paint".
std::vector<std::string> spoken_parts(const Context& context, const std::string& view) {
  std::vector<std::string> ids;
  if (!context.parts || !context.parts->spoken_of) return ids;
  for (const std::string& part : *context.parts->spoken_of)
    if (part.starts_with(view + ":")) ids.push_back(part.substr(view.size() + 1));
  return ids;
}

// Whether the last column of a row may have a scroll bar, which then needs room of its own; that of another one is in the gap.
bool has_scrolling_end(const sheet::Node& node) {
  if (node.kind != sheet::Node::row || node.children.empty())
    return node.scrolls || std::ranges::any_of(node.children, has_scrolling_end);
  return has_scrolling_end(node.children.back());
}

}  // namespace

std::size_t View::shown_page(const Context& context) const {
  const std::string value = shown ? shown(context) : page ? page(context.view) : std::string();
  for (std::size_t i = 0; i < pages.size(); ++i)
    if (value == value_of(pages[i])) return i;
  return 0;
}
std::vector<std::size_t> View::pages_now(const Context& context) const {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; has_pages() && i < pages.size(); ++i)
    if (!has_page || has_page(context, value_of(pages[i]))) there.push_back(i);
  return there;
}
void View::show(ViewState& state, std::size_t which) const { show_value(state, value_of(pages[which])); }
void View::show_value(ViewState& state, const std::string& value) const {
  if (turn)
    turn(state, value);
  else if (page)
    page(state) = value;
}

sheet::Node page_menu(Sheet& sheet, const View& view, const char* id) {
  const std::size_t shown = view.shown_page(sheet.scene.context);
  return sheet.menu({id, "", tr(view.pages[shown].label), tr(view.pages[shown].why), [&state = sheet.scene.view, &view, shown] {
                       for (std::size_t i = 0; i < view.pages.size(); ++i)
                         if (ImGui::MenuItem(tr(view.pages[i].label), nullptr, shown == i)) view.show(state, i);
                     }});
}

sheet::Node page_choice(Sheet& sheet, const View& view, const char* id) {
  std::vector<std::string> labels, why;
  for (const Page& page : view.pages) {
    labels.emplace_back(tr(page.label));
    why.emplace_back(tr(page.why));
  }
  return sheet.choice(id, std::move(labels), static_cast<int>(view.shown_page(sheet.scene.context)), std::move(why),
                      [&state = sheet.scene.view, &view](int page) { view.show(state, static_cast<std::size_t>(page)); });
}

float draw_flow(const Sheet& sheet, const std::string& view, std::vector<sheet::Node> nodes, float width) {
  float high = 0;  // of a line
  for (const sheet::Node& node : nodes) high = std::max(high, node.forms[0].high(width).wished);
  const sheet::Node flow = Sheet::flow("flow", 12, std::move(nodes));
  const sheet::Layout layout = sheet::solve(flow, width, sheet::kAny, rules_of(sheet));
  SheetDrawing(sheet.scene.context, view, sheet).draw(layout);
  return layout.height <= high + 0.5f ? layout.width : 0;
}

void draw_node(const Sheet& sheet, const std::string& view, const sheet::Node& node, float width, float height) {
  SheetDrawing(sheet.scene.context, view, sheet).draw(sheet::solve(node, width, height, {.medium = sheet.scene.medium}));
}

void draw_sheet(Context& context, const View& view) {
  const sheet::Medium medium = context.view.presentation ? sheet::Medium::presented : sheet::Medium::screen;
  Kept none, &kept = context.transient ? context.transient->of<std::map<std::string, Kept>>()[view.id] : none;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const Scene scene{.context = context,
                    .view = context.view,
                    .medium = medium,
                    .room = {room.x / context.scale, room.y / context.scale},
                    .kept = &kept};
  Sheet sheet = view.sheet(scene);
  const std::string name = view.named ? view.named : view.id;
  const std::vector<std::string> spoken = spoken_parts(context, name);
  const bool speaks = medium == sheet::Medium::presented && has_any(sheet.root, spoken);
  int staying = 0;
  if (speaks) keep_spoken(sheet.root, spoken, staying);
  sheet::Rules rules = rules_of(sheet);
  if (speaks) rules.type_rank = kSpokenTypeRank;
  const bool held = kept.drawn && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const float bar = has_scrolling_end(sheet.root) ? kBar + 2 : 0;
  const sheet::Layout layout = sheet::solve(sheet.root, scene.room.w - bar, scene.room.h, rules, held ? &kept.made : nullptr);
  kept.made = layout.made;
  kept.drawn = true;
  SheetDrawing(context, name, sheet).draw(layout);
}

namespace {

// A row or column of pictures in a file of this width.
figures::Figure figure_of_node(const Sheet& sheet, const sheet::Node& node, float width, const std::string& title) {
  if (node.kind == sheet::Node::part && node.forms.empty()) return {};  // nothing to show yet
  const sheet::Layout layout = sheet::solve(node, width - 2 * kMargin, sheet::kAny, rules_of(sheet));
  figures::Figure all;
  std::string own;  // the only picture's title
  for (const sheet::Placed& one : layout.parts) {
    const Part& part = *sheet.parts[static_cast<std::size_t>(one.node->number)];
    if (!part.picture) continue;
    const auto figure = made(sheet.scene, part, {one.box.w, one.box.h}, 1);
    own = all.items.empty() ? figure->title : "";
    figures::add_moved(all, *figure, one.box.x + kMargin, one.box.y + kMargin);
  }
  if (all.items.empty()) return all;
  all.width = layout.width + 2 * kMargin;
  all.height = layout.height + 2 * kMargin;
  all.background = sheet.scene.pen.theme.background;
  all.title = title.empty() ? own : title;
  return all;
}

// The state is a copy for a while. Whoever refers to a view's own state in this frame refers to the same one afterwards.
class Unchanged {
 public:
  explicit Unchanged(ViewState& view) : view_(view), before_(view) { std::swap(view_, before_); }
  ~Unchanged() { std::swap(view_, before_); }
  Unchanged(const Unchanged&) = delete;
  Unchanged& operator=(const Unchanged&) = delete;

 private:
  ViewState& view_;
  ViewState before_;
};

const sheet::Node* find_node(const sheet::Node& node, const std::string& id) {
  if (node.id == id) return &node;
  for (const sheet::Node& child : node.children)
    if (const sheet::Node* found = find_node(child, id)) return found;
  return nullptr;
}

}  // namespace

figures::Figure figure_of_view(const Context& context, const View& view, float width, float height, const Page* page) {
  const Unchanged unchanged(context.view);
  if (page) view.show_value(context.view, view.value_of(*page));
  const Scene scene{context, context.view, sheet::Medium::file};
  const Sheet sheet = view.sheet(scene);
  if (view.filed) {
    const Part* const part = sheet.find(view.filed);
    return part ? on_paper(*part, scene.pen, width, height) : figures::Figure();
  }
  return figure_of_node(sheet, sheet.root, std::max(width, view.least_file), sheet.title);
}

figures::Figure figure_of_part(const Context& context, const View& view, const Export& wanted, float width, float height) {
  const Unchanged unchanged(context.view);
  const Scene scene{context, context.view, sheet::Medium::file};
  const Sheet sheet = view.sheet(scene);
  if (const Part* part = sheet.find(wanted.part); part && part->picture)
    return on_paper(*part, scene.pen, width, part->paper.h > 0 ? std::min(height, width * part->paper.h / part->paper.w) : 0);
  const sheet::Node* const found = find_node(sheet.root, wanted.part);
  if (!found) return {};
  sheet::Node node = *found;
  node.filed = true;  // it may be left out of the whole sheet
  return figure_of_node(sheet, node, width, tr(wanted.title));
}

std::vector<Picture> View::all_pictures() const {
  std::vector<Picture> all;
  for (const Page& one : pages) {
    const std::string what = one.what ? one.what : *one.id ? id + "-" + one.id : "";
    if (what.empty()) continue;
    all.push_back({what, one.says ? one.says : one.label, [this, &one](const Context& context, float width, float height) {
                     return figure_of_view(context, *this, width, height, &one);
                   }});
  }
  for (const Export& one : exports)
    all.push_back({one.id, one.label, [this, &one](const Context& context, float width, float height) {
                     return figure_of_part(context, *this, one, width, height);
                   }});
  all.insert(all.end(), pictures.begin(), pictures.end());
  return all;
}

}  // namespace headlight::views
