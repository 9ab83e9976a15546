#include "app/views/base/sheet.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/menu.h"
#include "imgui.h"

namespace headlight::views {

using figures::Font;

Sheet::Node Sheet::row(std::string id, Span gap, std::vector<Node> children) {
  Node node;
  node.kind = Node::row;
  node.id = std::move(id);
  node.gap = gap;
  node.children = std::move(children);
  return node;
}
Sheet::Node Sheet::column(std::string id, Span gap, std::vector<Node> children) {
  Node node = row(std::move(id), gap, std::move(children));
  node.kind = Node::column;
  return node;
}
Sheet::Node Sheet::flow(std::string id, float gap, std::vector<Node> children) {
  Node node = row(std::move(id), {std::min(gap, 8.0f), gap, gap}, std::move(children));
  node.kind = Node::flow;
  return node;
}
Sheet::Node Sheet::either(std::vector<Node> arrangements) {
  Node node = row({}, 0, std::move(arrangements));
  node.kind = Node::either;
  return node;
}

Sheet::Node Sheet::add(Part part, Span wide, std::function<Span(float)> high) {
  Node node;
  node.id = part.id;
  node.number = static_cast<int>(parts.size());
  node.forms = {{wide, std::move(high)}};
  parts.push_back(std::make_shared<Part>(std::move(part)));
  return node;
}
Sheet::Node Sheet::picture(Part part, Span wide, std::function<Span(float)> high) {
  return add(std::move(part), wide, std::move(high));
}
Sheet::Node Sheet::picture(Part part, Span wide, Span high) {
  return add(std::move(part), wide, [high](float) { return high; });
}
Sheet::Node Sheet::picture(Part part, Span wide) {
  part.fits_itself = true;
  Node node = add(std::move(part), wide, {});
  node.forms[0].high = [own = parts.back(), scene = &scene](float width) { return Span(made(*scene, *own, {width, 0})->height); };
  return node;
}
Sheet::Node Sheet::by_hand(Part part, Span wide, Span high) {
  Node node = add(std::move(part), wide, [high](float) { return high; });
  node.presented = node.filed = false;
  return node;
}

Sheet::Node Sheet::words(std::string id, std::string text, float size, figures::Color color, Font font) {
  struct Wrapped {
    float width = -1;
    std::vector<std::string> lines;
  };
  const auto lines = [text = std::move(text), size, font, measure = &scene.pen.measure,
                      kept = std::make_shared<Wrapped>()](float width) -> const std::vector<std::string>& {
    if (kept->width != width)
      *kept = {width, measure->width(text, size, font) <= width ? std::vector<std::string>{text}
                                                                : figures::wrap(text, width, size, font, *measure)};
    return kept->lines;
  };
  const float high = scene.pen.measure.line_height(size, font);
  Part part;
  part.id = std::move(id);
  part.draw = [lines, size, color, font, high](const ui::Look& look, Size room) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    for (const std::string& line : lines(room.w)) {
      look.figures.text(*ImGui::GetWindowDrawList(), at, line, size, font, color);
      at.y += look.px(high);
    }
  };
  Node node = add(std::move(part), {0, 0, sheet::kAny},
                  [lines, high](float width) { return Span(high * static_cast<float>(lines(width).size())); });
  node.presented = node.filed = false;
  return node;
}

Sheet::Node Sheet::button(Button button) {
  Span wide = button.wide;
  if (wide.most <= 0) wide = Span(28 + std::ceil(scene.pen.measure.width(button.label, 14, Font::words)));
  const float high = button.high;
  Part part;
  part.id = button.id;
  part.explains = std::move(button.why);
  part.formula = std::move(button.formula);
  part.draw = [label = ui::labelled(button.label.c_str(), button.id.c_str()), on = button.on, enabled = button.enabled,
               press = std::move(button.press)](const ui::Look& look, Size room) {
    if (ui::button(look, label.c_str(), look.px(room.w), room.h, on, enabled)) press();
  };
  return by_hand(std::move(part), wide, high);
}

