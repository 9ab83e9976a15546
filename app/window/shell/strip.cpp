#include "app/window/shell/strip.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;
using views::Control;

constexpr float kMargin = 12, kGap = 8, kLineHigh = 34, kArrow = 26, kInner = 10, kSliderWidth = 130;  // points
constexpr float kEdge = 4, kSlack = 10;              // where the mouse calls it; how far above it the mouse may slip
constexpr float kGridHigh = 112, kMostGrid = 0.45f;  // the grid of heads: its height, and its share of the width
constexpr float kMostHigh = 0.5f;                    // of the window
constexpr double kLayerSeconds = 1.2;                // that each layer is shown while they play

// Whether the mouse keeps the strip, or calls it.
void follow_mouse(Shell& shell, const Look& look) {
  Shell::Ui::Strip& strip = shell.ui.strip;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const bool here = ImGui::IsMousePosValid(&io.MousePos) && io.MousePos.x >= 0 && io.MousePos.x < screen.x;
  const float from_below = here ? screen.y - io.MousePos.y : 1e9f;
  const bool inside = from_below >= 0 && from_below <= std::max(strip.height + look.px(kSlack), look.px(kEdge));
  if (!inside) strip.sent_away = false;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;  // the mouse belongs to that
  if (strip.by_mouse)
    strip.by_mouse = inside || ImGui::IsMouseDown(ImGuiMouseButton_Left);  // a slider is dragged
  else
    strip.by_mouse = !strip.sent_away && from_below >= 0 && from_below <= look.px(kEdge) && !ImGui::IsAnyMouseDown();
}

}  // namespace

void turn_strip(Shell& shell) {
  if (close_strip(shell)) return;
  shell.ui.strip.by_key = true;
}

bool close_strip(Shell& shell) {
  Shell::Ui::Strip& strip = shell.ui.strip;
  const bool shown = strip.by_key || strip.by_mouse;
  strip.sent_away |= strip.by_mouse;  // it comes back when the mouse has left the edge
  strip.by_key = strip.by_mouse = false;
  return shown;
}

Strip::Strip(Shell& shell, const Look& look, const Frame& frame) : shell_(shell), look_(look), context_(shell.context(frame)) {
  Shell::Ui::Strip& strip = shell.ui.strip;
  if (!shell.view().presentation) strip = {};
  if (shell.view().presentation) {
    follow_mouse(shell, look);
    play_layers();
  }
  if (strip.by_key || strip.by_mouse) entry_ = views::registry().find(shell.view().tab);
  if (entry_) {
    collect();
    lay_out();
  }
  strip.height = entry_ ? look.px(height_) : 0;
  // The view asks whether it is there: controls of its own may then go.
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const ImVec2 end(viewport.Pos.x + viewport.Size.x, viewport.Pos.y + viewport.Size.y);
  if (entry_) shell.parts.add("strip", viewport.Pos.x, end.y - strip.height, end.x, end.y);
}

// One layer after the other, the head held.
void Strip::play_layers() {
  double& next = shell_.ui.strip.next_layer_at;
  if (next < 0) return;
  const views::View* entry = views::registry().find(shell_.view().tab);
  const views::AttentionChoice choice = context_.trace ? views::choose_attention(context_) : views::AttentionChoice();
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  std::int64_t& layer = shell_.view().layer;
  if (!entry || !entry->of_head || !entry->of_head(shell_.view()) || !choice.site || layer + 1 >= layers) {
    next = -1;
    return;
  }
  if (context_.now >= next) {
    ++layer;
    next = layer + 1 < layers ? context_.now + kLayerSeconds : -1;
  }
  if (next >= 0) shell_.frame_in(next - context_.now);
}

void Strip::add(Control control, bool page) {
  const float width = width_of(control);
  items_.push_back({std::move(control), page, width});
}

void Strip::collect() {
  for (const std::size_t i : entry_->pages_now(context_)) {
    const views::Page& page = entry_->pages[i];
    add({.id = std::string("page:") + entry_->value_of(page),
         .label = tr(page.label),
         .why = tr(page.why),
         .press = [this, i] { entry_->show(shell_.view(), i); },
         .on = i == entry_->shown_page(context_)},
        true);
  }
  if (entry_->of_head && entry_->of_head(shell_.view())) add_attention();
  if (entry_->controls)
    for (Control& control : entry_->controls(context_)) add(std::move(control));
}

