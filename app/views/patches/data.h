// The data of the Patches view: a picture, its patches as tokens, the attention of a patch, and the attention of a caption's
// words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/views/base/context.h"
#include "app/views/patches/pictures.h"
#include "app/views/patches/state.h"
#include "engine/images/caption_attention.h"
#include "engine/images/patch_attention.h"

namespace headlight::views::vision {

inline const State& state_of(const Context& context) { return context.view.own.of<State>(); }

// What the page shows of the picture.
enum class Topic { token, positions, attention, caption };
Topic topic_of(const State& state);  // attention where the state names no page

// A decoded picture, and its form for drawing, with no side longer than kShownSide.
inline constexpr std::int64_t kShownSide = 1024;
struct OpenedPicture {
  images::Picture picture;
  Tensor rgba;  // u8 [height, width, 4]
  std::uint64_t key = 0;
  std::uint64_t bytes() const { return picture.rgb.size() + rgba.bytes(); }
};
// The attention of all patches in the form that the pictures use.
struct ShownPatches {
  images::PatchAttention attention;
  std::uint64_t key = 0;
  std::uint64_t bytes() const {
    return 2 * attention.weights.bytes() + attention.embedding.bytes() + attention.pixels.bytes() + 6 * attention.tokens.bytes();
  }
};
struct ShownCaption {
  images::CaptionAttention attention;
  std::vector<std::string> words;
  std::uint64_t bytes() const { return 2 * attention.weights.bytes() + 4 * attention.wq.bytes(); }
};

// What there is to see.
struct Seen {
  std::string name;  // of the picture: "lake.png, bundled"
  std::shared_ptr<const OpenedPicture> opened;
  std::shared_ptr<const ShownPatches> shown;
  std::shared_ptr<const ShownCaption> caption;
  // Why each is missing; empty: it is there, or still being computed.
  std::string picture_error, error, caption_error;
  std::int64_t query = 0, head = 0, word = 0;

  bool failed() const { return !picture_error.empty() || !error.empty() || !caption_error.empty(); }
  const images::PatchAttention& attention() const { return shown->attention; }
  const images::PatchGrid& grid() const { return shown->attention.grid; }
};
// `caption` asks for the caption's attention, too.
// seen_of(context, true).caption is null while the caption's attention is being computed.
Seen seen_of(const Context& context, bool caption);

// Row and column of a patch.
// patch_place(grid, 0) is "(0, 0)": the first patch in the top left corner.
std::string patch_place(const images::PatchGrid& grid, std::int64_t patch);
// "lake.png: 256 x 160 pixels, 10 rows of 16 patches", and what of it fills no patch.
std::string picture_words(const Seen& seen);
// The note on random weights: "random weights, seed 0".
std::string note_of(const State& state);

// The picture under its grid, without heat.
// bare_input(context, seen) has no heat.
figures::PatchPictureInput bare_input(const Context& context, const Seen& seen);
// The picture with heat: the weights of the query in the shown head, the cosines of its position with all others, or a word's
// weights.
// attention_input(context, seen) has one weight a patch.
figures::PatchPictureInput attention_input(const Context& context, const Seen& seen);
figures::PatchPictureInput similarity_input(const Context& context, const Seen& seen);
figures::PatchPictureInput caption_input(const Context& context, const Seen& seen);
// That of the shown page, as far as it is computed.
figures::PatchPictureInput page_input(const Context& context, const Seen& seen);
// A tile for each head, or for each word of the caption.
// head_tiles(context, seen) has as many tiles as the attention has heads.
figures::PatchTilesInput head_tiles(const Context& context, const Seen& seen);
figures::PatchTilesInput word_tiles(const Context& context, const Seen& seen);
// All queries and keys of the shown head; the caption's words by regions; the position code of all patches.
// patch_map_input(context, seen).values is [patches, patches].
figures::HeatmapInput patch_map_input(const Context& context, const Seen& seen);
figures::HeatmapInput word_map_input(const Context& context, const Seen& seen);
figures::HeatmapInput patch_code_input(const Context& context, const Seen& seen);
// The token's numbers; `dimension` is the one that is written out, -1: none.
// patch_token_input(context, seen, 5) writes dimension 5 out.
figures::PatchTokenInput patch_token_input(const Context& context, const Seen& seen, std::int64_t dimension);

// How a number comes about, in lines: the query's weight on patch `key`, the word's weight on `region`, or one number of the
// token.
// weight_lines(seen, 3) explains the weight on patch 3.
std::vector<std::string> weight_lines(const Seen& seen, std::int64_t key);
std::vector<std::string> word_lines(const Seen& seen, std::int64_t region);
std::vector<std::string> token_lines(const Seen& seen, std::int64_t dimension);
// The patch with the query's largest weight in the shown head, and the region with the word's largest weight.
std::int64_t strongest_key(const Seen& seen);
std::int64_t strongest_region(const Seen& seen);
// The caption's region that the patch lies in.
std::int64_t region_at(const Seen& seen, std::int64_t patch);

}  // namespace headlight::views::vision
