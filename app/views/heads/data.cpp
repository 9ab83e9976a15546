#include "app/views/heads/data.h"

#include <algorithm>
#include <cmath>

#include "app/figures/attention/normalise.h"
#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "engine/insight/rollout.h"

namespace headlight::views::heads {
namespace {

constexpr std::int64_t kPicturesAtOnce = 512 * 512;  // cells converted within a frame; more go to the background lane
constexpr std::int64_t kThumbnail = 192;             // cells per side of a thumbnail, at most
constexpr std::int64_t kMostArcs = 600;              // in one picture, over all heads

DerivedKey pictures_key_of(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice) {
  return DerivedKey(tag, {context.trace->generation(), choice.kind, choice.batch});
}

// Copies of the attentions of all layers, for work that outlives the frame.
std::vector<AttentionSite> copies(const AttentionChoice& choice) {
  std::vector<AttentionSite> sites;
  for (const AttentionSite* site : choice.layers) sites.push_back(*site);
  return sites;
}
std::vector<const AttentionSite*> pointers(const std::vector<AttentionSite>& sites, std::size_t count) {
  std::vector<const AttentionSite*> list;
  for (std::size_t i = 0; i < std::min(count, sites.size()); ++i) list.push_back(&sites[i]);
  return list;
}

// With `words` those of weights, whose pieces are taken together.
using Words = std::shared_ptr<const AttentionWords>;
Result<Tensor> tile_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head, Role role,
                       const Words& words = nullptr) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor read, trace.tile(trace.name_at(site.prefix, role), tile));
  if (words) return words_weights(read, site_mask(site, batch, head), *words).as(DType::f32).compact();
  return read.as(DType::f32).compact();
}

template <class T>
typename Derived::Answer<T> find(const Context& context, std::int64_t cells, const DerivedKey& key,
                                 std::function<Result<T>(const CancelToken&)> make) {
  return cells <= kPicturesAtOnce ? context.derived.now<T>(key, make) : context.derived.later<T>(key, std::move(make));
}

// A cell is visible if any of the heads may attend to it.
Tensor either(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return {};
  Tensor out(DType::u8, a.shape(), {}, true);
  for (std::int64_t i = 0; i < a.count(); ++i)
    out.data<std::uint8_t>()[i] = a.data<std::uint8_t>()[i] | b.data<std::uint8_t>()[i];
  return out;
}

Tensor mask_of_heads(const std::vector<AttentionSite>& sites, std::int64_t batch, const std::vector<HeadRef>& heads) {
  Tensor mask;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Tensor one = site_mask(sites[static_cast<std::size_t>(heads[i].layer)], batch, heads[i].head);
    mask = i == 0 ? one : either(mask, one);
    if (mask.empty()) return {};
  }
  return mask;
}

// The values of a pane before they are transposed and coloured, [query, key].
struct Raw {
  Tensor values, mask, strongest;
};

// The larger of two numbers; before any number one that is not finite.
bool hides_less(float a, float b) {
  const figures::NonFinite kind = figures::non_finite(a), other = figures::non_finite(b);
  return kind != other ? kind > other : a > b;
}

Result<Raw> overlay_of(const Trace& trace, const std::vector<AttentionSite>& sites, std::int64_t batch,
                       const std::vector<HeadRef>& heads, Role role, const Words& words, const CancelToken& cancel) {
  Raw raw;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (cancel.cancelled()) return cancelled();
    const AttentionSite& site = sites[static_cast<std::size_t>(heads[h].layer)];
    HL_ASSIGN(const Tensor one, tile_of(trace, site, batch, heads[h].head, role, words));
    if (h == 0) {
      raw.values = Tensor(DType::f32, one.shape(), {}, true);
      raw.strongest = Tensor(DType::i32, one.shape());
      std::copy_n(one.data<float>(), one.count(), raw.values.data<float>());
      continue;
    }
    for (std::int64_t i = 0; i < one.count(); ++i)
      if (const float own = one.data<float>()[i], best = raw.values.data<float>()[i]; hides_less(own, best)) {
        raw.values.data<float>()[i] = own;
        raw.strongest.data<std::int32_t>()[i] = static_cast<std::int32_t>(h);
      }
  }
  return raw;
}

