// The Index lab: what index-based attention looks up, how long it takes compared with the same layer without an index, and where
// it stops being worthwhile. Measured on this machine while the tab is open; nothing depends on the sentence.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab/index_lab.h"
#include "app/panels/panels.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/figure_menu.h"
#include "imgui.h"

namespace headlight::views {

void lab_words(Context& context, const ui::Look& look, const std::string& text, figures::Color color, float size, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float y = 0;
  for (const std::string& line : figures::wrap(text, width, size, figures::Font::words, context.measure)) {
    context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(y)}, line, size, figures::Font::words, color);
    y += std::ceil(size * 1.35f);
  }
  ImGui::Dummy({look.px(width), look.px(y)});
}

std::string lab_factor(double a, double b) {
  char text[32];
  const double factor = b > 0 ? a / b : 0;
  std::snprintf(text, sizeof text, factor >= 20 ? "%.0f" : factor >= 0.1 ? "%.1f" : "%.2g", factor);
  return text;
}
std::string lab_ratio(double a, double b) { return lab_factor(a, b) + "×"; }

gl::Hit draw_lab_figure(Context& context, const char* id, figures::Figure figure, FunctionRef<figures::Figure()> paper) {
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, id);
  name_part(context, std::string("index:") + id);
  figure_menu(context, (std::string(id) + " menu").c_str(), hit, [&] {
    figures::Figure out = paper();
    out.background = context.theme.background;
    return out;
  });
  return hit;
}

namespace {

constexpr float kGap = 28, kTwoColumns = 900, kPaged = 430, kWhole = 600, kCompared = 15;

struct Page {
  const char *id, *label, *why;
  void (*draw)(Context&, const ui::Look&, float width, float height);
};
constexpr Page kPages[] = {
    {"times", tr_later("times"), tr_later("The layer with and without an index, measured"), draw_lab_times},
    {"word", tr_later("one word"), tr_later("The four terms of a word's scores, adding up"), draw_lab_word},
    {"map", tr_later("Where ISDPA wins"), tr_later("Speed-up over two sizes at once, measured over counted"), draw_lab_map},
    {"table", tr_later("look-up table"), tr_later("The products of all symbols and positions, and those that the word looks up"),
     draw_lab_table},
    {"errors", tr_later("errors"), tr_later("How far both ways are from a computation in double, number by number"),
     draw_lab_errors},
    {"notebook", tr_later("the notebook"), tr_later("What the notebook measured, and the same here"), draw_lab_notebook},
};
constexpr std::size_t kTimes = 0, kWord = 1, kMap = 2;

// How much is shown side by side. whole: the word above times and a page. low: the word is a page, and pages are beside the
// times. alone: one page at a time, in presentation mode and in rooms that are still lower or narrow.
enum class Room { whole, low, alone };
Room room_of(const Context& context, float width, float height) {
  if (context.view.presentation || height < kPaged || (height < kWhole && width < kTwoColumns)) return Room::alone;
  return height < kWhole ? Room::low : Room::whole;
}
// The first page that can be chosen; earlier ones are always shown.
std::size_t first_page(Room room) { return room == Room::alone ? kTimes : room == Room::low ? kWord : kMap; }

std::size_t page_of(const ViewState& view, Room room) {
  for (std::size_t i = first_page(room); i < std::size(kPages); ++i)
    if (view.index_lab.page == kPages[i].id) return i;
  return room == Room::alone ? kTimes : kMap;
}

// The arrangement of the last frame.
struct LabRoom {
  Room kind = Room::alone;
};
Room last_room(const Context& context) { return context.transient ? context.transient->of<LabRoom>().kind : Room::alone; }

// Buttons that choose the page; returns their height.
float choose_page(Context& context, const ui::Look& look, Room room, std::size_t shown, float width) {
  const float before = ImGui::GetCursorPosY();
  LabFlow flow(look, width);
  ImGui::BeginGroup();
  for (std::size_t i = first_page(room); i < std::size(kPages); ++i) {
    const std::string label = tr(kPages[i].label);
    const float wide = lab_button_width(context, label);
    flow.next(wide, 4);
    if (ui::button(look, ui::labelled(label.c_str(), kPages[i].id).c_str(), look.px(wide), 28, i == shown))
      context.view.index_lab.page = kPages[i].id;
    ui::tooltip(look, tr(kPages[i].why));
  }
  ImGui::EndGroup();
  name_part(context, "index:pages");
  return (ImGui::GetCursorPosY() - before) / context.scale;
}

void rule(const ui::Look& look, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + look.px(3)},
                                            {at.x + look.px(width), at.y + look.px(3) + std::max(1.0f, look.scale)},
                                            gl::packed(look.theme.line));
  ImGui::Dummy({look.px(width), look.px(7)});
}

// A page with its buttons above it.
void draw_page(Context& context, const ui::Look& look, Room room, float width, float height) {
  const std::size_t shown = page_of(context.view, room);
  const float used = choose_page(context, look, room, shown, width);
  kPages[shown].draw(context, look, width, height - used);
}

