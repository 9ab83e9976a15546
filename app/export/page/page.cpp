#include "app/export/page/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "app/export/page/page_words.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/base/theme.h"
#include "app/text/language.h"
#include "engine/checkpoints/sha256.h"
#include "engine/core/base64.h"
#include "engine/core/files.h"
#include "engine/core/float16.h"
#include "engine/core/json.h"
#include "engine/text/markup.h"

namespace headlight::page {
namespace {

constexpr std::int64_t kMostCells = 48'000'000;   // of a page
constexpr std::int64_t kMostFloat16 = 6'000'000;  // more cells take a byte each
constexpr float kLargestFloat16 = 65504;
constexpr std::uint64_t kMostModule = 1 << 20;

// In the order in which they need each other.
constexpr std::array kModules = {"numbers.js", "state.js", "words.js", "colours.js", "paint.js", "picture.js", "arcs.js",
                                 "table.js",   "spine.js", "chips.js", "finding.js", "next.js",  "keys.js",    "page.js"};

std::string rgb_digits(const figures::Color& color) {
  const auto channel = [](float x) { return static_cast<unsigned>(std::lround(std::clamp(x, 0.0f, 1.0f) * 255)); };
  char text[8];
  std::snprintf(text, sizeof text, "%02x%02x%02x", channel(color.r), channel(color.g), channel(color.b));
  return text;
}

Json theme_json(const figures::Theme& t) {
  Json json = Json::object();
  const std::pair<const char*, const figures::Color*> colours[] = {{"background", &t.background},
                                                                   {"panel", &t.panel},
                                                                   {"raised", &t.raised},
                                                                   {"line", &t.line},
                                                                   {"text", &t.text},
                                                                   {"secondary", &t.secondary},
                                                                   {"faint", &t.faint},
                                                                   {"selected", &t.selected},
                                                                   {"info", &t.info},
                                                                   {"good", &t.good},
                                                                   {"wrong", &t.wrong},
                                                                   {"signed_low", &t.signed_low},
                                                                   {"signed_middle", &t.signed_middle},
                                                                   {"signed_high", &t.signed_high},
                                                                   {"masked", &t.masked},
                                                                   {"masked_hatch", &t.masked_hatch}};
  for (const auto& [name, colour] : colours) json[name] = rgb_digits(*colour);
  Json hues = Json::array();
  for (const figures::Color& hue : t.hues) hues.push_back(rgb_digits(hue));
  json["hues"] = hues;
  return json;
}

// JSON inside a script element: no markup can end the element.
std::string inside_script(const std::string& json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : c == '>' ? std::string("\\u003e") : std::string(1, c);
  return out;
}

// --- the maps, packed

// "all", "causal", or base64 of one bit a cell.
std::string mask_text(const Tensor& mask, std::int64_t rows, std::int64_t columns) {
  if (mask.empty()) return "all";
  const auto cells = mask.values<std::uint8_t>();
  bool all = true, causal = true;
  std::string bits((cells.size() + 7) / 8, '\0');
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto i = static_cast<std::size_t>(r * columns + c);
      const bool sees = cells[i] != 0;
      all = all && sees;
      causal = causal && sees == (c <= r);
      if (sees) bits[i / 8] = static_cast<char>(static_cast<unsigned char>(bits[i / 8]) | 1u << (i % 8));
    }
  return all ? "all" : causal ? "causal" : to_base64(bits);
}

enum class Packing { bytes, float16, float32 };

struct Packed {
  Json json = Json::object();
  double rounding = 0;
  Packing packing = Packing::float16;
};

class Packer {
 public:
  explicit Packer(Packing packing) : packing_(packing) {}

  void add(const Map& map) {
    const auto values = map.values.values<float>();
    float largest = 0;
    for (const float value : values)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    if (packing_ == Packing::bytes) largest_.push_back(Json(static_cast<double>(largest)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!map.mask.empty() && map.mask.values<std::uint8_t>()[i] == 0) continue;
      put(values[i], largest);
    }
    const std::string mask = mask_text(map.mask, map.values.dim(0), map.values.dim(1));
    const auto known = std::find(masks_.begin(), masks_.end(), mask);
    mask_of_.push_back(Json(static_cast<std::int64_t>(known - masks_.begin())));
    if (known == masks_.end()) masks_.push_back(mask);
  }

