#include "app/export/figure_text.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "app/figures/base/theme.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

struct FreeObject {
  void operator()(void* object) const { g_object_unref(object); }
};
using TextContext = std::unique_ptr<PangoContext, FreeObject>;
using Layout = std::unique_ptr<PangoLayout, FreeObject>;

// Pango finds every other script through fontconfig; DejaVu is the last resort for these.
std::string pango_families(Font font, const std::string& family) {
  return (family.empty() ? "" : family + ",") + (font == Font::mono ? "JetBrains Mono,Noto Sans Mono,DejaVu Sans Mono,monospace"
                                                                    : "Inter,Noto Sans,DejaVu Sans,sans-serif");
}

bool is_generic(const std::string& family) { return family == "serif" || family == "sans-serif" || family == "monospace"; }

bool same_words(const std::string& a, const std::string& b) {
  return a.size() == b.size() && g_ascii_strcasecmp(a.c_str(), b.c_str()) == 0;
}

void append_utf8(std::string& out, char32_t c) {
  char bytes[6];
  out.append(bytes, static_cast<std::size_t>(g_unichar_to_utf8(c, bytes)));
}

// No hinting: text looks the same at every size, and its width is exactly proportional to the size.
void plain_options(PangoContext* context) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(context, FALSE);
}

PangoFontDescription* description(float size, Font font, const std::string& family) {
  PangoFontDescription* d = pango_font_description_new();
  pango_font_description_set_family(d, pango_families(font, family).c_str());
  if (font == Font::words_bold) pango_font_description_set_weight(d, PANGO_WEIGHT_SEMIBOLD);
  pango_font_description_set_absolute_size(d, static_cast<double>(size) * PANGO_SCALE);
  return d;
}

Layout layout_of(PangoContext* context, const std::string& text, float size, Font font, const std::string& family) {
  Layout layout(pango_layout_new(context));
  PangoFontDescription* d = description(size, font, family);
  pango_layout_set_font_description(layout.get(), d);
  pango_font_description_free(d);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

bool is_right_to_left(const PangoGlyphItem& item) { return item.item->analysis.level % 2 == 1; }

bool has_right_to_left(const PangoLayoutLine* line) {
  for (const GSList* run = line->runs; run; run = run->next)
    if (is_right_to_left(*static_cast<const PangoGlyphItem*>(run->data))) return true;
  return false;
}

// A run from right to left, as one cluster after the other from the left on, each with its own text. Readers of PDF take letters
// for one word if each begins where the last one ended, and turn such words around themselves. Cairo would write the clusters
// from the right on: readers then find words that are cut into letters.
void draw_run_for_search(cairo_t* cairo, PangoGlyphItem* item, const char* text, double x, double baseline) {
  const PangoGlyphString* const string = item->glyphs;
  std::vector<cairo_glyph_t> glyphs;
  double at = x;
  for (int i = 0; i < string->num_glyphs; ++i) {
    const PangoGlyphInfo& glyph = string->glyphs[i];
    if (glyph.glyph & PANGO_GLYPH_UNKNOWN_FLAG) {  // Pango draws its code as a box
      cairo_move_to(cairo, x, baseline);
      return pango_cairo_show_glyph_item(cairo, text, item);
    }
    glyphs.push_back({glyph.glyph, at + static_cast<double>(glyph.geometry.x_offset) / PANGO_SCALE,
                      baseline + static_cast<double>(glyph.geometry.y_offset) / PANGO_SCALE});
    at += static_cast<double>(glyph.geometry.width) / PANGO_SCALE;
  }
  auto* const font = reinterpret_cast<PangoCairoFont*>(item->item->analysis.font);
  cairo_set_scaled_font(cairo, pango_cairo_font_get_scaled_font(font));
  PangoGlyphItemIter cluster;
  for (gboolean more = pango_glyph_item_iter_init_end(&cluster, item, text); more;
       more = pango_glyph_item_iter_prev_cluster(&cluster)) {
    // From right to left the first glyph of a cluster is its last one in the string.
    const int first = std::min(cluster.start_glyph, cluster.end_glyph + 1),
              end = std::max(cluster.start_glyph + 1, cluster.end_glyph);
    std::vector<cairo_glyph_t> own;
    for (int i = first; i < end; ++i)
      if (glyphs[static_cast<std::size_t>(i)].index != PANGO_GLYPH_EMPTY) own.push_back(glyphs[static_cast<std::size_t>(i)]);
    const int bytes = cluster.end_index - cluster.start_index;
    if (own.empty()) continue;
    const cairo_text_cluster_t whole{bytes, static_cast<int>(own.size())};
    cairo_show_text_glyphs(cairo, text + cluster.start_index, bytes, own.data(), static_cast<int>(own.size()), &whole, 1,
                           static_cast<cairo_text_cluster_flags_t>(0));
  }
}

void draw_for_search(cairo_t* cairo, PangoLayoutLine* line, const char* text, double x, double baseline) {
  for (GSList* run = line->runs; run; run = run->next) {  // from left to right
    auto* const item = static_cast<PangoGlyphItem*>(run->data);
    if (is_right_to_left(*item)) {
      draw_run_for_search(cairo, item, text, x, baseline);
    } else {
      cairo_move_to(cairo, x, baseline);
      pango_cairo_show_glyph_item(cairo, text, item);
    }
    x += static_cast<double>(pango_glyph_string_get_width(item->glyphs)) / PANGO_SCALE;
  }
}

}  // namespace

