// The data of the Patches view: a picture, its patches as tokens, the attention of a patch, and the attention of a caption's
// words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/patches/patch_figures.h"
#include "app/views/base/context.h"
#include "engine/images/caption_attention.h"
#include "engine/images/patch_attention.h"

namespace headlight::views {

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

struct PatchesState {
  std::string name;  // of the picture: "lake.png, bundled"
  std::shared_ptr<const OpenedPicture> opened;
  std::shared_ptr<const ShownPatches> shown;
  std::shared_ptr<const ShownCaption> caption;
  // Why each is missing; empty: it is there, or still being computed.
  std::string picture_error, error, caption_error;
  std::int64_t query = 0, head = 0, word = 0;
  const images::PatchAttention& attention() const { return shown->attention; }
  const images::PatchGrid& grid() const { return shown->attention.grid; }
};
// The view's state. `caption` asks for the caption's attention, too.
// patches_state(context, true).caption is null while the caption's attention is being computed.
PatchesState patches_state(const Context& context, bool caption);

// Row and column of a patch.
// patch_place(grid, 0) is "(0, 0)": the first patch in the top left corner.
std::string patch_place(const images::PatchGrid& grid, std::int64_t patch);
// The note on random weights: "random weights, seed 0".
std::string patches_note(const PatchesView& view);

// The picture under its grid, without heat.
// bare_input(context, state) has no heat.
figures::PatchPictureInput bare_input(const Context& context, const PatchesState& state);
// The picture with heat: the weights of the query in the shown head, the cosines of its position with all others, or a word's
// weights.
// attention_input(context, state) has one weight a patch.
figures::PatchPictureInput attention_input(const Context& context, const PatchesState& state);
figures::PatchPictureInput similarity_input(const Context& context, const PatchesState& state);
figures::PatchPictureInput caption_input(const Context& context, const PatchesState& state);
// A tile for each head, or for each word of the caption.
// head_tiles(context, state) has as many tiles as the attention has heads.
figures::PatchTilesInput head_tiles(const Context& context, const PatchesState& state);
figures::PatchTilesInput word_tiles(const Context& context, const PatchesState& state);
// All queries and keys of the shown head; the caption's words by regions; the position code of all patches.
// patch_map_input(context, state).values is [patches, patches].
figures::HeatmapInput patch_map_input(const Context& context, const PatchesState& state);
figures::HeatmapInput word_map_input(const Context& context, const PatchesState& state);
figures::HeatmapInput patch_code_input(const Context& context, const PatchesState& state);
// The token's numbers; `dimension` is the one that is written out, -1: none.
// patch_token_input(context, state, 5) writes dimension 5 out.
figures::PatchTokenInput patch_token_input(const Context& context, const PatchesState& state, std::int64_t dimension);

// How a number comes about, in lines: the query's weight on patch `key`, the word's weight on `region`, or one number of the
// token.
// weight_lines(state, 3) explains the weight on patch 3.
std::vector<std::string> weight_lines(const PatchesState& state, std::int64_t key);
std::vector<std::string> word_lines(const PatchesState& state, std::int64_t region);
std::vector<std::string> token_lines(const PatchesState& state, std::int64_t dimension);
// The patch with the query's largest weight in the shown head, and the region with the word's largest weight.
std::int64_t strongest_key(const PatchesState& state);
std::int64_t strongest_region(const PatchesState& state);

// The view's state between frames.
struct PatchesHeld {
  std::vector<PatchesView> undo, redo;
  PatchesView last;
  bool seen = false;           // `last` comes from an earlier frame
  std::int64_t hot = -1;       // the patch under the mouse in the last frame; -1: none
  std::int64_t region = -1;    // the region under the mouse in the words' map in the last frame; -1: none
  std::int64_t dimension = 0;  // the dimension that the token page writes out
  PatchesState state;          // the last complete state, shown dimmed while the next one is being computed
};
// Records a change of a setting since the last frame. Call it once in a frame.
// record_patches(view.patches, held) adds the settings before the change to held.undo.
void record_patches(const PatchesView& view, PatchesHeld& held);
// Undoes or redoes a change of the settings while the view is open. Returns false if there is none.
// undo_patches(view, transient) is Ctrl+Z.
bool undo_patches(ViewState& view, Transient& transient);
bool redo_patches(ViewState& view, Transient& transient);

}  // namespace headlight::views