  Packed finish() {
    Packed packed;
    packed.packing = packing_;
    packed.rounding = rounding_;
    packed.json["kind"] = packing_ == Packing::bytes ? "bytes" : packing_ == Packing::float16 ? "float16" : "float32";
    packed.json["masks"] = Json(masks_);
    if (masks_.size() > 1) packed.json["mask_of"] = mask_of_;
    if (packing_ == Packing::bytes) packed.json["largest"] = largest_;
    packed.json["data"] = to_base64(bytes_);
    return packed;
  }

 private:
  void put(float value, float largest) {
    double kept = 0;
    if (packing_ == Packing::bytes) {
      const auto byte = largest > 0 ? static_cast<unsigned>(std::lround(value / largest * 255)) : 0u;
      bytes_ += static_cast<char>(byte);
      kept = byte / 255.0 * static_cast<double>(largest);
    } else if (packing_ == Packing::float16) {
      const std::uint16_t bits = to_float16(value);
      bytes_ += static_cast<char>(bits & 255);
      bytes_ += static_cast<char>(bits >> 8);
      kept = static_cast<double>(from_float16(bits));
    } else {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);  // little-endian, as this machine is
      kept = static_cast<double>(value);
    }
    if (std::isfinite(value)) rounding_ = std::max(rounding_, std::abs(kept - static_cast<double>(value)));
  }

  const Packing packing_;
  std::string bytes_;
  std::vector<std::string> masks_;
  Json mask_of_ = Json::array(), largest_ = Json::array();
  double rounding_ = 0;
};

// The least and the largest of all cells that may be looked at, and whether bytes can hold them.
struct CellLimits {
  float low = 0, high = 0;
  bool bytes = true;
};
Result<CellLimits> span_of(const Attention& attention, const CancelToken& cancel) {
  CellLimits span;
  for (std::int64_t layer = 0; layer < attention.layers; ++layer)
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Map map, attention.map(layer, head));
      for (const float value : map.values.values<float>()) {
        if (!std::isfinite(value)) {
          span.bytes = false;
          continue;
        }
        span.low = std::min(span.low, value);
        span.high = std::max(span.high, value);
      }
    }
  span.bytes = span.bytes && span.low >= 0;
  return span;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  const std::string said = text;
  return said.starts_with("0.") ? said.substr(1) : said;
}

std::string packing_words(const Packed& packed) {
  if (packed.packing == Packing::float32) return tr("numbers kept as float32, as they were");
  return fill(packed.packing == Packing::bytes ? tr("weights kept in 8 bits, each within {}")
                                               : tr("weights kept as float16, each within {}"),
              {short_number(packed.rounding)});
}

struct Budget {
  std::int64_t cells = 0;
  const PageOptions& options;
  std::int64_t done = 0;
};

Result<Json> attention_json(const Attention& a, Budget& budget) {
  const PageOptions& options = budget.options;
  // Weights lie between 0 and 1; all are looked at beforehand only where bytes, which have no NaN, are to hold them.
  const bool short_of_room = options.numbers == "bytes" || (options.numbers.empty() && budget.cells > kMostFloat16);
  CellLimits span{0, 1, true};
  if (!a.weights || short_of_room) {
    HL_ASSIGN(span, span_of(a, options.cancel));
  }
  Packing packing = short_of_room && span.bytes ? Packing::bytes : Packing::float16;
  if (std::max(std::abs(span.low), std::abs(span.high)) > kLargestFloat16) packing = Packing::float32;
  Packer packer(packing);
  figures::NonFiniteCount count;
  for (std::int64_t layer = 0; layer < a.layers; ++layer)
    for (std::int64_t head = 0; head < a.heads; ++head) {
      if (options.cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Map map, a.map(layer, head));
      packer.add(map);
      count.add(map.values, map.mask);
      budget.done += a.rows * a.columns;
      if (options.progress) options.progress(static_cast<double>(budget.done) / static_cast<double>(budget.cells));
    }
  Packed packed = packer.finish();
  std::vector<std::string> facts{packing_words(packed)};
  for (figures::NonFiniteCount::Line& line : count.lines()) facts.push_back(std::move(line.words));
  const bool is_signed = span.low < 0;
  const double most = static_cast<double>(std::max(std::abs(span.low), std::abs(span.high)));
  Json roles = Json::array();
  for (const Role& role : a.roles)
    roles.push_back(Json::object(
        {{"layer", role.layer}, {"head", role.head}, {"name", role.name}, {"hue", role.hue}, {"score", role.score}}));
  Json json = Json::object({{"name", a.name},
                            {"layers", a.layers},
                            {"heads", a.heads},
                            {"key_heads", a.key_heads},
                            {"rows", a.rows},
                            {"columns", a.columns},
                            {"rows_of", static_cast<std::int64_t>(a.rows_of)},
                            {"columns_of", static_cast<std::int64_t>(a.columns_of)},
                            {"writes", a.writes},
                            {"guess", a.guess},
                            {"sums", a.weights},
                            {"is_signed", is_signed},
                            {"roles", roles},
                            {"roles_from", a.roles_from},
                            {"facts", Json(facts)}});
  json["range"] = Json::array({Json(is_signed ? -most : 0.0), Json(a.weights || most == 0 ? 1.0 : most)});
  json.update(packed.json);
  return json;
}

