#include "app/views/patches/data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/text/language.h"
#include "app/views/base/derived_value.h"
#include "engine/images/png_picture.h"

namespace headlight::views::vision {
namespace {

constexpr std::int64_t kAtOnce = 1 << 18;  // products; more are made in the background

// The lowest bits number the pictures that are made of it.
std::uint64_t number_of(const DerivedKey& key) { return key.hash() & ~std::uint64_t{0xffff}; }

// Changes when the file does.
DerivedKey picture_key(const std::string& path) {
  if (path.empty()) return DerivedKey("patches/bundled");
  std::error_code ignored;
  const auto time = std::filesystem::last_write_time(path, ignored).time_since_epoch().count();
  const auto size = std::filesystem::file_size(path, ignored);
  return DerivedKey("patches/file", {path, static_cast<std::int64_t>(time), size});
}

// Whole pixels of the picture for each one that is drawn, whose colour is their mean.
Tensor shrunk(const images::Picture& picture) {
  const std::int64_t by = (std::max(picture.width, picture.height) + kShownSide - 1) / kShownSide;
  const std::int64_t width = (picture.width + by - 1) / by, height = (picture.height + by - 1) / by;
  Tensor rgba(DType::u8, {height, width, 4}, {"row", "column", "channel"});
  std::uint8_t* out = rgba.data<std::uint8_t>();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x, out += 4) {
      const std::int64_t below = std::min(picture.height, (y + 1) * by), right = std::min(picture.width, (x + 1) * by);
      std::int64_t sum[3] = {};
      for (std::int64_t v = y * by; v < below; ++v)
        for (std::int64_t u = x * by; u < right; ++u)
          for (int c = 0; c < 3; ++c) sum[c] += picture.rgb[static_cast<std::size_t>((v * picture.width + u) * 3 + c)];
      for (int c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>(sum[c] / ((below - y * by) * (right - x * by)));
      out[3] = 255;
    }
  return rgba;
}

void open_picture(const Context& context, const DerivedKey& key, Seen& seen) {
  const std::string path = state_of(context).picture;
  const std::function<Result<OpenedPicture>(const CancelToken&)> make = [path, key](const CancelToken&) -> Result<OpenedPicture> {
    OpenedPicture opened;
    HL_ASSIGN(opened.picture, path.empty() ? images::bundled_picture() : images::read_png(path));
    opened.rgba = shrunk(opened.picture);
    opened.key = number_of(key);
    return opened;
  };
  // The bundled picture is small; another one may take its time.
  seen.opened = derived_value<OpenedPicture>(context, key, path.empty() ? 0 : kAtOnce + 1, kAtOnce, make, &seen.picture_error);
}

void attend(const Context& context, const DerivedKey& key, Seen& seen) {
  const State& state = state_of(context);
  images::PatchModel model;
  model.side = state.side;
  model.d_model = state.d_model;
  model.heads = state.heads;
  model.positions = state.positions;
  model.seed = static_cast<std::uint64_t>(state.seed);
  const std::int64_t pixels = seen.opened->picture.width * seen.opened->picture.height * 3;
  const std::function<Result<ShownPatches>(const CancelToken&)> make =
      [model, key, opened = seen.opened](const CancelToken& cancel) -> Result<ShownPatches> {
    ShownPatches shown;
    HL_ASSIGN(shown.attention, images::attend_patches(opened->picture, model, cancel));
    shown.key = number_of(key);
    return shown;
  };
  seen.shown = derived_value<ShownPatches>(context, key, pixels * state.d_model, kAtOnce, make, &seen.error);
}

// The caption is the document's sentence: of several the shown one.
std::string caption_text(const Context& context) {
  const auto& texts = context.document.texts;
  if (texts.empty()) return {};
  const auto last = static_cast<std::int64_t>(texts.size()) - 1;
  return texts[static_cast<std::size_t>(std::clamp<std::int64_t>(context.view.batch, 0, last))];
}

void attend_words(const Context& context, const DerivedKey& key, Seen& seen) {
  const State& state = state_of(context);
  const images::CaptionModel model{state.region, state.heads, static_cast<std::uint64_t>(state.seed)};
  const std::vector<std::string> words = images::caption_words(caption_text(context));
  const std::int64_t d = state.d_model;
  const std::function<Result<ShownCaption>(const CancelToken&)> make =
      [model, words, shown = seen.shown](const CancelToken& cancel) -> Result<ShownCaption> {
    ShownCaption caption;
    HL_ASSIGN(caption.attention, images::attend_caption(shown->attention, words, model, cancel));
    caption.words = words;
    return caption;
  };
  DerivedKey caption_key("patches/caption", {key, state.region});
  for (const std::string& word : words) caption_key.add(word);
  seen.caption =
      derived_value<ShownCaption>(context, caption_key, seen.grid().count() * d * d, kAtOnce, make, &seen.caption_error);
  seen.word = std::clamp<std::int64_t>(state.word, 0, std::max<std::int64_t>(0, static_cast<std::int64_t>(words.size()) - 1));
}

}  // namespace

Topic topic_of(const State& state) {
  if (state.page == "token") return Topic::token;
  if (state.page == "positions") return Topic::positions;
  return state.page == "caption" ? Topic::caption : Topic::attention;
}

Seen seen_of(const Context& context, bool caption) {
  const State& state = state_of(context);
  Seen seen;
  seen.name = state.picture.empty() ? std::string(tr("lake, bundled")) : std::filesystem::path(state.picture).filename().string();
  const DerivedKey picture = picture_key(state.picture);
  open_picture(context, picture, seen);
  if (!seen.opened) return seen;
  const DerivedKey key("patches/shown", {picture, state.side, state.d_model, state.heads, state.seed, state.positions});
  attend(context, key, seen);
  if (!seen.shown) return seen;
  const images::PatchGrid& grid = seen.grid();
  seen.query = state.patch >= 0 && state.patch < grid.count() ? state.patch : grid.rows / 2 * grid.columns + grid.columns / 2;
  seen.head = std::min(state.head, state.heads - 1);
  if (caption) attend_words(context, key, seen);
  return seen;
}

}  // namespace headlight::views::vision