Sheet::Node Sheet::choice(std::string id, std::vector<std::string> labels, int chosen, std::vector<std::string> why,
                          std::function<void(int)> choose) {
  // The widths of ui::segmented().
  float wide = -4;
  for (const std::string& label : labels) wide += 28 + std::ceil(scene.pen.measure.width(label, 14, Font::words));
  Part part;
  part.draw = [id, labels = std::move(labels), chosen, why = std::move(why), choose = std::move(choose)](const ui::Look& look,
                                                                                                         Size) {
    std::vector<const char*> each, reasons;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      each.push_back(labels[i].c_str());
      reasons.push_back(why[std::min(i, why.size() - 1)].c_str());
    }
    const int clicked = ui::segmented(look, id.c_str(), each.data(), static_cast<int>(each.size()), chosen, reasons.data());
    if (clicked >= 0) choose(clicked);
  };
  part.id = std::move(id);
  return by_hand(std::move(part), {wide, wide, wide}, 28);
}

Sheet::Node Sheet::menu(Menu menu) {
  const float wide = std::ceil(ui::pill_width(look_of(scene), menu.label, menu.value) / look_of(scene).scale);
  Part part;
  part.id = menu.id;
  part.draw = [m = std::move(menu), &context = scene.context](const ui::Look& look, Size room) {
    if (ui::pill(look, m.id.c_str(), m.label, m.value, look.px(room.w), ImGui::IsPopupOpen("menu"))) ImGui::OpenPopup("menu");
    ui::tooltip(look, m.why);
    if (!begin_menu(context, look, "menu", true)) return;
    m.items();
    end_menu();
  };
  return by_hand(std::move(part), {std::min(wide, 60.0f), wide, wide}, ui::kPillHeight);
}

Sheet::Node Sheet::label(std::string id, std::string text, float size, figures::Color color, std::string why, Font font) {
  const float wide = std::ceil(scene.pen.measure.width(text, size, font)) + 1, high = scene.pen.measure.line_height(size, font);
  Part part;
  part.id = std::move(id);
  part.explains = std::move(why);
  part.draw = [text = std::move(text), size, color, font](const ui::Look& look, Size room) {
    look.figures.text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), text, size, font, color, look.px(room.w));
    ImGui::Dummy({look.px(room.w), look.px(room.h)});  // what its tooltip belongs to
  };
  return by_hand(std::move(part), {std::min(wide, 40.0f), wide, wide}, high);
}

Sheet::Node Sheet::slider(Slider slider) {
  Part part;
  part.id = slider.id;
  part.why = slider.why;
  part.draw = [s = std::move(slider)](const ui::Look& look, Size room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    look.figures.text(list, at, s.label, 14, Font::words, look.theme.secondary);
    look.figures.text(list, {at.x + look.px(room.w - look.figures.width(s.value, 15, Font::mono)), at.y}, s.value, 15, Font::mono,
                      s.lit ? look.theme.selected : look.theme.text);
    ImGui::SetCursorScreenPos({at.x, at.y + look.px(17) + look.px(std::clamp(room.h - 17 - 15, 0.0f, 5.0f))});
    double moved = s.now;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(4), look.px(1)});
    if (number_slider(look, ("##" + s.id).c_str(), &moved, s.least, s.most, s.log, look.px(room.w))) s.set(moved);
    ImGui::PopStyleVar();
  };
  return by_hand(std::move(part), {120, 196, 196}, Span(34, 38, 38));
}

Sheet::Node Sheet::stepper(std::string id, std::string text, std::int64_t at, std::int64_t count, std::string why,
                           std::function<void(std::int64_t)> set) {
  const float wide = 2 * 26 + 16 + std::ceil(scene.pen.measure.width(text, 14, Font::words));
  Part part;
  part.draw = [id, text = std::move(text), at, count, why = std::move(why), set = std::move(set)](const ui::Look& look, Size) {
    if (const std::int64_t to = views::stepper(look, id.c_str(), text, at, count, why.c_str()); to >= 0) set(to);
  };
  part.id = std::move(id);
  return by_hand(std::move(part), wide, 28);
}

