// The films of the Masks tab.
#include <algorithm>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/masks/parts.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::views::masked {

using namespace views;

namespace {

constexpr float kWidth = 760, kHeight = 720;
constexpr std::int64_t kMostFrames = 32;

// The complete picture of one head of a trace under its masks.
Result<figures::MaskPicture> picture_of(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head,
                                        const AttentionWords* words, bool transposed) {
  const AttentionSite* site = nullptr;
  for (const AttentionSite& s : trace.sites())
    if (s.prefix == prefix) site = &s;
  if (!site) return not_found("the model has no attention '{}'", prefix);
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor weights, trace.tile(trace.name_at(prefix, Role::weights), tile));
  figures::MaskPicture picture;
  picture.values = weights.as(DType::f32).compact();
  picture.mask = mask_of_sentence(site->mask, site->queries, site->keys, batch);
  if (words) {
    picture.values = words_weights(picture.values, picture.mask, *words);
    picture.mask = words_mask(picture.mask, *words);
  }
  if (transposed) {
    picture.values = picture.values.permuted({1, 0}).compact();
    if (!picture.mask.empty()) picture.mask = picture.mask.permuted({1, 0}).compact();
  }
  return picture;
}

std::vector<std::int64_t> sizes_of(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  const std::int64_t count = std::min(kMostFrames, most - least + 1);
  for (std::int64_t i = 0; i < count; ++i) sizes.push_back(count == 1 ? least : least + (most - least) * i / (count - 1));
  return sizes;
}

}  // namespace

bool can_sweep(const Choice&, const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::integer && parameter.id != "dilation";
}

figures::Animation reveal_film(const Context& context, const AttentionChoice& choice) {
  figures::MaskPicturesInput input = canvas_input(context, choice);
  input.with_data = false;
  input.title = attention_title(choice);
  const std::int64_t rows = context.view.transposed ? input.columns : input.rows;
  const auto count = static_cast<int>(std::min<std::int64_t>(rows, 2 * kMostFrames));
  figures::Animation film;
  film.title = fill(tr("the mask of {}, line by line"), {attention_title(choice)});
  film.frames = count;
  film.seconds_per_frame = 0.5;
  film.frame = [input = std::move(input), theme = context.theme, rows, count](int index, const figures::TextMeasure& measure) {
    figures::MaskPicturesInput shown = input;
    shown.revealed = std::max<std::int64_t>(1, rows * (index + 1) / count);
    figures::Figure figure = figures::mask_pictures(shown, kWidth, kHeight, theme, measure);
    return figure;
  };
  return film;
}

figures::Animation sweep_film(const Context& context, const AttentionChoice& choice, const Choice& layer,
                              const Parameter& parameter) {
  const std::int64_t tokens = std::max(choice.site->queries, choice.site->keys);
  const std::vector<std::int64_t> sizes =
      sizes_of(std::max<std::int64_t>(static_cast<std::int64_t>(parameter.least), 0), std::max<std::int64_t>(1, tokens - 1));
  figures::MaskPicturesInput input = canvas_input(context, choice);
  input.pictures.clear();
  input.edges.clear();
  input.revealed = -1;
  input.with_data = false;
  const masks::Entry* entry = masks::registry().find(layer.id);
  const std::string name = tr(entry ? entry->label.c_str() : layer.id.c_str());
  const std::string title = attention_title(choice), label = tr(parameter.label.c_str());
  figures::Animation film;
  film.title = fill(tr("{} of growing {}"), {name, label});
  film.frames = static_cast<int>(sizes.size());
  film.seconds_per_frame = 0.4;
  // Every frame is a run of its own; the steps before the first mask are computed once.
  film.frame = [input = std::move(input), theme = context.theme, document = context.trace->document(), layer, id = parameter.id,
                sizes, name, label, title, prefix = choice.prefix(), batch = choice.batch, head = choice.head,
                words = choice.words, transposed = context.view.transposed,
                map = context.view.colormap == "signed" ? "viridis" : context.view.colormap,
                cache = std::make_shared<StepCache>(std::uint64_t{64} << 20)](int index, const figures::TextMeasure& measure) {
    Choice changed = layer;
    changed.values[id] = sizes[static_cast<std::size_t>(index)];
    figures::MaskPicturesInput shown = input;
    shown.title = title + ", " + name + ", " + label + " " + std::to_string(sizes[static_cast<std::size_t>(index)]);
    const auto make = [&]() -> Result<figures::MaskPicture> {
      RunOptions options;
      options.cache = cache.get();
      HL_ASSIGN(const std::shared_ptr<const Trace> trace, run_anywhere(with_layer(document, changed), {}, options));
      return picture_of(*trace, prefix, batch, head, words.get(), transposed);
    };
    auto picture = make();
    figures::MaskPicture one;
    if (picture.ok())
      one = std::move(picture).value();
    else
      shown.waiting = spoken_in_window(picture.error());
    one.colormap = map;
    one.range_words = tr("weight 0..1");
    shown.pictures = {std::move(one)};
    return figures::mask_pictures(shown, kWidth, kHeight, theme, measure);
  };
  return film;
}

}  // namespace headlight::views::masked