Json text_json(const Text& text) {
  Json joins = Json::array();
  for (std::size_t i = 0; i < text.pieces.size(); ++i) joins.push_back(Json(i < text.joins.size() && text.joins[i] ? 1 : 0));
  Json json = Json::object({{"pieces", Json(text.pieces)}, {"joins", joins}, {"words", Json(text.words)}});
  if (!text.ids.empty()) json["ids"] = Json(text.ids);
  return json;
}

Json lens_json(const Lens& lens) {
  std::vector<std::string> pieces;
  std::map<std::string, std::int64_t> known;
  Json tokens = Json::array(), shares = Json::array();
  for (const std::string& token : lens.tokens) {
    const auto [at, is_new] = known.try_emplace(token, static_cast<std::int64_t>(pieces.size()));
    if (is_new) pieces.push_back(token);
    tokens.push_back(Json(at->second));
  }
  for (const double share : lens.shares) shares.push_back(Json(std::round(share * 10000) / 10000));
  return Json::object({{"of", static_cast<std::int64_t>(lens.of)},
                       {"rows", lens.rows},
                       {"positions", lens.positions},
                       {"pieces", Json(pieces)},
                       {"tokens", tokens},
                       {"shares", shares}});
}

Result<Json> run_json(const Run& run, Budget& budget) {
  Json texts = Json::array(), sites = Json::array();
  for (const Text& text : run.texts) texts.push_back(text_json(text));
  for (const Attention& attention : run.attentions) {
    HL_ASSIGN(Json site, attention_json(attention, budget));
    sites.push_back(std::move(site));
  }
  Json json = Json::object({{"name", run.name},
                            {"title", run.title},
                            {"model", run.model},
                            {"origin", run.origin},
                            {"origin_words", run.badge},
                            {"texts", texts},
                            {"sites", sites},
                            {"facts", Json(run.facts)}});
  if (run.next) {
    Json best = Json::array();
    for (const auto& [piece, share] : run.next->best) best.push_back(Json::array({Json(piece), Json(share)}));
    json["next"] = Json::object({{"after", run.next->after}, {"best", best}, {"others", run.next->others}});
  }
  if (run.lens) json["lens"] = lens_json(*run.lens);
  return json;
}

// The word that a piece is in.
std::int64_t word_of(const Text& text, std::int64_t piece) {
  std::int64_t word = 0;
  for (std::int64_t i = 1; i <= piece && i < static_cast<std::int64_t>(text.joins.size()); ++i)
    word += !text.joins[static_cast<std::size_t>(i)];
  return word;
}

Json start_json(const std::vector<Run>& runs, const PageOptions& options) {
  Json start = Json::object(
      {{"layer", options.layer}, {"head", options.head}, {"picture", options.picture}, {"written", options.written}});
  start["run"] = static_cast<std::int64_t>(std::min(options.run, runs.size() - 1));
  start["look"] = options.theme.starts_with("dark") || options.theme == "contrast" ? "dark"
                  : options.theme.empty()                                          ? "auto"
                                                                                   : "light";
  const Run& run = runs[std::min(options.run, runs.size() - 1)];
  std::size_t site = 0;
  for (std::size_t i = 0; i < run.attentions.size(); ++i)
    if (run.attentions[i].kind == options.kind) start["site"] = static_cast<std::int64_t>(site = i);
  if (options.words) start["words"] = true;
  if (options.row >= 0 && options.column >= 0) {
    const Attention& shown = run.attentions[site];
    start["row"] = options.words ? word_of(run.texts[shown.rows_of], options.row) : options.row;
    start["column"] = options.words ? word_of(run.texts[shown.columns_of], options.column) : options.column;
    start["pinned"] = true;
  }
  return start;
}

Json words_json() {
  Json words = Json::object();
  if (!spoken_language()) return words;
  for (const char* text : page_words()) words[text] = tr(text);
  return words;
}