Sheet::Node Sheet::toggle(std::string id, const std::string& label, bool* value, std::string why) {
  const float wide = 42 + std::ceil(scene.pen.measure.width(label, 14, Font::words));
  Part part;
  part.draw = [label = ui::labelled(label.c_str(), id.c_str()), value](const ui::Look& look, Size) {
    ui::toggle(look, label.c_str(), value);
  };
  part.id = std::move(id);
  part.explains = std::move(why);
  return by_hand(std::move(part), wide, 28);
}

Sheet::Node Sheet::track(Track track) {
  constexpr float kHigh = 28;
  Part slider, number;
  slider.id = track.id;
  number.id = track.id + " number";
  slider.explains = std::move(track.why);
  slider.formula = std::move(track.formula);
  slider.draw = [id = "##" + track.id, now = track.now, least = track.least, most = track.most, log = track.log,
                 set = std::move(track.set)](const ui::Look& look, Size room) {
    double moved = now;
    if (number_slider(look, id.c_str(), &moved, least, most, log, look.px(room.w))) set(moved);
  };
  number.draw = [text = std::move(track.value)](const ui::Look& look, Size room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float high = look.figures.line_height(15, Font::mono);
    look.figures.text(*ImGui::GetWindowDrawList(), {at.x, std::round(at.y + look.px((room.h - high) / 2))}, text, 15, Font::mono,
                      look.theme.text);
  };
  std::vector<Node> both = {by_hand(std::move(slider), track.wide, kHigh), by_hand(std::move(number), track.number, kHigh)};
  return row(track.id + " row", 8, std::move(both));
}

Sheet::Node Sheet::field(std::string id, std::string* text, std::string hint, std::string why, Span wide) {
  Part part;
  part.draw = [&scene = scene, label = "##" + id, text, hint = std::move(hint)](const ui::Look& look, Size room) {
    push_font(scene.context, Font::words, 14);
    ImGui::SetNextItemWidth(look.px(room.w));
    ui::text_input(label.c_str(), *text, hint.c_str());
    ImGui::PopFont();
  };
  part.id = std::move(id);
  part.explains = std::move(why);
  return by_hand(std::move(part), wide, 30);
}

Sheet::Node Sheet::notice(std::string text, figures::Color color) {
  constexpr const char* kId = "notice";
  Node node = words(kId, std::move(text), 15, color);
  node.presented = true;
  return node;
}

sheet::Node shown_everywhere(sheet::Node node) {
  node.presented = true;
  for (sheet::Node& child : node.children) child = shown_everywhere(std::move(child));
  return node;
}

void say_at_mouse(const Scene& scene, const std::string& words, const std::string& formula) {
  ui::tooltip(look_of(scene), words, formula);
}

std::shared_ptr<const figures::Figure> Sheet::made(const Scene& scene, const Part& part, Size size) {
  const auto make = [&] {
    auto figure = std::make_shared<figures::Figure>(part.picture(size, scene.pen));
    if (scene.medium != sheet::Medium::file) figure->background.a = 0;
    return std::shared_ptr<const figures::Figure>(std::move(figure));
  };
  constexpr std::size_t kSizes = 4;
  std::vector<Made::One>& all = (scene.kept && part.of ? scene.kept->figures[part.id] : part.in_frame).all;
  Made::One now{part.of, size, scene.context.scale, &scene.pen.theme, spoken_language(), nullptr};
  const auto same = [&](const Made::One& one) {
    return one.data == now.data && one.size.w == size.w && one.size.h == size.h && one.scale == now.scale &&
           one.theme == now.theme && one.language == now.language;
  };
  if (const auto found = std::ranges::find_if(all, same); found != all.end()) {
    std::rotate(found, found + 1, all.end());
    return all.back().figure;
  }
  now.figure = make();
  if (all.size() == kSizes) all.erase(all.begin());
  all.push_back(std::move(now));
  return all.back().figure;
}

const Part* Sheet::find(const std::string& id) const {
  for (const auto& part : parts)
    if (part->id == id) return part.get();
  return nullptr;
}

}  // namespace headlight::views
