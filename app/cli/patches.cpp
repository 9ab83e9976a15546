// headlight patches: a picture cut into patches, where one of them looks, and where the words of a caption look.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/core/json.h"
#include "engine/core/npy.h"
#include "engine/core/sorting.h"
#include "engine/images/caption_attention.h"
#include "engine/images/patch_attention.h"
#include "engine/images/png_picture.h"

namespace headlight::cli {
namespace {

// How many of the patches that a query looks at are printed.
constexpr std::size_t kPrintedKeys = 5;

struct PatchOptions {
  std::filesystem::path in;
  std::string out, position = "sinusoidal";
  std::int64_t side = 16, d_model = 64, heads = 4, seed = 0, head = 0, region = 2;
  std::string caption;
  std::optional<std::int64_t> row, column;
  bool captioned = false, json = false;
};

struct Looked {
  std::string name;
  images::Picture picture;
  images::PatchAttention attention;
  std::vector<std::string> words;  // of the caption
  std::optional<images::CaptionAttention> caption;
  std::int64_t query = 0, head = 0;
  // Of the query in the head: one for each patch.
  double weight(std::int64_t key) const { return attention.weights.at({head, query, key}); }
};

std::string place(const images::PatchGrid& grid, std::int64_t patch) {
  return "(" + std::to_string(patch / grid.columns) + ", " + std::to_string(patch % grid.columns) + ")";
}

Result<Looked> look(const PatchOptions& options) {
  Looked looked;
  looked.name = options.in.empty() ? "lake.png, bundled" : options.in.string();
  HL_ASSIGN(looked.picture, options.in.empty() ? images::bundled_picture() : images::read_png(options.in));
  images::PatchModel model;
  model.side = options.side;
  model.d_model = options.d_model;
  model.heads = options.heads;
  model.positions = options.position == "sinusoidal";
  model.seed = static_cast<std::uint64_t>(options.seed);
  HL_ASSIGN(looked.attention, images::attend_patches(looked.picture, model, interrupt_token()));
  const images::PatchGrid& grid = looked.attention.grid;
  if (options.head >= options.heads)
    return usage_error("there is no head {}, only 0 to {}", options.head, options.heads - 1).at("--head");
  const std::int64_t row = options.row.value_or(grid.rows / 2), column = options.column.value_or(grid.columns / 2);
  if (row >= grid.rows) return usage_error("there is no row {}, only 0 to {}", row, grid.rows - 1).at("--row");
  if (column >= grid.columns) return usage_error("there is no column {}, only 0 to {}", column, grid.columns - 1).at("--column");
  looked.query = row * grid.columns + column;
  looked.head = options.head;
  if (!options.captioned) return looked;
  looked.words = images::caption_words(options.caption);
  HL_ASSIGN(looked.caption, images::attend_caption(looked.attention, looked.words, {options.region, options.heads, model.seed},
                                                   interrupt_token()));
  return looked;
}

// "boat  (1, 2) 0.1034, (0, 3) 0.0921, …": where each word of the caption looks most.
std::string caption_table(const Looked& looked) {
  const images::CaptionAttention& caption = *looked.caption;
  const std::int64_t regions = caption.rows * caption.columns, d = caption.q.dim(1);
  std::string text = "caption  " + std::to_string(looked.words.size()) + " words as queries, " + std::to_string(caption.rows) +
                     " rows of " + std::to_string(caption.columns) + " regions of " + std::to_string(caption.region) + " x " +
                     std::to_string(caption.region) + " patches as keys and values: cross-attention, weights [" +
                     std::to_string(caption.weights.dim(0)) + ", " + std::to_string(looked.words.size()) + ", " +
                     std::to_string(regions) + "], d " + std::to_string(d) + ": random weights\n";
  for (std::size_t t = 0; t < looked.words.size(); ++t) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(regions));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto weight = [&](std::int64_t r) { return caption.weights.at({looked.head, static_cast<std::int64_t>(t), r}); };
    sort_stably(order, [&](std::int64_t x, std::int64_t y) { return weight(x) > weight(y); });
    text += "  " + looked.words[t];
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
      char line[96];
      std::snprintf(line, sizeof line, "%s(%lld, %lld) %.4f", i > 0 ? ", " : "\t",
                    static_cast<long long>(order[i] / caption.columns), static_cast<long long>(order[i] % caption.columns),
                    weight(order[i]));
      text += line;
    }
    text += "\n";
  }
  return text;
}