void Strip::add_attention() {
  const views::AttentionChoice choice = context_.trace ? views::choose_attention(context_) : views::AttentionChoice();
  if (!choice.site || choice.site->queries == 0) return;
  ViewState& view = shell_.view();
  if (choice.kinds.size() > 1) {
    std::int64_t at = 0;
    std::string widest;
    for (std::size_t i = 0; i < choice.kinds.size(); ++i) {
      if (choice.kinds[i].id == choice.kind) at = static_cast<std::int64_t>(i);
      if (const char* label = tr(choice.kinds[i].label.c_str()); text_width(label) > text_width(widest)) widest = label;
    }
    add({.id = "kind",
         .label = tr("attention"),
         .why = tr("Which attention is looked at: the encoder's, the decoder's, or the one between them"),
         .value = tr(choice.kinds[static_cast<std::size_t>(at)].label.c_str()),
         .widest = widest,
         .at = at,
         .count = static_cast<std::int64_t>(choice.kinds.size()),
         .step = [&view, kinds = choice.kinds](std::int64_t to) {
           view.site = kinds[static_cast<std::size_t>(to)].id;
           view.pinned_row = view.pinned_column = -1;
         }});
  }
  const auto number = [&](const char* id, const char* label, const char* why, std::int64_t at, std::int64_t count,
                          std::int64_t& field) {
    add({.id = id,
         .label = label,
         .why = why,
         .value = std::to_string(at),
         .widest = std::to_string(count - 1),
         .at = at,
         .count = count,
         .step = [&field](std::int64_t to) { field = to; }});
  };
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  const std::int64_t layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
  number("layer", tr("layer"), tr("Another layer (Alt+Up, Alt+Down); counted from 0"), layer, layers, view.layer);
  number("head", tr("head"), tr("Another head (Alt+Left, Alt+Right); counted from 0"), choice.head, choice.site->heads,
         view.head);
  if (layers > 1) {
    double& next = shell_.ui.strip.next_layer_at;
    add({.id = "play-layers",
         .label = tr("play layers"),
         .why = tr("Steps through the layers with the head held"),
         .press =
             [&view, &next, layers, now = context_.now] {
               if (next < 0 && view.layer + 1 >= layers) view.layer = 0;
               next = next < 0 ? now + kLayerSeconds : -1;
             },
         .on = next >= 0});
  }
  for (const views::View& entry : views::registry().entries())
    if (entry.head_grid.draw) grid_ = &entry.head_grid;
  if (grid_) grid_width_ = grid_->width(context_);
  if (grid_width_ <= 0) grid_ = nullptr;
}

float Strip::text_width(std::string_view text) const { return look_.figures.width(text, 14, Font::words); }

float Strip::width_of(const Control& control) const {
  const float value = std::ceil(std::max(text_width(control.value), text_width(control.widest)));
  if (control.count > 0) return std::ceil(2 * kInner + text_width(control.label) + 2 * kArrow + value + 3 * kGap);
  if (control.most > control.least) return std::ceil(2 * kInner + text_width(control.label) + kSliderWidth + value + 2 * kGap);
  return std::ceil(std::max(text_width(control.label), text_width(control.widest))) + 28;
}

void Strip::lay_out() {
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float whole = screen.x / look_.scale - 2 * kMargin;
  if (grid_) grid_width_ = std::min(grid_width_, kMostGrid * whole);
  const float room = grid_ ? whole - grid_width_ - 2 * kMargin : whole;
  float x = 0, y = 0;
  bool pages = false;
  for (Item& item : items_) {
    // What is not a page begins a line of its own only where it does not fit behind them.
    const float gap = x == 0 ? 0 : item.page || !pages ? kGap : 2 * kGap;
    if (x > 0 && x + gap + item.width > room) {
      x = 0;
      y += kLineHigh + kGap;
    } else {
      x += gap;
    }
    item.x = kMargin + x;
    item.y = kMargin + y;
    x += item.width;
    pages = item.page;
  }
  height_ = std::max(y + kLineHigh, 0.0f) + 2 * kMargin;
  if (grid_) height_ = std::max(height_, kGridHigh);
  height_ = std::min(height_, kMostHigh * screen.y / look_.scale);
}