Result<Raw> raw_of(const Trace& trace, const std::vector<AttentionSite>& sites, std::int64_t batch, const Pane& pane, Role role,
                   const Words& words, const CancelToken& cancel) {
  Raw raw;
  if (pane.kind == Pane::rollout) {
    const auto count = static_cast<std::size_t>(pane.heads.front().layer) + 1;
    HL_ASSIGN(raw.values, attention_rollout(trace, pointers(sites, count), batch, cancel));
    // Hatched: cells that no chain of layers reaches and the mask forbids. Cells reached through other tokens are shown.
    Tensor mask = site_mask(sites[count - 1], batch, 0);
    if (words) {
      raw.values = words_weights(raw.values, {}, *words);
      mask = words_mask(mask, *words);
    }
    if (!mask.empty()) {
      raw.mask = Tensor(DType::u8, mask.shape(), {}, true);
      for (std::int64_t i = 0; i < mask.count(); ++i)
        raw.mask.data<std::uint8_t>()[i] = mask.data<std::uint8_t>()[i] != 0 || raw.values.data<float>()[i] > 0;
    }
    return raw;
  }
  if (role != Role::scores) raw.mask = mask_of_heads(sites, batch, pane.heads);
  const Tensor of_pieces = raw.mask;
  if (words) raw.mask = words_mask(raw.mask, *words);
  if (pane.kind == Pane::mean) {
    std::vector<HeadPlace> places;
    for (const HeadRef& head : pane.heads) places.push_back({head.layer, head.head});
    HL_ASSIGN(raw.values, mean_of_heads(trace, pointers(sites, sites.size()), places, batch, role, cancel));
    if (words) raw.values = words_weights(raw.values, of_pieces, *words);
  } else if (pane.kind == Pane::overlay || pane.kind == Pane::max) {
    const Tensor mask = raw.mask;
    HL_ASSIGN(raw, overlay_of(trace, sites, batch, pane.heads, role, words, cancel));
    raw.mask = mask;
    if (pane.kind == Pane::max) raw.strongest = {};  // one colour for all heads
  } else {
    const HeadRef head = pane.heads.front();
    HL_ASSIGN(raw.values, tile_of(trace, sites[static_cast<std::size_t>(head.layer)], batch, head.head, role, words));
  }
  return raw;
}

void add_pane(DerivedKey& key, const Pane& pane) {
  key.add(pane.kind);
  for (const HeadRef& head : pane.heads) key.add(head.layer).add(head.head);
}

std::int64_t cells_of(const AttentionChoice& choice, const Pane& pane) {
  const std::int64_t cells = choice.site->queries * choice.site->keys;
  if (pane.kind != Pane::rollout) return cells * static_cast<std::int64_t>(pane.heads.size());
  return cells * (choice.site->heads + choice.site->keys / 8) * (pane.heads.front().layer + 1);
}

}  // namespace

std::string head_name(const AttentionChoice& choice, HeadRef head) {
  return std::to_string(choice.layers[static_cast<std::size_t>(head.layer)]->layer) + "." + std::to_string(head.head);
}

std::string head_short(const AttentionChoice& choice, HeadRef head) {
  return "L" + std::to_string(choice.layers[static_cast<std::size_t>(head.layer)]->layer) + " H" + std::to_string(head.head);
}

std::string head_title(const AttentionChoice& choice, HeadRef head) {
  const std::string layer = std::to_string(choice.layers[static_cast<std::size_t>(head.layer)]->layer);
  const char* words = choice.kind == "encoder."   ? tr("encoder, layer {}, head {}")
                      : choice.kind == "decoder." ? tr("decoder, layer {}, head {}")
                      : choice.kind.empty()       ? tr("layer {}, head {}")
                                                  : tr("cross, layer {}, head {}");
  return fill(words, {layer, std::to_string(head.head)});
}

