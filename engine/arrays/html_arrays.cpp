#include "engine/arrays/html_arrays.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/core/base64.h"
#include "engine/core/float16.h"
#include "engine/core/json.h"

namespace headlight::arrays {
namespace {

constexpr std::string_view kData = "<script type=\"application/json\" id=\"data\">", kShownSpace = "\xc2\xb7",
                           kDocument = "<script type=\"application/json\" id=\"headlight-document\">";

// The text of a script element that holds JSON, in which no < stands as itself; empty: there is none.
std::string_view element(std::string_view html, std::string_view tag) {
  const std::size_t begin = html.find(tag);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = html.find("</script>", begin);
  return end == std::string_view::npos ? std::string_view() : html.substr(begin + tag.size(), end - begin - tag.size());
}

Failure contradicts(const File& file, const Message& what) {
  return invalid("is no page that Headlight wrote: {}", what).at(file.where).mend("export the page again");
}

// A whole number of the data, 1 or more; 0: it is none.
std::int64_t size_in(const Json& site, const char* key) {
  const Json& number = site[key];
  return number.is_integer() && number.integer() > 0 && number.integer() <= kMostPageCells ? number.integer() : 0;
}
// An index below `count`; -1: it is none.
std::int64_t index_in(const Json& json, std::int64_t count) {
  return json.is_integer() && json.integer() >= 0 && json.integer() < count ? json.integer() : -1;
}

// Which cells may be looked at: "all", "causal", or one bit a cell, row by row, the lowest bit first. Empty: the bits are
// damaged.
std::vector<bool> seen_cells(const std::string& mask, std::int64_t rows, std::int64_t columns) {
  std::vector<bool> seen(static_cast<std::size_t>(rows * columns), true);
  if (mask == "all") return seen;
  if (mask == "causal") {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = r + 1; c < columns; ++c) seen[static_cast<std::size_t>(r * columns + c)] = false;
    return seen;
  }
  const auto bits = from_base64(mask);
  if (!bits || bits->size() != (seen.size() + 7) / 8) return {};
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = (static_cast<unsigned char>((*bits)[i / 8]) >> (i % 8) & 1) != 0;
  return seen;
}

// How a page keeps its numbers.
struct Packing {
  std::size_t size = 0;  // bytes of a number; 0: unknown
  float (*number)(const char* bytes, float largest) = nullptr;
};
Packing packing_of(const Json& kind) {
  const std::string name = kind.is_string() ? kind.string() : std::string();
  if (name == "bytes")
    return {1, [](const char* at, float largest) { return static_cast<float>(static_cast<unsigned char>(*at)) / 255 * largest; }};
  if (name == "float16")
    return {2, [](const char* at, float) {
              return from_float16(static_cast<std::uint16_t>(static_cast<unsigned char>(at[0]) |
                                                             static_cast<unsigned>(static_cast<unsigned char>(at[1])) << 8));
            }};
  if (name == "float32")
    return {4, [](const char* at, float) {
              std::uint32_t bits = 0;
              for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(at[i]);
              return std::bit_cast<float>(bits);
            }};
  return {};
}

// One kind of attention, [layer, head, query, key].
Status add_site(const Json& site, const std::string& name, bool weights, std::int64_t& budget, File& file) {
  const std::int64_t layers = size_in(site, "layers"), heads = size_in(site, "heads"), rows = size_in(site, "rows"),
                     columns = size_in(site, "columns");
  std::int64_t cells = 1;
  for (const std::int64_t size : {layers, heads, rows, columns}) {
    if (size == 0) return contradicts(file, Message("it does not say how many layers, heads, rows and columns '{}' has", name));
    if (cells > budget / size)
      return failure(ErrorKind::too_large, "has more than {} numbers, the most that are read of a page", kMostPageCells)
          .at(file.where)
          .mend("save the arrays with numpy.savez");
    cells *= size;
  }
  budget -= cells;
  const Packing packing = packing_of(site["kind"]);
  if (packing.size == 0 || !site["data"].is_string() || !site["masks"].is_array() || site["masks"].empty())
    return contradicts(file, Message("'{}' has no numbers that are read here", name));
  const auto data = from_base64(site["data"].string());
  if (!data) return contradicts(file, Message("the numbers of '{}' are damaged", name));
  std::vector<std::vector<bool>> masks;
  for (const Json& mask : site["masks"].elements()) {
    if (static_cast<std::int64_t>(masks.size()) >= layers * heads)
      return contradicts(file, Message("'{}' has more masks than heads", name));
    masks.push_back(mask.is_string() ? seen_cells(mask.string(), rows, columns) : std::vector<bool>());
    if (masks.back().empty()) return contradicts(file, Message("a mask of '{}' is damaged", name));
  }
  const bool bytes = packing.size == 1;
  const auto maps = static_cast<std::size_t>(layers * heads);
  if ((masks.size() > 1 && (!site["mask_of"].is_array() || site["mask_of"].size() != maps)) ||
      (bytes && (!site["largest"].is_array() || site["largest"].size() != maps)))
    return contradicts(file, Message("'{}' does not say for each head what its numbers are", name));
  const auto numbers = std::make_shared<std::vector<float>>();
  numbers->reserve(static_cast<std::size_t>(cells));
  std::size_t at = 0;
  for (std::size_t map = 0; map < maps; ++map) {
    const std::int64_t which = masks.size() > 1 ? index_in(site["mask_of"][map], static_cast<std::int64_t>(masks.size())) : 0;
    if (which < 0 || (bytes && !site["largest"][map].is_number()))
      return contradicts(file, Message("'{}' does not say for each head what its numbers are", name));
    const float largest = bytes ? static_cast<float>(site["largest"][map].number()) : 0;
    for (const bool seen : masks[static_cast<std::size_t>(which)]) {
      if (!seen) {
        numbers->push_back(weights ? 0.0f : -std::numeric_limits<float>::infinity());
        continue;
      }
      if (at + packing.size > data->size()) return contradicts(file, Message("'{}' has fewer numbers than cells", name));
      numbers->push_back(packing.number(data->data() + at, largest));
      at += packing.size;
    }
  }
  if (at != data->size()) return contradicts(file, Message("'{}' has more numbers than cells", name));
  Array array;
  array.name = name;
  array.shape = {layers, heads, rows, columns};
  array.strides = {heads * rows * columns, rows * columns, columns, 1};
  array.bytes = reinterpret_cast<const std::byte*>(numbers->data());
  array.storage = numbers;
  file.unpacked += static_cast<std::uint64_t>(cells) * sizeof(float);
  file.arrays.push_back(std::move(array));
  return {};
}

Status add_tokens(const Json& texts, std::int64_t which, const char* name, std::int64_t count, File& file) {
  if (file.text(name)) return {};
  const Json& pieces = which < 0 ? Json() : texts[static_cast<std::size_t>(which)]["pieces"];
  std::vector<std::string> tokens;
  for (const Json& piece : pieces.elements()) {
    tokens.push_back(piece.is_string() ? piece.string() : std::string());
    // A page shows the space before a word as a dot.
    if (tokens.back().starts_with(kShownSpace) && tokens.back().size() > kShownSpace.size())
      tokens.back().replace(0, kShownSpace.size(), " ");
  }
  if (static_cast<std::int64_t>(tokens.size()) != count)
    return contradicts(file, Message("it has {} tokens for {} rows or columns", tokens.size(), count));
  file.texts.push_back({name, false, {std::move(tokens)}});
  return {};
}

}  // namespace

