#include "app/gl/term_marks.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/text/language.h"
#include "imgui_internal.h"

namespace headlight::gl {
namespace {

constexpr std::size_t kMostKnown = 4096;  // texts whose terms are kept

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
struct Marks {
  const Language* language = nullptr;
  std::unordered_map<std::string, std::vector<Glossary::Found>, Hash, std::equal_to<>> known;
  int frame = -1;
  std::vector<std::pair<ImGuiID, std::size_t>> seen;  // in this frame: a part of the window, and a term
  PointedTerm pointed;
  int hidden = 0;
};
Marks& marks() {
  static Marks one;
  return one;
}

// The part of the window that is being drawn; 0: none whose terms are marked.
ImGuiID part_of_window() {
  const ImGuiWindow* window = GImGui->CurrentWindow;
  if (!window || (window->RootWindow->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Modal)))
    return 0;
  while ((window->Flags & ImGuiWindowFlags_ChildWindow) && window->ParentWindow &&
         (window->ParentWindow->Flags & ImGuiWindowFlags_ChildWindow))
    window = window->ParentWindow;
  const std::string_view name = window->Name;
  for (const char* part : {"/main", "/inspector", "/lesson"})
    if (name.find(part) != std::string_view::npos) return window->ID;
  return 0;
}

const std::vector<Glossary::Found>& terms_of(std::string_view text) {
  Marks& m = marks();
  if (const Language* now = spoken_language(); now != m.language || m.known.size() > kMostKnown) {
    m.known.clear();
    m.language = now;
  }
  if (const auto at = m.known.find(text); at != m.known.end()) return at->second;
  return m.known.emplace(std::string(text), glossary().find(text)).first->second;
}

}  // namespace

void mark_terms(ImDrawList& list, std::string_view text, ImVec2 at, float high, FunctionRef<float(std::string_view)> width_of,
                ImU32 color, float scale) {
  Marks& m = marks();
  if (m.hidden > 0 || text.size() < 2) return;
  if (m.frame != ImGui::GetFrameCount()) {
    m.frame = ImGui::GetFrameCount();
    m.seen.clear();
    m.pointed = {};
  }
  const auto& terms = terms_of(text);
  if (terms.empty()) return;
  const ImGuiID part = part_of_window();
  if (part == 0) return;
  const ImU32 faint = (color & ~IM_COL32_A_MASK) | (((color >> IM_COL32_A_SHIFT) / 2) << IM_COL32_A_SHIFT);
  for (const Glossary::Found& term : terms) {
    const std::pair<ImGuiID, std::size_t> here(part, term.entry);
    if (std::find(m.seen.begin(), m.seen.end(), here) != m.seen.end()) continue;
    const float left = at.x + width_of(text.substr(0, term.begin)), right = at.x + width_of(text.substr(0, term.end));
    const ImVec2 low(left, at.y), end(right, at.y + high);
    const ImVec2 clip_low = list.GetClipRectMin(), clip_high = list.GetClipRectMax();
    if (end.x > clip_high.x || low.x < clip_low.x || end.y > clip_high.y || low.y < clip_low.y) continue;  // cut off
    m.seen.push_back(here);
    // Dots, so that the line is no part of the picture.
    const float dot = std::max(1.0f, std::round(scale)), y = std::round(end.y - dot);
    for (float x = std::round(left); x + dot <= right; x += 3 * dot) list.AddRectFilled({x, y}, {x + dot, y + dot}, faint);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (mouse.x >= low.x && mouse.x < end.x && mouse.y >= low.y && mouse.y < end.y && ImGui::IsWindowHovered())
      m.pointed = {&glossary().entries()[term.entry], low, end};
  }
}

void mark_wrapped_terms(std::string_view text, ImVec2 at, float width, float scale) {
  if (marks().hidden > 0 || terms_of(text).empty()) return;
  ImFont* const font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  const auto width_of = [&](std::string_view part) {
    return font->CalcTextSizeA(size, FLT_MAX, 0, part.data(), part.data() + part.size()).x;
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const char* begin = text.data();
  const char* const end = begin + text.size();
  // As ImGui breaks lines: where the words end, and at line breaks.
  for (float y = at.y; begin < end; y += size) {
    const char* stop = width > 0 ? font->CalcWordWrapPosition(size, begin, end, width) : end;
    stop = std::find(begin, stop, '\n');
    if (stop == begin && *begin != '\n') ++stop;  // not even one character fits
    mark_terms(list, {begin, static_cast<std::size_t>(stop - begin)}, {at.x, y}, size, width_of,
               ImGui::GetColorU32(ImGuiCol_Text), scale);
    begin = stop;
    while (begin < end && (*begin == ' ' || *begin == '\t')) ++begin;
    if (begin < end && *begin == '\n') ++begin;
  }
}

NoTermMarks::NoTermMarks() { ++marks().hidden; }
NoTermMarks::~NoTermMarks() { --marks().hidden; }

PointedTerm pointed_term() { return marks().frame == ImGui::GetFrameCount() ? marks().pointed : PointedTerm(); }

int marked_terms() { return marks().frame == ImGui::GetFrameCount() ? static_cast<int>(marks().seen.size()) : 0; }

}  // namespace headlight::gl