// Every head's weights of every word, region by region.
Json caption_json(const Looked& looked) {
  const images::CaptionAttention& caption = *looked.caption;
  std::vector<Json> words;
  for (std::size_t t = 0; t < looked.words.size(); ++t) {
    std::vector<Json> heads;
    for (std::int64_t h = 0; h < caption.weights.dim(0); ++h) {
      std::vector<double> weights;
      for (std::int64_t r = 0; r < caption.rows * caption.columns; ++r)
        weights.push_back(caption.weights.at({h, static_cast<std::int64_t>(t), r}));
      heads.emplace_back(weights);
    }
    words.push_back(Json::object({{"word", looked.words[t]}, {"weights", Json(heads)}}));
  }
  return Json::object({{"region", caption.region},
                       {"rows", caption.rows},
                       {"columns", caption.columns},
                       {"weights_are", "random"},
                       {"words", Json(words)}});
}

std::string patches_as_table(const Looked& looked, const PatchOptions& options) {
  const images::PatchAttention& a = looked.attention;
  const images::PatchGrid& grid = a.grid;
  const std::string n = std::to_string(grid.count()), inputs = std::to_string(a.pixels.dim(1)),
                    d = std::to_string(a.tokens.dim(1));
  std::string text = looked.name + ": " + std::to_string(looked.picture.width) + " x " + std::to_string(looked.picture.height) +
                     " pixels" + (looked.picture.had_alpha ? ", its transparent parts over white" : "") + "\n";
  text += std::to_string(grid.rows) + " rows of " + std::to_string(grid.columns) + " patches of " + std::to_string(grid.side) +
          " x " + std::to_string(grid.side) + " pixels";
  if (grid.left_out_right > 0 || grid.left_out_below > 0)
    text += "; left out: " + std::to_string(grid.left_out_right) + " pixels at the right, " +
            std::to_string(grid.left_out_below) + " at the bottom";
  text += "\npatches  [" + n + ", " + inputs + "]  P P 3 numbers each, from -1 (black) to 1 (white)\n";
  text += "tokens   [" + n + ", " + d + "]  patches W_E, W_E [" + inputs + ", " + d + "]: random weights, seed " +
          std::to_string(options.seed) + "\n";
  text += options.position == "sinusoidal" ? "input    [" + n + ", " + d + "]  tokens + sines and cosines of row and column\n"
                                           : "input    [" + n + ", " + d + "]  the tokens, without positions\n";
  text += "weights  [" + std::to_string(options.heads) + ", " + n + ", " + n + "]  softmax(q k^T / sqrt(" +
          std::to_string(options.d_model / options.heads) + ")), q and k of LayerNorm(input): random weights\n";
  std::vector<std::int64_t> keys(static_cast<std::size_t>(grid.count()));
  std::iota(keys.begin(), keys.end(), std::int64_t{0});
  const std::size_t printed = std::min(kPrintedKeys, keys.size());
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(printed), keys.end(),
                    [&](std::int64_t x, std::int64_t y) {
                      return looked.weight(x) != looked.weight(y) ? looked.weight(x) > looked.weight(y) : x < y;
                    });
  text += "patch " + place(grid, looked.query) + " in head " + std::to_string(looked.head) + " looks at";
  for (std::size_t i = 0; i < printed; ++i) {
    char weight[32];
    std::snprintf(weight, sizeof weight, " %.4f", looked.weight(keys[i]));
    text += (i > 0 ? ", " : " ") + place(grid, keys[i]) + weight;
  }
  text += "; (row, column) from 0 at the top left\n";
  return looked.caption ? text + caption_table(looked) : text;
}

std::string patches_as_json(const Looked& looked, const PatchOptions& options) {
  const images::PatchAttention& a = looked.attention;
  const images::PatchGrid& grid = a.grid;
  std::vector<double> weights;
  for (std::int64_t key = 0; key < grid.count(); ++key) weights.push_back(looked.weight(key));
  Json json =
      Json::object({{"picture", options.in.empty() ? "lake.png" : options.in.string()},
                    {"width", looked.picture.width},
                    {"height", looked.picture.height},
                    {"alpha", Json(looked.picture.had_alpha)},
                    {"patch", grid.side},
                    {"rows", grid.rows},
                    {"columns", grid.columns},
                    {"left_out", Json::object({{"right", grid.left_out_right}, {"below", grid.left_out_below}})},
                    {"inputs", a.pixels.dim(1)},
                    {"d_model", options.d_model},
                    {"heads", options.heads},
                    {"position", options.position},
                    {"weights_are", "random"},
                    {"seed", options.seed},
                    {"query", Json::object({{"row", looked.query / grid.columns}, {"column", looked.query % grid.columns}})},
                    {"head", looked.head},
                    {"weights", Json(weights)}});
  if (looked.caption) json["caption"] = caption_json(looked);
  return json.dump() + "\n";
}

