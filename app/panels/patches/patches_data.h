// What the Patches view shows: a picture, its patches as tokens and where one looks, and where the words of a caption look.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/patches/patch_figures.h"
#include "app/panels/shared/panel.h"
#include "engine/images/caption_attention.h"
#include "engine/images/patch_attention.h"

namespace headlight::panels {

// A decoded picture, and as it is drawn: no side longer than kShownSide.
inline constexpr std::int64_t kShownSide = 1024;
struct OpenedPicture {
  images::Picture picture;
  Tensor rgba;  // u8 [height, width, 4]
  std::uint64_t key = 0;
  std::uint64_t bytes() const { return picture.rgb.size() + rgba.bytes(); }
};
// The attention of all patches in the form that pictures take.
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

struct PatchesState {
  std::string name;  // of the picture: "lake.png, bundled"
  std::shared_ptr<const OpenedPicture> opened;
  std::shared_ptr<const ShownPatches> shown;
  std::shared_ptr<const ShownCaption> caption;
  // Why there is none; empty: it is there, or being computed.
  std::string picture_error, error, caption_error;
  std::int64_t query = 0, head = 0, word = 0;
  const images::PatchAttention& attention() const { return shown->attention; }
  const images::PatchGrid& grid() const { return shown->attention.grid; }
};
// `caption`: its attention is wanted, too.
PatchesState patches_state(const Context& context, bool caption);

// "(5, 8)": row and column of a patch.
std::string patch_place(const images::PatchGrid& grid, std::int64_t patch);
// What the view says where weights are random: "random weights, seed 0".
std::string patches_note(const PatchesView& view);

// The picture under its grid, without heat.
figures::PatchPictureInput bare_input(const Context& context, const PatchesState& state);
// With the weights of the query in the shown head, with the cosines of its position with all others, or with the weights of a
// word.
figures::PatchPictureInput attention_input(const Context& context, const PatchesState& state);
figures::PatchPictureInput similarity_input(const Context& context, const PatchesState& state);
figures::PatchPictureInput caption_input(const Context& context, const PatchesState& state);
// A tile a head, a tile a word.
figures::PatchTilesInput head_tiles(const Context& context, const PatchesState& state);
figures::PatchTilesInput word_tiles(const Context& context, const PatchesState& state);
// All queries and keys of the shown head; the caption's words by the regions that they look at; the code of all patches.
figures::HeatmapInput patch_map_input(const Context& context, const PatchesState& state);
figures::HeatmapInput word_map_input(const Context& context, const PatchesState& state);
figures::HeatmapInput patch_code_input(const Context& context, const PatchesState& state);
// `dimension`: of the token, written out; -1: none.
figures::PatchTokenInput patch_token_input(const Context& context, const PatchesState& state, std::int64_t dimension);

// How a number came about, a line each: a weight of the query on `key`, of the word on `region`, or a number of the token.
std::vector<std::string> weight_lines(const PatchesState& state, std::int64_t key);
std::vector<std::string> word_lines(const PatchesState& state, std::int64_t region);
std::vector<std::string> token_lines(const PatchesState& state, std::int64_t dimension);
// The patch that the query looks at most, in the shown head; of a word the region.
std::int64_t strongest_key(const PatchesState& state);
std::int64_t strongest_region(const PatchesState& state);

// What the view holds between frames.
struct PatchesHeld {
  std::vector<PatchesView> undo, redo;
  PatchesView last;
  bool seen = false;           // `last` is of a frame before
  std::int64_t hot = -1;       // patch under the mouse in the last frame
  std::int64_t region = -1;    // under the mouse in the words' map in the last frame
  std::int64_t dimension = 0;  // that the token page writes out
  PatchesState state;          // the last complete one, which is shown dimmed while the next is computed
};
// Records a change of a setting since the last frame. Call it once in a frame.
void record_patches(const PatchesView& view, PatchesHeld& held);
// Takes back, or makes again, a change of the settings where the view is open; false: there is none.
bool undo_patches(ViewState& view, Transient& transient);
bool redo_patches(ViewState& view, Transient& transient);

}  // namespace headlight::panels