void Strip::draw_stepper(const Control& control, float width) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float high = look_.px(kLineHigh), line = std::max(1.0f, std::floor(look_.scale));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + look_.px(width), low.y + high}, gl::packed(look_.theme.background), look_.px(8));
  list.AddRect(low, {low.x + look_.px(width), low.y + high}, gl::packed(look_.theme.line), look_.px(8), 0, line);
  const float text_high = look_.figures.line_height(14, Font::words) * look_.scale;
  const float middle = std::round(low.y + (high - text_high) / 2), arrow = kLineHigh - 6;
  float x = low.x + look_.px(kInner);
  look_.figures.text(list, {x, middle}, control.label, 14, Font::words, look_.theme.secondary);
  x += look_.px(text_width(control.label) + kGap);
  const float value = std::ceil(std::max(text_width(control.value), text_width(control.widest)));
  ImGui::PushID(control.id.c_str());
  std::int64_t to = -1;
  ImGui::SetCursorScreenPos({x, low.y + look_.px(3)});
  if (button(look_, "‹##less", look_.px(kArrow), arrow, false, control.at > 0)) to = control.at - 1;
  tooltip(look_, control.why);
  shell_.name_part("strip:" + control.id + ":less");
  x += look_.px(kArrow + kGap);
  look_.figures.text(list, {x + look_.px((value - text_width(control.value)) / 2), middle}, control.value, 14, Font::words,
                     look_.theme.selected);
  x += look_.px(value + kGap);
  ImGui::SetCursorScreenPos({x, low.y + look_.px(3)});
  if (button(look_, "›##more", look_.px(kArrow), arrow, false, control.at + 1 < control.count)) to = control.at + 1;
  tooltip(look_, control.why);
  shell_.name_part("strip:" + control.id + ":more");
  ImGui::PopID();
  if (to >= 0) control.step(to);
}

void Strip::draw_slider(const Control& control, float width) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float high = look_.px(kLineHigh), line = std::max(1.0f, std::floor(look_.scale));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + look_.px(width), low.y + high}, gl::packed(look_.theme.background), look_.px(8));
  list.AddRect(low, {low.x + look_.px(width), low.y + high}, gl::packed(look_.theme.line), look_.px(8), 0, line);
  const float text_high = look_.figures.line_height(14, Font::words) * look_.scale;
  const float middle = std::round(low.y + (high - text_high) / 2), x = low.x + look_.px(kInner);
  look_.figures.text(list, {x, middle}, control.label, 14, Font::words, look_.theme.secondary);
  const float from = x + look_.px(text_width(control.label) + kGap);
  ImGui::SetCursorScreenPos({from, low.y + look_.px(7)});
  double moved = control.now;
  if (views::number_slider(look_, ("##" + control.id).c_str(), &moved, control.least, control.most, true, look_.px(kSliderWidth)))
    control.slide(moved);
  tooltip(look_, control.why);
  shell_.name_part("strip:" + control.id);
  look_.figures.text(list, {from + look_.px(kSliderWidth + kGap), middle}, control.value, 14, Font::words, look_.theme.selected);
}

void Strip::draw_item(const Item& item) {
  const Control& control = item.control;
  if (control.count > 0) return draw_stepper(control, item.width);
  if (control.most > control.least) return draw_slider(control, item.width);
  if (button(look_, labelled(control.label.c_str(), control.id.c_str()).c_str(), look_.px(item.width), kLineHigh, control.on,
             control.enabled))
    control.press();
  tooltip(look_, control.why);
  shell_.name_part("strip:" + control.id);
}

void Strip::draw() {
  if (!entry_) return;
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float high = look_.px(height_);
  const ImVec2 low(origin.x, origin.y + size.y - high);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + size.x, low.y + high}, gl::packed(look_.theme.panel));
  list.AddRectFilled(low, {low.x + size.x, low.y + std::max(1.0f, std::floor(look_.scale))}, gl::packed(look_.theme.line));
  ImGui::SetCursorScreenPos(low);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("strip", {size.x, high}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    shell_.takes_focus("strip");
    float end = kMargin, last = kMargin;  // of the last line
    for (const Item& item : items_) {
      ImGui::SetCursorScreenPos({low.x + look_.px(item.x), low.y + look_.px(item.y)});
      draw_item(item);
      end = item.x + item.width;
      last = item.y;
    }
    const float room = size.x / look_.scale - (grid_ ? grid_width_ + 2 * kMargin : 0) - kMargin;
    if (const char* words = tr("Esc closes, then leaves"); items_.empty() || end + 2 * kGap + text_width(words) <= room)
      look_.figures.text(*ImGui::GetWindowDrawList(),
                         {low.x + look_.px(items_.empty() ? kMargin : end + 2 * kGap),
                          std::round(low.y + look_.px(last) +
                                     (look_.px(kLineHigh) - look_.figures.line_height(14, Font::words) * look_.scale) / 2)},
                         words, 14, Font::words, look_.theme.secondary);
    if (grid_) {
      const float above = 4;
      ImGui::SetCursorScreenPos({low.x + size.x - look_.px(grid_width_ + kMargin), low.y + look_.px(above)});
      grid_->draw(context_, grid_width_, height_ - above - 2);
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace headlight::window