std::string css_families(Font font, const std::string& family) {
  const std::string own = family.empty() ? "" : (is_generic(family) ? family : "'" + family + "'") + ", ";
  return own + (font == Font::mono ? "'JetBrains Mono', 'Noto Sans Mono', 'DejaVu Sans Mono', monospace"
                                   : "Inter, 'Noto Sans', 'DejaVu Sans', sans-serif");
}

std::vector<std::string> installed_families() {
  PangoFontFamily** families = nullptr;
  int count = 0;
  pango_font_map_list_families(pango_cairo_font_map_get_default(), &families, &count);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(pango_font_family_get_name(families[i]));
  g_free(families);
  sort_stably(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool has_family(const std::string& family) {
  if (is_generic(family)) return true;
  const std::vector<std::string> all = installed_families();
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return same_words(one, family); });
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const gunichar c = g_utf8_get_char_validated(text.data(), static_cast<gssize>(text.size()));
    if (c == static_cast<gunichar>(-1) || c == static_cast<gunichar>(-2) || c == 0) {
      // g_utf8_get_char_validated returns -2 for a NUL, too.
      append_utf8(out, text.front() == '\0' ? 0x2400 : 0xfffd);
      text.remove_prefix(1);
      continue;
    }
    const std::size_t size = static_cast<std::size_t>(g_utf8_next_char(text.data()) - text.data());
    if (c < 0x20) {
      append_utf8(out, 0x2400 + c);
    } else if (c == 0x7f) {
      append_utf8(out, 0x2421);
    } else if ((c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfffe || c == 0xffff) {
      append_utf8(out, 0xfffd);
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return out;
}

struct FigureText::State {
  TextContext context;
  std::string family;
  // Layouts measure the same labels several times. The cache is cleared completely when it becomes large.
  std::unordered_map<std::string, float> widths;
  struct Metrics {
    float ascent = 0, height = 0;
  };
  std::unordered_map<std::string, Metrics> metrics;

  static std::string key(float size, Font font) { return std::to_string(size) + static_cast<char>('0' + static_cast<int>(font)); }

  Metrics of(float size, Font font) {
    const std::string k = key(size, font);
    if (auto found = metrics.find(k); found != metrics.end()) return found->second;
    PangoFontDescription* d = description(size, font, family);
    // Metrics of the first family alone; those of the whole list would be those of its tallest font.
    PangoFont* loaded = pango_context_load_font(context.get(), d);
    Metrics m{size, size * 1.25f};
    if (loaded) {
      PangoFontMetrics* known = pango_font_get_metrics(loaded, nullptr);
      m.ascent = static_cast<float>(pango_font_metrics_get_ascent(known)) / PANGO_SCALE;
      m.height = m.ascent + static_cast<float>(pango_font_metrics_get_descent(known)) / PANGO_SCALE;
      pango_font_metrics_unref(known);
      g_object_unref(loaded);
    }
    pango_font_description_free(d);
    return metrics[k] = m;
  }
};

FigureText::FigureText(const std::string& family) : state_(std::make_unique<State>()) {
  state_->family = family;
  state_->context.reset(pango_font_map_create_context(pango_cairo_font_map_get_default()));
  plain_options(state_->context.get());
}
FigureText::~FigureText() = default;

float FigureText::width(std::string_view text, float size, Font font) const {
  if (text.empty()) return 0;
  std::string key = State::key(size, font);
  key += text;
  if (auto found = state_->widths.find(key); found != state_->widths.end()) return found->second;
  const Layout layout = layout_of(state_->context.get(), printable(text), size, font, state_->family);
  int w = 0;
  pango_layout_get_size(layout.get(), &w, nullptr);
  if (state_->widths.size() > 20000) state_->widths.clear();
  return state_->widths[key] = static_cast<float>(w) / PANGO_SCALE;
}

float FigureText::line_height(float size, Font font) const { return state_->of(size, font).height; }
float FigureText::ascent(float size, Font font) const { return state_->of(size, font).ascent; }

std::string FigureText::fitted(std::string_view text, float size, Font font, float most) const {
  std::string whole = printable(text);
  // Tolerates half a point, so that rounding does not cut off a letter.
  if (most <= 0 || width(whole, size, font) <= most + 0.5f) return whole;
  const Layout layout = layout_of(state_->context.get(), whole, size, font, state_->family);
  int count = 0;
  const PangoLogAttr* marks = pango_layout_get_log_attrs_readonly(layout.get(), &count);
  std::vector<std::size_t> ends;  // byte positions behind whole graphemes
  const char* p = whole.data();
  for (int i = 0; i < count; ++i) {
    if (i > 0 && marks[i].is_cursor_position) ends.push_back(static_cast<std::size_t>(p - whole.data()));
    if (i + 1 < count) p = g_utf8_next_char(p);
  }
  // Finds the longest beginning that fits by bisection; longer beginnings are wider.
  std::size_t low = 0, high = ends.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (width(whole.substr(0, ends[middle - 1]) + "…", size, font) <= most) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return (low == 0 ? std::string() : whole.substr(0, ends[low - 1])) + "…";
}

void FigureText::draw(cairo_t* cairo, std::string_view text, float size, Font font, double x, double baseline) const {
  const TextContext context(pango_cairo_create_context(cairo));
  plain_options(context.get());
  const Layout layout = layout_of(context.get(), printable(text), size, font, state_->family);
  PangoLayoutLine* line = pango_layout_get_line_readonly(layout.get(), 0);
  if (cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_PDF && has_right_to_left(line))
    return draw_for_search(cairo, line, pango_layout_get_text(layout.get()), x, baseline);
  cairo_move_to(cairo, x, baseline);
  pango_cairo_show_layout_line(cairo, line);
}

}  // namespace headlight::figures