Status save(const Looked& looked, const PatchOptions& options) {
  HL_ASSIGN(const std::string out, output_file(options.out, options.in.string()));
  const images::PatchAttention& a = looked.attention;
  NamedTensors arrays = {{"patches", a.pixels},
                         {"w_e", a.embedding},
                         {"tokens", a.tokens},
                         {"positions", a.positions},
                         {"input", a.input},
                         {"norm", a.norm},
                         {"wq", a.wq},
                         {"wk", a.wk},
                         {"q", a.q},
                         {"k", a.k},
                         {"scores", a.scores},
                         {"weights", a.weights}};
  if (looked.caption) {
    const images::CaptionAttention& c = *looked.caption;
    for (const auto& [name, values] :
         {std::pair{"regions", &c.regions}, std::pair{"words", &c.words}, std::pair{"positions", &c.positions},
          std::pair{"norm", &c.norm}, std::pair{"wq", &c.wq}, std::pair{"wk", &c.wk}, std::pair{"wv", &c.wv},
          std::pair{"q", &c.q}, std::pair{"k", &c.k}, std::pair{"v", &c.v}, std::pair{"scores", &c.scores},
          std::pair{"weights", &c.weights}, std::pair{"output", &c.output}})
      arrays.push_back({std::string("caption.") + name, *values});
  }
  return write_npz(out, arrays);
}

int show(const PatchOptions& options) {
  const auto looked = look(options);
  if (!looked.ok()) return fail("patches", looked.error());
  if (!options.out.empty()) {
    const Status saved = save(*looked, options);
    if (!saved.ok()) return fail("patches", saved.error());
    if (options.out == "-") return kDone;
  }
  const Status done = print(options.json ? patches_as_json(*looked, options) : patches_as_table(*looked, options));
  return done.ok() ? kDone : fail("patches", done.error());
}

std::function<int()> define_patches(Arguments& arguments) {
  auto options = std::make_shared<PatchOptions>();
  arguments.option("--in", options->in, "a PNG picture; without it a bundled one").type("FILE").existing_file();
  arguments.option("--patch", options->side, "pixels a side of a patch")
      .type("P")
      .within(1, images::kLargestSide)
      .shows_default();
  arguments.option("--d-model", options->d_model, "numbers a token, a multiple of 4").type("N").within(4, 4096).shows_default();
  arguments.option("--heads", options->heads, "heads of the attention").type("N").within(1, 64).shows_default();
  arguments.option("--position", options->position, "what tells a patch its row and column")
      .one_of({"sinusoidal", "none"})
      .shows_default();
  arguments.option("--seed", options->seed, "of the random weights").type("N").within(0, INT64_MAX).shows_default("0");
  arguments.option("--row", options->row, "the patch that looks: its row (default: the middle)").type("N").within(0, 4095);
  arguments.option("--column", options->column, "and its column (default: the middle)").type("N").within(0, 4095);
  arguments.option("--head", options->head, "the head that is told about").type("N").within(0, 63).shows_default();
  const Option caption =
      arguments.option("--caption", options->caption, "a sentence: where each of its words looks").type("TEXT");
  arguments.option("--region", options->region, "patches a side of a region, which is one key of the caption")
      .type("K")
      .within(1, 4096)
      .shows_default();
  arguments.flag("--json", options->json, "as JSON, with the patch's weight on every patch, row by row");
  arguments.option("--out", options->out, "writes every step and matrix as an .npz").type("FILE.npz");
  return [options, caption] {
    options->captioned = caption.count() > 0;
    return show(*options);
  };
}

}  // namespace

Entry patches_command() {
  return {"patches", "Cut a picture into patches, make tokens of them, and show where one looks", "", "S24", define_patches};
}

}  // namespace headlight::cli
