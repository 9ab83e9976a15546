#include "app/gl/screen_text.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>

#include "app/gl/shaping.h"
#include "app/gl/term_marks.h"
#include "imgui_internal.h"

namespace headlight::gl {

void ScreenText::begin_frame(const Fonts& fonts, float scale, bool has_gl) {
  const int sources = ImGui::GetIO().Fonts->Sources.Size;
  if (sources != sources_) known_.clear();
  sources_ = sources;
  fonts_ = fonts;
  scale_ = scale;
  has_gl_ = has_gl;
  labels_.begin_frame();
}

ScreenText::Face ScreenText::face(figures::Font font) const {
  Face face{fonts_.words, fonts_.words_em};
  if (font == figures::Font::words_bold) face = {fonts_.words_bold, fonts_.words_bold_em};
  if (font == figures::Font::mono) face = {fonts_.mono, fonts_.mono_em};
  if (!face.font) face = {ImGui::GetFont(), 1};
  return face;
}

bool ScreenText::has(ImFont* font, char32_t c) const {
  auto& known = known_[font];
  if (auto found = known.find(c); found != known.end()) return found->second;
  const bool there = c <= IM_UNICODE_CODEPOINT_MAX && font->IsGlyphInFont(static_cast<ImWchar>(c));
  known[c] = there;
  if (!there) missing_.insert(c);
  return there;
}

std::string ScreenText::drawable(ImFont* font, std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    const std::string_view bytes = text.substr(start, at - start);
    const bool broken = c == 0xFFFD && bytes != "\xEF\xBF\xBD";
    if (!broken && has(font, c)) {
      out += bytes;
      continue;
    }
    char hex[16];
    if (broken)
      std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(bytes[0])));
    else
      std::snprintf(hex, sizeof hex, "U+%04X", static_cast<unsigned>(c));
    out += hex;
  }
  return out;
}

const Label* ScreenText::label(std::string_view text, float size, figures::Font font) const {
  if (text.size() > 4096 || !needs_shaping(text)) return nullptr;
  return &labels_.get(text, std::max(1, static_cast<int>(std::lround(size * scale_))), font, has_gl_);
}

float ScreenText::width(std::string_view text, float size, figures::Font font) const {
  if (text.empty()) return 0;
  if (const Label* shaped = label(text, size, font)) return shaped->width;
  const Face f = face(font);
  const float pixels = size * scale_ * f.em;
  if (is_ascii(text)) return f.font->CalcTextSizeA(pixels, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
  const std::string shown = drawable(f.font, text);
  return f.font->CalcTextSizeA(pixels, FLT_MAX, 0, shown.data(), shown.data() + shown.size()).x;
}

float ScreenText::line_height(float size, figures::Font font) const { return size * scale_ * face(font).em; }

void ScreenText::tell(const ImDrawList& list, ImVec2 low, ImVec2 high, std::string_view text, float size, figures::Font font,
                      float degrees, ImVec2 pivot) const {
  if (!drawn_) return;
  DrawnText one;
  one.text = text;
  one.size = size;
  one.font = font;
  one.low = low;
  one.high = high;
  one.clip_low = list.GetClipRectMin();
  one.clip_high = list.GetClipRectMax();
  one.degrees = degrees;
  one.pivot = pivot;
  one.shortened = shortened_.contains(one.text);
  const ImGuiWindow* window = GImGui->CurrentWindow;
  if (!window || window->DrawList != &list) {
    one.floats = true;
  } else {
    one.window = window->Name;
    one.floats = (window->RootWindow->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Modal)) != 0;
    for (const ImGuiWindow* w = window; w; w = (w->Flags & ImGuiWindowFlags_ChildWindow) ? w->ParentWindow : nullptr) {
      if (w->Flags & ImGuiWindowFlags_HorizontalScrollbar) one.scrolls.x = std::max(one.scrolls.x, w->ScrollMax.x);
      if (!(w->Flags & ImGuiWindowFlags_NoScrollbar)) one.scrolls.y = std::max(one.scrolls.y, w->ScrollMax.y);
    }
  }
  drawn_->push_back(std::move(one));
}

void ScreenText::draw(ImDrawList& list, ImVec2 at, std::string_view text, float size, figures::Font font, ImU32 color,
                      float degrees, ImVec2 pivot) const {
  if (drawn_) tell(list, at, {at.x + width(text, size, font), at.y + line_height(size, font)}, text, size, font, degrees, pivot);
  if (text.empty()) return;
  const float angle = -degrees * 3.14159265f / 180, cosine = std::cos(angle), sine = std::sin(angle);
  const auto turn = [&](ImVec2 p) {
    const float x = p.x - pivot.x, y = p.y - pivot.y;
    return ImVec2(pivot.x + x * cosine - y * sine, pivot.y + x * sine + y * cosine);
  };
  const Face f = face(font);
  const float pixels = size * scale_ * f.em;
  if (const Label* shaped = label(text, size, font)) {
    if (!shaped->texture.id()) return;
    const auto pad = static_cast<float>(shaped->pad);
    const float top = at.y + (pixels - shaped->height) / 2 - pad, left = at.x - pad;
    const auto w = static_cast<float>(shaped->texture.width()), h = static_cast<float>(shaped->texture.height());
    const ImVec2 a = degrees == 0 ? ImVec2(std::round(left), std::round(top)) : ImVec2(left, top);
    const ImVec2 corners[] = {a, {a.x + w, a.y}, {a.x + w, a.y + h}, {a.x, a.y + h}};
    const ImTextureRef texture(static_cast<ImTextureID>(shaped->texture.id()));
    if (degrees == 0)
      list.AddImage(texture, corners[0], corners[2], {0, 0}, {1, 1}, color);
    else
      list.AddImageQuad(texture, turn(corners[0]), turn(corners[1]), turn(corners[2]), turn(corners[3]), {0, 0}, {1, 0}, {1, 1},
                        {0, 1}, color);
    return;
  }
  const std::string shown = is_ascii(text) ? std::string(text) : drawable(f.font, text);
  if (degrees == 0) {
    list.AddText(f.font, pixels, at, color, shown.data(), shown.data() + shown.size());
    // What a person typed is written in the other font.
    if (font != figures::Font::mono)
      mark_terms(
          list, text, at, pixels, [&](std::string_view part) { return width(part, size, font); }, color, scale_);
    return;
  }
  // ImGui draws horizontal text and skips what is outside the clip rectangle before rotation. So the text is drawn unclipped,
  // then each corner is rotated.
  const int first = list.VtxBuffer.Size;
  f.font->RenderText(&list, pixels, at, color, ImVec4(-1e6f, -1e6f, 1e6f, 1e6f), shown.data(), shown.data() + shown.size());
  for (int i = first; i < list.VtxBuffer.Size; ++i) list.VtxBuffer[i].pos = turn(list.VtxBuffer[i].pos);
}

std::string ScreenText::fitted(std::string_view text, float size, figures::Font font, float max_width) const {
  if (max_width <= 0 || width(text, size, font) <= max_width) return std::string(text);
  std::vector<std::size_t> ends{0};
  for (std::size_t at = 0; at < text.size() && ends.size() < 512;) {
    next_code_point(text, at);
    ends.push_back(at);
  }
  const auto shortened = [&](std::size_t n) { return std::string(text.substr(0, ends[n])) + "\xE2\x80\xA6"; };
  std::size_t low = 0, high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (width(shortened(middle), size, font) <= max_width)
      low = middle;
    else
      high = middle - 1;
  }
  if (drawn_) shortened_.insert(shortened(low));
  return shortened(low);
}

}  // namespace headlight::gl
