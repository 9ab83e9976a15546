#include "app/panels/patches/patches_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/text/language.h"
#include "app/views/base/derived_value.h"
#include "engine/images/png_picture.h"

namespace headlight::views {
namespace {

constexpr std::int64_t kAtOnce = 1 << 18;  // products; more are made in the background
constexpr std::size_t kMostUndo = 200;

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

void open_picture(const Context& context, const DerivedKey& key, PatchesState& state) {
  const std::string path = context.view.patches.picture;
  const std::function<Result<OpenedPicture>(const CancelToken&)> make = [path, key](const CancelToken&) -> Result<OpenedPicture> {
    OpenedPicture opened;
    HL_ASSIGN(opened.picture, path.empty() ? images::bundled_picture() : images::read_png(path));
    opened.rgba = shrunk(opened.picture);
    opened.key = number_of(key);
    return opened;
  };
  // The bundled picture is small; another one may take its time.
  state.opened = derived_value<OpenedPicture>(context, key, path.empty() ? 0 : kAtOnce + 1, kAtOnce, make, &state.picture_error);
}

void attend(const Context& context, const DerivedKey& key, PatchesState& state) {
  const PatchesView& view = context.view.patches;
  images::PatchModel model;
  model.side = view.side;
  model.d_model = view.d_model;
  model.heads = view.heads;
  model.positions = view.positions;
  model.seed = static_cast<std::uint64_t>(view.seed);
  const std::int64_t pixels = state.opened->picture.width * state.opened->picture.height * 3;
  const std::function<Result<ShownPatches>(const CancelToken&)> make =
      [model, key, opened = state.opened](const CancelToken& cancel) -> Result<ShownPatches> {
    ShownPatches shown;
    HL_ASSIGN(shown.attention, images::attend_patches(opened->picture, model, cancel));
    shown.key = number_of(key);
    return shown;
  };
  state.shown = derived_value<ShownPatches>(context, key, pixels * view.d_model, kAtOnce, make, &state.error);
}

// The caption is the document's sentence: of several the shown one.
std::string caption_text(const Context& context) {
  const auto& texts = context.document.texts;
  if (texts.empty()) return {};
  const auto last = static_cast<std::int64_t>(texts.size()) - 1;
  return texts[static_cast<std::size_t>(std::clamp<std::int64_t>(context.view.batch, 0, last))];
}

void attend_words(const Context& context, const DerivedKey& key, PatchesState& state) {
  const PatchesView& view = context.view.patches;
  const images::CaptionModel model{view.region, view.heads, static_cast<std::uint64_t>(view.seed)};
  const std::vector<std::string> words = images::caption_words(caption_text(context));
  const std::int64_t d = view.d_model;
  const std::function<Result<ShownCaption>(const CancelToken&)> make =
      [model, words, shown = state.shown](const CancelToken& cancel) -> Result<ShownCaption> {
    ShownCaption caption;
    HL_ASSIGN(caption.attention, images::attend_caption(shown->attention, words, model, cancel));
    caption.words = words;
    return caption;
  };
  DerivedKey caption_key("patches/caption", {key, view.region});
  for (const std::string& word : words) caption_key.add(word);
  state.caption =
      derived_value<ShownCaption>(context, caption_key, state.grid().count() * d * d, kAtOnce, make, &state.caption_error);
  state.word = std::clamp<std::int64_t>(view.word, 0, std::max<std::int64_t>(0, static_cast<std::int64_t>(words.size()) - 1));
}

PatchesView settings_of(PatchesView view) {
  const PatchesView none;
  view.page = none.page;
  view.patch = view.key = -1;
  view.head = view.word = 0;
  return view;
}

bool take(ViewState& view, Transient& transient, std::vector<PatchesView> PatchesHeld::*from,
          std::vector<PatchesView> PatchesHeld::*to) {
  PatchesHeld& held = transient.of<PatchesHeld>();
  if (view.tab != "patches" || (held.*from).empty()) return false;
  const std::string page = view.patches.page;
  (held.*to).push_back(view.patches);
  view.patches = (held.*from).back();
  view.patches.page = page;
  (held.*from).pop_back();
  held.last = view.patches;
  return true;
}

}  // namespace

PatchesState patches_state(const Context& context, bool caption) {
  const PatchesView& view = context.view.patches;
  PatchesState state;
  state.name = view.picture.empty() ? std::string(tr("lake, bundled")) : std::filesystem::path(view.picture).filename().string();
  const DerivedKey picture = picture_key(view.picture);
  open_picture(context, picture, state);
  if (!state.opened) return state;
  const DerivedKey key("patches/shown", {picture, view.side, view.d_model, view.heads, view.seed, view.positions});
  attend(context, key, state);
  if (!state.shown) return state;
  const images::PatchGrid& grid = state.grid();
  state.query = view.patch >= 0 && view.patch < grid.count() ? view.patch : grid.rows / 2 * grid.columns + grid.columns / 2;
  state.head = std::min(view.head, view.heads - 1);
  if (caption) attend_words(context, key, state);
  return state;
}

void record_patches(const PatchesView& view, PatchesHeld& held) {
  if (held.seen && !(settings_of(view) == settings_of(held.last))) {
    held.undo.push_back(held.last);
    held.redo.clear();
    if (held.undo.size() > kMostUndo) held.undo.erase(held.undo.begin());
  }
  held.seen = true;
  held.last = view;
}
bool undo_patches(ViewState& view, Transient& transient) { return take(view, transient, &PatchesHeld::undo, &PatchesHeld::redo); }
bool redo_patches(ViewState& view, Transient& transient) { return take(view, transient, &PatchesHeld::redo, &PatchesHeld::undo); }

}  // namespace headlight::views