// --- the file

// The modules as one: their imports name functions that then stand beside them.
Result<std::string> script() {
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  std::string all;
  for (const char* name : kModules) {
    HL_ASSIGN(const std::string text, read_file(assets / "page" / name, kMostModule));
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
      std::string_view line = std::string_view(text).substr(at, end + 1 - at);
      at = end + 1;
      if (line.starts_with("import ")) continue;
      if (line.starts_with("export ")) line.remove_prefix(7);
      all += line;
    }
  }
  return all;
}

// Content-Security-Policy's name of a script: no other one runs in the page.
std::string script_hash(std::string_view text) {
  checkpoints::Sha256 sha;
  sha.add(text);
  const std::string digits = sha.hex();
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return "sha256-" + to_base64(bytes);
}

// @NAME@ in the template, each once.
std::string filled_page(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find('@', at), end = begin == std::string::npos ? begin : text.find('@', begin + 1);
    const auto found = end == std::string::npos ? values.end() : values.find(text.substr(begin + 1, end - begin - 1));
    if (found == values.end()) {
      const std::size_t next = begin == std::string::npos ? text.size() : begin + 1;
      out += text.substr(at, next - at);
      at = next;
      continue;
    }
    out += text.substr(at, begin - at);
    out += found->second;
    at = end + 1;
  }
  return out;
}

}  // namespace

Result<std::string> page_html(const std::vector<Run>& runs, const PageOptions& options) {
  Budget budget{0, options};
  for (const Run& run : runs)
    for (const Attention& a : run.attentions) budget.cells += a.layers * a.heads * a.rows * a.columns;
  if (budget.cells > kMostCells)
    return failure(ErrorKind::too_large,
                   "the page would have to carry {} weights, more than the {} that a browser still shows quickly", budget.cells,
                   kMostCells)
        .at("--out")
        .mend("give a shorter text, or export single layers as pictures");
  const figures::Colormap* map = figures::colormaps().find(options.colormap);
  if (!map || map->is_signed) map = figures::colormaps().find("viridis");
  const figures::Theme& dark = *figures::themes().find("dark");
  std::string colors;
  for (int i = 0; i < 256; ++i) colors += rgb_digits(map->at(static_cast<float>(i) / 255, dark));

  Json data = Json::object();
  Json themes = Json::object();
  for (const figures::Theme& theme : figures::themes().entries()) themes[theme.id] = theme_json(theme);
  data["themes"] = themes;
  data["colors"] = colors;
  data["not_finite"] = Json::object({{"nan", rgb_digits(figures::color_of(figures::NonFinite::nan))},
                                     {"plus", rgb_digits(figures::color_of(figures::NonFinite::plus))},
                                     {"minus", rgb_digits(figures::color_of(figures::NonFinite::minus))}});
  data["words"] = words_json();
  data["start"] = start_json(runs, options);
  data["facts"] = Json::array({Json(fill(tr("made with Headlight {}"), {options.version}) +
                                    (options.document.empty() ? "" : std::string("; ") + tr("opens again in it"))),
                               Json(tr("one file, no network"))});
  Json list = Json::array();
  for (const Run& run : runs) {
    HL_ASSIGN(Json one, run_json(run, budget));
    list.push_back(std::move(one));
  }
  data["runs"] = std::move(list);

  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  HL_ASSIGN(const std::string html, read_file(assets / "page" / "page.html", kMostModule));
  HL_ASSIGN(const std::string style, read_file(assets / "page" / "page.css", kMostModule));
  HL_ASSIGN(const std::string code, script());
  const std::string inside = "\n" + code;
  const std::string& title = runs.front().title;
  return filled_page(
      html, {{"LANGUAGE", text::escaped_markup(options.language)},
             {"VERSION", text::escaped_markup(options.version)},
             {"HASH", script_hash(inside)},
             {"TITLE", text::escaped_markup(title.empty() ? "Headlight" : title)},
             {"STYLE", style},
             {"NO_SCRIPT", text::escaped_markup(title + ". " +
                                                tr("This page computes its pictures from the numbers in it: allow its script."))},
             {"DATA", inside_script(data.dump())},
             {"DOCUMENT", inside_script(options.document.empty() ? "null" : options.document)},
             {"SCRIPT", code}});
}

Status save_page(const std::filesystem::path& path, const std::vector<Run>& runs, const PageOptions& options) {
  HL_ASSIGN(const std::string html, page_html(runs, options));
  return write_file(path, html);
}

}  // namespace headlight::page