// What is compared, in one sentence, the shorter one where the room is narrow; returns its height.
float draw_compared(Context& context, const ui::Look& look, Room room, float width) {
  const std::string sentences[] = {tr("The same attention computed in two ways: SDPA (scaled dot-product attention) multiplies "
                                      "every query with every key; ISDPA "
                                      "(index-based SDPA) multiplies each symbol and position once, and looks the products up."),
                                   tr("ISDPA, index-based scaled dot-product attention, beside SDPA, the same without an index"),
                                   tr("ISDPA (index-based attention) beside SDPA (without an index)"),
                                   tr("ISDPA: by index, SDPA: without")};
  const float before = ImGui::GetCursorPosY();
  for (std::size_t i = room == Room::whole ? 0 : 1; i < std::size(sentences); ++i) {
    if (context.measure.width(sentences[i], kCompared, figures::Font::words) > width) continue;
    lab_words(context, look, sentences[i], look.theme.text, kCompared, width);
    name_part(context, "index:compared");
    break;
  }
  return (ImGui::GetCursorPosY() - before) / context.scale;
}

void draw_all(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  // Room for a scrollbar is reserved.
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale - 12, whole = room.y / context.scale - 4;
  ask_lab_word(context);
  const Room kind = room_of(context, width, whole);
  if (context.transient) context.transient->of<LabRoom>().kind = kind;
  // A low room has the sentence beside its buttons.
  const float height = kind == Room::low ? whole : whole - draw_compared(context, look, kind, width);
  if (kind == Room::alone) {
    draw_page(context, look, kind, width, height);
    return;
  }
  const float top = ImGui::GetCursorPosY();
  const std::size_t shown = page_of(context.view, kind);
  if (kind == Room::low) {
    const float used = choose_page(context, look, kind, shown, width);
    const ImVec2 below_buttons = ImGui::GetCursorPos();
    ImGui::SameLine(0, look.px(16));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(5));
    draw_compared(context, look, kind, ImGui::GetContentRegionAvail().x / context.scale - 12);
    ImGui::SetCursorPos(below_buttons);
    if (shown == kWord) {
      draw_lab_word(context, look, width, height - used);
      return;
    }
  }
  if (kind == Room::whole) {
    // The terms take the height of their squares; times and map get the larger part.
    draw_lab_word(context, look, width, std::clamp(0.36f * height, 164.0f, 300.0f));
    rule(look, width);
  }
  if (width >= kTwoColumns) {
    const float left = std::floor((width - kGap) * (kind == Room::low ? 0.6f : 0.57f)), right = width - left - kGap;
    const float below = height - (ImGui::GetCursorPosY() - top) / context.scale;
    ImGui::BeginGroup();
    draw_lab_times(context, look, left, below);
    ImGui::EndGroup();
    ImGui::SameLine(0, look.px(kGap));
    ImGui::BeginGroup();
    if (kind == Room::low)
      kPages[shown].draw(context, look, right, below);
    else
      draw_page(context, look, kind, right, std::max(below, 280.0f));
    ImGui::EndGroup();
  } else {
    draw_lab_times(context, look, width, 400);
    rule(look, width);
    draw_page(context, look, kind, width, 400);
  }
}

void draw(Context& context) {
  // Lines are closer than elsewhere, because much is shown at once.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, std::round(5 * context.scale)});
  draw_all(context);
  ImGui::PopStyleVar();
}

figures::Figure page_figure(const Context& context, std::size_t page, float width) {
  const std::string_view id = kPages[page].id;
  if (id == "map") return lab_map_figure(context, width, 460);
  if (id == "table") return lab_table_figure(context, width, 560);
  if (id == "errors") return lab_errors_figure(context, width, 300);
  if (id == "notebook") return lab_notebook_figure(context, width);
  return {};
}

// Everything that the tab shows, below each other.
figures::Figure figure(const Context& context, float width, float) {
  const float inner = width - 32;
  std::vector<figures::Figure> parts;
  for (figures::Figure& part :
       std::vector<figures::Figure>{lab_word_figure(context, inner, 300), lab_times_figure(context, inner),
                                    page_figure(context, page_of(context.view, Room::whole), inner)})
    if (!part.items.empty()) parts.push_back(std::move(part));
  if (parts.empty()) return {};
  parts.front().background = context.theme.background;
  figures::Figure all = figures::stacked(parts, 20, 16);
  all.title = tr("Index-based attention");
  return all;
}

}  // namespace

Entry index_panel() {
  Entry entry = {"index",
                 "Index lab",
                 "QKᵀ = MM[I, I] + MP[I, :] + PM[:, I] + PP",
                 "index-based attention: rows S1 to S3 of docs/material.md",
                 draw,
                 figure,
                 true};
  for (const Page& page : kPages) entry.pages.list.push_back({page.id, page.label, page.why});
  entry.pages.shown = [](const Context& context) { return std::string(kPages[page_of(context.view, last_room(context))].id); };
  entry.pages.show = [](ViewState& view, const std::string& value) { view.index_lab.page = value; };
  entry.pages.has = [](const Context& context, const std::string& value) {  // the others are shown always
    const auto* const at = std::find_if(std::begin(kPages), std::end(kPages), [&](const Page& page) { return page.id == value; });
    return at - std::begin(kPages) >= static_cast<std::ptrdiff_t>(first_page(last_room(context)));
  };
  // Tests and pictures must not wait for timings.
  entry.job = [](const JobHost& host) -> std::unique_ptr<Job> {
    return host.measures_times ? std::make_unique<IndexSweep>(host.lane, host.wake, host.edits, host.lab_machine) : nullptr;
  };
  return entry;
}

}  // namespace headlight::views
