// The Patches view's pictures for files.
#include <algorithm>
#include <string>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/views/patches/parts.h"

namespace headlight::views::vision {
namespace {

figures::Figure file_of(const std::vector<figures::Figure>& parts, const std::string& title) {
  figures::Figure figure = figures::stacked(parts, 16, 16);
  figure.title = title;
  return figure;
}

}  // namespace

figures::Figure figure_of_attention(const Context& context, float width, float) {
  const Seen seen = seen_of(context, false);
  if (!seen.shown) return {};
  const float wide = std::max(width, 600.0f) - 32;
  figures::PatchPictureInput large = attention_input(context, seen);
  std::vector<figures::Figure> parts = {figures::patch_picture(large, wide, 560, context.theme, context.measure)};
  if (seen.attention().weights.dim(0) > 1) {
    figures::PatchTilesInput tiles = head_tiles(context, seen);
    tiles.picture.data_name = "heads";
    parts.push_back(figures::patch_tiles(tiles, wide, context.theme, context.measure));
  }
  figures::HeatmapInput map = patch_map_input(context, seen);
  map.data_name = "map";
  parts.push_back(figures::heatmap(map, wide, wide, context.theme, context.measure));
  return file_of(parts, large.title);
}

figures::Figure figure_of_positions(const Context& context, float width, float) {
  const Seen seen = seen_of(context, false);
  if (!seen.shown) return {};
  const float wide = std::max(width, 600.0f) - 32;
  const figures::PatchPictureInput large = similarity_input(context, seen);
  return file_of({figures::patch_picture(large, wide, 560, context.theme, context.measure),
                  figures::heatmap(patch_code_input(context, seen), wide, 560, context.theme, context.measure)},
                 large.title);
}

figures::Figure figure_of_caption(const Context& context, float width, float) {
  const Seen seen = seen_of(context, true);
  if (!seen.caption) return {};
  const float wide = std::max(width, 600.0f) - 32;
  const figures::PatchPictureInput large = caption_input(context, seen);
  figures::PatchTilesInput tiles = word_tiles(context, seen);
  tiles.picture.data_name = "words";
  figures::HeatmapInput map = word_map_input(context, seen);
  map.legend = true;
  map.hot_row = -1;
  return file_of({figures::patch_picture(large, wide, 480, context.theme, context.measure),
                  figures::patch_tiles(tiles, wide, context.theme, context.measure),
                  figures::heatmap(map, wide, 420, context.theme, context.measure)},
                 tiles.title);
}

// The grid, and how the query's patch becomes a token.
figures::Figure figure_of_token(const Context& context, float width, float) {
  const Seen seen = seen_of(context, false);
  if (!seen.shown) return {};
  const float wide = std::max(width, 700.0f) - 32;
  figures::PatchPictureInput large = bare_input(context, seen);
  large.title = picture_words(seen);
  const figures::PatchTokenInput token = patch_token_input(context, seen, -1);
  return file_of({figures::patch_picture(large, wide, 480, context.theme, context.measure),
                  figures::patch_to_token(token, wide, 420, context.theme, context.measure)},
                 token.title);
}

}  // namespace headlight::views::vision
