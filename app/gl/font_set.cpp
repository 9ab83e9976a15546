#include "app/gl/font_set.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>

#include <memory>
#include <optional>
#include <utility>
#include FT_FREETYPE_H

#include "imgui.h"
#include "imgui_freetype.h"

namespace headlight::gl {
namespace {

constexpr float kReference = 16;  // sizes of merged fonts are relative to this

struct PatternDeleter {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
};
using Pattern = std::unique_ptr<FcPattern, PatternDeleter>;

Pattern pattern_of(std::initializer_list<const char*> families, int weight) {
  Pattern pattern(FcPatternCreate());
  for (const char* family : families) FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

struct Place {
  std::string file;
  int index = 0;
};
std::optional<Place> place_of(FcPattern* font) {
  FcChar8* file = nullptr;
  int index = 0;
  FcBool scalable = FcTrue, color = FcFalse;
  if (!font || FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch) return std::nullopt;
  FcPatternGetInteger(font, FC_INDEX, 0, &index);
  // Bitmap and colour fonts have fixed sizes; the atlas needs outlines.
  if (FcPatternGetBool(font, FC_SCALABLE, 0, &scalable) == FcResultMatch && !scalable) return std::nullopt;
  if (FcPatternGetBool(font, FC_COLOR, 0, &color) == FcResultMatch && color) return std::nullopt;
  return Place{reinterpret_cast<const char*>(file), index & 0xFFFF};
}

std::optional<float> em_of(const Place& place) {
  static const FT_Library library = [] {
    FT_Library made = nullptr;
    return FT_Init_FreeType(&made) == 0 ? made : nullptr;
  }();
  FT_Face face = nullptr;
  if (!library || FT_New_Face(library, place.file.c_str(), place.index, &face) != 0) return std::nullopt;
  const float em =
      face->units_per_EM > 0 ? static_cast<float>(face->ascender - face->descender) / static_cast<float>(face->units_per_EM) : 0;
  FT_Done_Face(face);
  if (em <= 0.2f) return std::nullopt;
  return em;
}

std::optional<Place> match(std::initializer_list<const char*> families, int weight) {
  const Pattern pattern = pattern_of(families, weight);
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, pattern.get(), &result));
  return place_of(found.get());
}

}  // namespace

ImFont* FontSet::add(const Face& face) {
  ImFontConfig config;
  config.SizePixels = kReference;
  config.FontNo = static_cast<ImU32>(face.index);
  config.Flags = ImFontFlags_NoLoadError;
  config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;  // hints heights only, so that letter distances do not change
  ImFont* font = ImGui::GetIO().Fonts->AddFontFromFileTTF(face.file.c_str(), kReference, &config);
  if (font) files_.push_back(face.file);
  return font;
}

void FontSet::merge(const Face& face, ImFont* into, float base_em) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  // Merging adds to the atlas's last font, so `into` is made the last one for a moment. Characters that were looked up and not
  // found are looked up again.
  int at = 0;
  while (at < atlas.Fonts.Size && atlas.Fonts[at] != into) ++at;
  if (at == atlas.Fonts.Size) return;
  std::swap(atlas.Fonts[at], atlas.Fonts[atlas.Fonts.Size - 1]);
  into->ClearOutputData();
  ImFontConfig config;
  config.MergeMode = true;
  config.FontNo = static_cast<ImU32>(face.index);
  config.Flags = ImFontFlags_NoLoadError;
  config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;  // hints heights only, so that letter distances do not change
  config.SizePixels = kReference * face.em / base_em;
  atlas.AddFontFromFileTTF(face.file.c_str(), config.SizePixels, &config);
  std::swap(atlas.Fonts[at], atlas.Fonts[atlas.Fonts.Size - 1]);
}

void FontSet::load(bool use_system) {
  use_system_ = use_system;
  const auto base = [&](std::initializer_list<const char*> families, int weight, ImFont*& font, float& em) {
    if (!use_system) return;
    const std::optional<Place> place = match(families, weight);
    const std::optional<float> size = place ? em_of(*place) : std::nullopt;
    if (!size) return;
    font = add({place->file, place->index, *size});
    em = *size;
  };
  base({"Inter", "Noto Sans", "DejaVu Sans", "sans-serif"}, FC_WEIGHT_REGULAR, fonts_.words, fonts_.words_em);
  base({"Inter", "Noto Sans", "DejaVu Sans", "sans-serif"}, FC_WEIGHT_DEMIBOLD, fonts_.words_bold, fonts_.words_bold_em);
  base({"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "monospace"}, FC_WEIGHT_REGULAR, fonts_.mono, fonts_.mono_em);
  if (!fonts_.words) {
    fonts_.words = ImGui::GetIO().Fonts->AddFontDefault();
    fonts_.words_em = 1;
    if (use_system)
      message_ = Message("no font was found on this system: the built-in one is used; install fonts-inter and fonts-noto-core");
  }
  if (!fonts_.words_bold) {
    fonts_.words_bold = fonts_.words;
    fonts_.words_bold_em = fonts_.words_em;
  }
  if (!fonts_.mono) {
    fonts_.mono = fonts_.words;
    fonts_.mono_em = fonts_.words_em;
  }
}

bool FontSet::cover(const std::set<char32_t>& characters) {
  if (!use_system_) return false;
  std::set<char32_t> wanted;
  for (const char32_t c : characters)
    if (!hopeless_.contains(c)) wanted.insert(c);
  if (wanted.empty()) return false;
  const Pattern pattern =
      pattern_of({"Inter", "Noto Sans", "Noto Sans CJK SC", "Symbola", "DejaVu Sans", "sans-serif"}, FC_WEIGHT_REGULAR);
  FcResult result = FcResultNoMatch;
  FcFontSet* sorted = FcFontSort(nullptr, pattern.get(), FcFalse, nullptr, &result);
  bool added = false;
  for (int i = 0; sorted && i < sorted->nfont && !wanted.empty(); ++i) {
    FcCharSet* covered = nullptr;
    if (FcPatternGetCharSet(sorted->fonts[i], FC_CHARSET, 0, &covered) != FcResultMatch) continue;
    std::set<char32_t> gained;
    for (const char32_t c : wanted)
      if (FcCharSetHasChar(covered, static_cast<FcChar32>(c))) gained.insert(c);
    if (gained.empty()) continue;
    const std::optional<Place> place = place_of(sorted->fonts[i]);
    const std::optional<float> em = place ? em_of(*place) : std::nullopt;
    if (!em) continue;
    const std::pair<ImFont*, float> targets[] = {
        {fonts_.words, fonts_.words_em}, {fonts_.words_bold, fonts_.words_bold_em}, {fonts_.mono, fonts_.mono_em}};
    std::set<ImFont*> done;
    for (const auto& [font, base_em] : targets) {
      if (!done.insert(font).second) continue;
      bool lacks = false;
      for (const char32_t c : gained) lacks = lacks || !font->IsGlyphInFont(static_cast<ImWchar>(c));
      if (lacks) merge({place->file, place->index, *em}, font, base_em);
    }
    files_.push_back(place->file);
    for (const char32_t c : gained) wanted.erase(c);
    added = true;
  }
  if (sorted) FcFontSetDestroy(sorted);
  hopeless_.insert(wanted.begin(), wanted.end());
  return added;
}

}  // namespace headlight::gl