std::vector<Pane> panes_of(const Context& context, const AttentionChoice& choice) {
  const ViewState& view = context.view;
  const auto heads = shown_heads(view, static_cast<std::int64_t>(choice.layers.size()), choice.site->heads);
  const HeadRef current{std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin(), choice.head};
  const auto alone = [&](HeadRef head) { return Pane{Pane::one, {head}, head_title(choice, head)}; };
  if (own(view).picture == "neuron") return {alone(current)};
  // Layers of cross-attention cannot be multiplied, so each head stays in its own picture.
  if (own(view).together == "rollout" && choice.site->rows_are_targets == choice.site->columns_are_targets) {
    const std::string last = std::to_string(choice.site->layer);
    return {{Pane::rollout,
             {current},
             choice.site->layer == choice.layers.front()->layer
                 ? fill(tr("rollout of layer {}"), {last})
                 : fill(tr("rollout, layers {} to {}"), {std::to_string(choice.layers.front()->layer), last})}};
  }
  std::string names;
  for (const HeadRef& head : heads) names += (names.empty() ? "" : ", ") + head_short(choice, head);
  if (heads.size() > 1 && own(view).together == "mean") return {{Pane::mean, heads, fill(tr("mean of heads {}"), {names})}};
  if (heads.size() > 1 && own(view).together == "max") return {{Pane::max, heads, fill(tr("largest of heads {}"), {names})}};
  if (heads.size() > 1 && own(view).together == "overlay") return {{Pane::overlay, heads, fill(tr("heads {}"), {names})}};
  std::vector<Pane> panes;
  for (const HeadRef& head : heads) panes.push_back(alone(head));
  return panes;
}

Role role_of(const ViewState& view, const Pane& pane) {
  return pane.kind == Pane::rollout || own(view).picture == "arcs" ? Role::weights : shown_role(view);
}

std::shared_ptr<const PanePicture> pane_picture(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                                const Error** error) {
  const Role role = role_of(context.view, pane);
  const std::string range = role == Role::weights ? context.view.range : "fixed";
  const bool transposed = context.view.transposed;
  const Words words = shown_words(context.view, choice) ? choice.words : nullptr;
  DerivedKey key = pictures_key_of("heads/picture", context, choice).add(role).add(range).add(transposed);
  key.add(words != nullptr).add(words && names_written(context, choice));
  add_pane(key, pane);
  const auto answer = find<PanePicture>(
      context, cells_of(choice, pane), key,
      [trace = context.trace, sites = copies(choice), batch = choice.batch, pane, role, range, transposed, words,
       key](const CancelToken& cancel) -> Result<PanePicture> {
        HL_ASSIGN(const Raw raw, raw_of(*trace, sites, batch, pane, role, words, cancel));
        PanePicture picture;
        Tensor values(DType::f32, raw.values.shape(), {}, true);
        const float* in = raw.values.data<float>();
        const std::uint8_t* may = raw.mask.empty() ? nullptr : raw.mask.data<std::uint8_t>();
        float largest = 0;
        for (std::int64_t i = 0; i < values.count(); ++i) {
          const bool shown = !may || may[i];
          values.data<float>()[i] = shown ? in[i] : 0.0f;
          if (shown && std::isfinite(in[i])) largest = std::max(largest, std::abs(in[i]));
        }
        picture.non_finite.add(values, {});
        const auto turned = [&](const Tensor& t) { return t.empty() || !transposed ? t : t.permuted({1, 0}).compact(); };
        picture.largest = static_cast<double>(largest);
        picture.values = turned(values);
        picture.mask = turned(raw.mask);
        picture.strongest = turned(raw.strongest);
        picture.colours = figures::coloured_weights(picture.values, picture.mask, range, !transposed);
        picture.key = key.hash();
        return picture;
      });
  if (error) *error = answer.error;
  return answer.value;
}