bool begins_as_page(std::string_view bytes) {
  constexpr std::string_view kStart = "<!doctype html>";
  if (bytes.size() < kStart.size()) return false;
  return std::equal(kStart.begin(), kStart.end(), bytes.begin(),
                    [](char a, char b) { return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b))); });
}

Status read_page(std::string_view html, File& file) {
  const std::string_view text = element(html, kData);
  if (text.empty())
    return invalid("is a page, but none that Headlight exported")
        .at(file.where)
        .mend("give a page of `headlight export --out view.html`");
  HL_ASSIGN(const Json data, Json::parse(text, file.where, Message("export the page again")));
  const Json& runs = data["runs"];
  if (!runs.is_array() || runs.empty()) return contradicts(file, Message("it has no text"));
  const auto count = static_cast<std::int64_t>(runs.size());
  const std::int64_t shown = std::max<std::int64_t>(0, index_in(data["start"]["run"], count));
  const Json &run = runs[static_cast<std::size_t>(shown)], &texts = run["texts"], &sites = run["sites"];
  if (!texts.is_array() || !sites.is_array() || sites.empty()) return contradicts(file, Message("it has no attention"));
  if (count > 1) file.left_out.push_back(Message("the page has {} texts: the one that it shows first is read", count));
  std::int64_t budget = kMostPageCells;
  for (const Json& site : sites.elements()) {
    const std::string named = site["name"].is_string() ? site["name"].string() : std::string();
    const bool weights = !site["sums"].is_boolean() || site["sums"].boolean();
    const bool stack = named == "encoder" || named == "decoder" || named == "cross";
    const std::string name = stack ? named : weights ? "weights" : "scores";
    if (std::any_of(file.arrays.begin(), file.arrays.end(), [&](const Array& one) { return one.name == name; })) {
      file.left_out.push_back(Message("the page has several arrays of '{}': the first one is read", name));
      continue;
    }
    HL_TRY(add_site(site, name, weights, budget, file));
    const auto of_texts = static_cast<std::int64_t>(texts.size());
    const std::int64_t rows_of = index_in(site["rows_of"], of_texts), columns_of = index_in(site["columns_of"], of_texts);
    const Shape& shape = file.arrays.back().shape;
    // An encoder's rows are the source, as its columns are.
    if (name == "encoder" && sites.size() > 1) {
      HL_TRY(add_tokens(texts, columns_of, "source_tokens", shape[3], file));
      continue;
    }
    HL_TRY(add_tokens(texts, rows_of, "tokens", shape[2], file));
    if (rows_of != columns_of) HL_TRY(add_tokens(texts, columns_of, "source_tokens", shape[3], file));
  }
  if (const std::string_view document = element(html, kDocument); !document.empty() && document != "null")
    file.texts.push_back({"document.json", true, {{std::string(document)}}});
  return {};
}

}  // namespace headlight::arrays