std::shared_ptr<const PaneMarks> pane_marks(const Context& context, const AttentionChoice& choice, const Pane& pane,
                                            const PaneWindow& window, std::int64_t most) {
  std::vector<std::shared_ptr<const PanePicture>> pictures;
  std::vector<figures::HeadMatrix> names;
  for (const HeadRef& head : pane.kind == Pane::overlay ? pane.heads : std::vector<HeadRef>{pane.heads.front()}) {
    pictures.push_back(pane_picture(context, choice, pane.kind == Pane::overlay ? Pane{Pane::one, {head}, {}} : pane));
    if (!pictures.back()) return nullptr;
    figures::HeadMatrix named;
    // The legend's name for its hue.
    named.name = pane.kind == Pane::overlay ? head_short(choice, head)
                 : pane.kind == Pane::one   ? head_title(choice, head)
                                            : pane.title;
    named.hue = pane.kind == Pane::one || pane.kind == Pane::overlay ? head_hue(head) : 1;
    names.push_back(std::move(named));
  }
  const Role role = role_of(context.view, pane);
  const std::string range = role == Role::weights ? context.view.range : "fixed";
  const bool mean = context.view.reduction == "mean", transposed = context.view.transposed;
  DerivedKey key("heads/marks", {range, mean, most, window.first_row, window.rows, window.first_column, window.columns});
  for (const auto& picture : pictures) key.add(picture->key);
  return find<PaneMarks>(
             context, window.rows * window.columns * static_cast<std::int64_t>(pictures.size()), key,
             [pictures, names, window, most, mean, role, range, transposed, key](const CancelToken&) -> Result<PaneMarks> {
               PaneMarks marks;
               marks.key = key.hash();
               const auto part = [&](const Tensor& t) {
                 return t.empty() ? t
                                  : t.slice(0, window.first_row, window.first_row + window.rows)
                                        .slice(1, window.first_column, window.first_column + window.columns);
               };
               std::vector<Reduced> reduced;
               for (const auto& picture : pictures) {
                 reduced.push_back(reduce_to(part(picture->values), part(picture->mask), most, mean));
                 // The largest visible value: if marks were scaled by the largest of all, they would be too small in other parts
                 // of the matrix.
                 for (const float v : reduced.back().values.values<float>())
                   if (std::isfinite(v)) marks.largest = std::max(marks.largest, std::abs(static_cast<double>(v)));
                 marks.non_finite.add(picture->non_finite);
               }
               for (std::size_t i = 0; i < pictures.size(); ++i) {
                 const Reduced& small = reduced[i];
                 figures::Shades shades = role == Role::weights ? figures::scale_of_weights(range, marks.largest)
                                                                : figures::shades_of_scores(small.values, marks.largest, {});
                 if (role == Role::weights)
                   shades.values = figures::coloured_weights(small.values, small.mask, range, !transposed);
                 figures::HeadMatrix head = names[i];
                 head.values = small.values;
                 head.shares = figures::shares_of(shades);
                 marks.heads.push_back(std::move(head));
                 marks.mask = i == 0 ? small.mask : either(marks.mask, small.mask);
                 marks.block = small.block;
               }
               return marks;
             })
      .value;
}

std::shared_ptr<const std::vector<figures::ArcsInput::Head>> pane_arcs(const Context& context, const AttentionChoice& choice,
                                                                       const Pane& pane) {
  using Heads = std::vector<figures::ArcsInput::Head>;
  const auto [rows, columns] = matrix_size(context.view, choice);
  const auto marks = pane_marks(context, choice, pane, {0, rows, 0, columns}, std::max(rows, columns));
  if (!marks) return nullptr;
  const double share = std::clamp(own(context.view).arc_share, 0.0, 1.0);
  const std::int64_t most = kMostArcs / static_cast<std::int64_t>(std::max<std::size_t>(1, marks->heads.size()));
  const bool transposed = context.view.transposed;
  return find<Heads>(context, 4 * marks->heads.front().values.count() * static_cast<std::int64_t>(marks->heads.size()),
                     DerivedKey("heads/arcs", {marks->key, share}),
                     [marks, share, most, transposed](const CancelToken& cancel) -> Result<Heads> {
                       Heads heads;
                       for (const figures::HeadMatrix& head : marks->heads) {
                         if (cancel.cancelled()) return cancelled();
                         heads.push_back({head, figures::choose_arcs(head, marks->mask, share, most, !transposed)});
                       }
                       return heads;
                     })
      .value;
}

std::optional<CellPlace> next_non_finite(const Context& context, const AttentionChoice& choice, Role role,
                                         figures::NonFinite kind, const CellPlace& after) {
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  const std::int64_t heads = choice.site->heads, all = layers * heads;
  const auto right = [&](float v) {
    const figures::NonFinite found = figures::non_finite(v);
    return found != figures::NonFinite::none && (kind == figures::NonFinite::none || found == kind);
  };
  // The head of `after` is searched twice: behind the cell first, and up to it last.
  for (std::int64_t step = 0; step <= all; ++step) {
    const std::int64_t at = (after.head.layer * heads + after.head.head + step) % all;
    const HeadRef head{at / heads, at % heads};
    const AttentionSite& site = *choice.layers[static_cast<std::size_t>(head.layer)];
    const auto tile = tile_of(*context.trace, site, choice.batch, head.head, role);
    if (!tile.ok()) return {};
    const Tensor mask = role == Role::scores ? Tensor() : site_mask(site, choice.batch, head.head);
    const std::int64_t cells = tile->count(), keys = tile->dim(1);
    const std::int64_t from = after.query < 0 ? 0 : after.query * keys + after.key + 1;
    for (std::int64_t i = step == 0 ? from : 0; i < (step == all ? std::min(from, cells) : cells); ++i)
      if (right(tile->data<float>()[i]) && (mask.empty() || mask.data<std::uint8_t>()[i]))
        return CellPlace{head, i / keys, i % keys};
  }
  return {};
}

std::shared_ptr<const GridPictures> grid_pictures(const Context& context, const AttentionChoice& choice, std::int64_t begin,
                                                  std::int64_t end) {
  std::int64_t cells = 0, heads = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const AttentionSite& site = *choice.layers[static_cast<std::size_t>(i)];
    cells += site.heads * site.queries * site.keys;
    heads += site.heads;
  }
  // Many heads have smaller pictures, so that all of them take some 40 MB at most.
  const auto side = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::sqrt(8e6 / static_cast<double>(std::max<std::int64_t>(1, heads)))), 48, kThumbnail);
  const std::string range = context.view.range == "row" || context.view.range == "log" ? context.view.range : "fixed";
  const bool mean = context.view.reduction == "mean";
  DerivedKey key = pictures_key_of("heads/grid", context, choice).add(range).add(mean).add(begin).add(end);
  key.add(choice.words != nullptr).add(choice.words && names_written(context, choice));
  // 48 heads of 128 tokens are 0.8 M cells: about a millisecond, once per trace.
  return find<GridPictures>(
             context, cells / 4, key,
             [trace = context.trace, sites = copies(choice), batch = choice.batch, words = choice.words, range, mean, key, begin,
              end, side](const CancelToken& cancel) -> Result<GridPictures> {
               GridPictures grid;
               for (const AttentionSite& site : sites)
                 for (std::int64_t head = 0; head < site.heads; ++head) {
                   if (cancel.cancelled()) return cancelled();
                   if (const std::int64_t layer = &site - sites.data(); layer < begin || layer >= end) {
                     grid.values.emplace_back();
                     grid.masks.emplace_back();
                     grid.counts.emplace_back();
                     grid.keys.push_back(0);
                     continue;
                   }
                   HL_ASSIGN(const Tensor tile, tile_of(*trace, site, batch, head, Role::weights, words));
                   const Tensor mask = words ? words_mask(site_mask(site, batch, head), *words) : site_mask(site, batch, head);
                   Reduced small = reduce_to(tile, mask, side, mean);
                   figures::NonFiniteCount count;
                   count.add(tile, mask);
                   grid.counts.push_back(count);
                   for (const float w : small.values.values<float>())
                     if (std::isfinite(w)) grid.largest = std::max(grid.largest, static_cast<double>(w));
                   grid.values.push_back(figures::coloured_weights(small.values, small.mask, range, true));
                   grid.masks.push_back(std::move(small.mask));
                   grid.keys.push_back(DerivedKey("heads/thumbnail", {key, site.prefix, head}).hash());
                   grid.block = small.block;
                 }
               if (std::all_of(grid.masks.begin(), grid.masks.end(), [](const Tensor& mask) { return mask.empty(); }))
                 grid.masks.clear();
               return grid;
             })
      .value;
}

}  // namespace headlight::views::heads
