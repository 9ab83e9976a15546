#include "app/panels/attention_choice.h"

#include <algorithm>
#include <cmath>

#include "engine/pipeline/explain.h"

namespace headlight::panels {
namespace {

constexpr std::int64_t kAtOnce = 512 * 512;  // cells converted within a frame; more go to the background lane
constexpr std::int64_t kThumbnail = 192;     // cells a side of a thumbnail

// Never two keys for different content in one process: the trace's generation is part of it (FNV-1a over the name).
std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

std::string name_of(const Trace& trace, const AttentionChoice& choice, const AttentionSite& site, std::int64_t head,
                    const std::string& what) {
  return what + "/" + std::to_string(trace.generation()) + "/" + site.prefix + "/" + std::to_string(choice.batch) + "/" +
         std::to_string(head);
}

Tensor mask_of(const AttentionSite& site, std::int64_t batch, std::int64_t head) {
  const Tensor& mask = site.mask.mask;
  if (mask.empty()) return {};
  const auto part = [&](int axis, const Tensor& t, std::int64_t index) { return t.select(axis, t.dim(axis) == 1 ? 0 : index); };
  return part(0, part(0, mask, batch), head).broadcast_to({site.queries, site.keys}).compact();
}

Result<Tensor> weights_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                          const std::string& step) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  return trace.tile(site.prefix + step, tile);
}

template <class T>
std::shared_ptr<const T> find(const Context& context, std::int64_t cells, const std::string& key,
                              std::function<Result<T>(const CancelToken&)> make) {
  return cells <= kAtOnce ? context.derived.now<T>(key, make).value : context.derived.later<T>(key, std::move(make)).value;
}

std::vector<std::string> labels(std::span<const Sentence> sentences, std::int64_t batch, std::int64_t count) {
  std::vector<std::string> out;
  if (batch < static_cast<std::int64_t>(sentences.size())) out = sentences[static_cast<std::size_t>(batch)].labels;
  out.resize(static_cast<std::size_t>(count), "[PAD]");
  return out;
}

}  // namespace

AttentionChoice choose_attention(const Context& context) {
  AttentionChoice choice;
  if (!context.trace) return choice;
  const Trace& trace = *context.trace;
  const bool targets = !trace.targets().empty();
  const auto kind_of = [&](const AttentionSite& site) -> std::string {
    if (!targets) return "";
    return site.site == masks::Site::encoder_self ? "encoder." : site.site == masks::Site::cross ? "decoder.cross." : "decoder.";
  };
  for (const AttentionSite& site : trace.sites()) {
    const std::string kind = kind_of(site);
    if (std::none_of(choice.kinds.begin(), choice.kinds.end(), [&](const auto& k) { return k.id == kind; }))
      choice.kinds.push_back({kind, kind == "encoder."   ? "encoder"
                                    : kind == "decoder." ? "decoder"
                                    : kind.empty()       ? "self"
                                                         : "cross"});
  }
  if (choice.kinds.empty()) return choice;
  choice.kind = choice.kinds.front().id;
  for (const auto& kind : choice.kinds)
    if (kind.id == context.view.site) choice.kind = kind.id;
  for (const AttentionSite& site : trace.sites())
    if (kind_of(site) == choice.kind) choice.layers.push_back(&site);
  const auto last = static_cast<std::int64_t>(choice.layers.size()) - 1;
  choice.site = choice.layers[static_cast<std::size_t>(std::clamp<std::int64_t>(context.view.layer, 0, last))];
  choice.batch = std::clamp<std::int64_t>(context.view.batch, 0,
                                          std::max<std::int64_t>(0, static_cast<std::int64_t>(trace.texts().size()) - 1));
  choice.head = std::clamp<std::int64_t>(context.view.head, 0, std::max<std::int64_t>(0, choice.site->heads - 1));
  return choice;
}

std::vector<std::string> row_labels(const Trace& trace, const AttentionChoice& choice) {
  return labels(choice.site->rows_are_targets ? trace.targets() : trace.texts(), choice.batch, choice.site->queries);
}
std::vector<std::string> column_labels(const Trace& trace, const AttentionChoice& choice) {
  return labels(choice.site->columns_are_targets ? trace.targets() : trace.texts(), choice.batch, choice.site->keys);
}

std::shared_ptr<const HeadPicture> head_picture(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                std::int64_t head, const std::string& step, bool transposed) {
  const auto trace = context.trace;
  const std::string key = name_of(*trace, choice, site, head, "picture/" + step + (transposed ? "/t" : ""));
  return find<HeadPicture>(
      context, site.queries * site.keys, key,
      [trace, site, batch = choice.batch, head, step, transposed, key](const CancelToken&) -> Result<HeadPicture> {
        HL_ASSIGN(const Tensor tile, weights_of(*trace, site, batch, head, step));
        Tensor mask = step == "scores" ? Tensor() : mask_of(site, batch, head);
        const Tensor source = tile.as(DType::f32).compact();
        Tensor values(DType::f32, source.shape(), {}, true);
        HeadPicture picture;
        const float* in = source.data<float>();
        const std::uint8_t* may = mask.empty() ? nullptr : mask.data<std::uint8_t>();
        float largest = 0;
        for (std::int64_t i = 0; i < source.count(); ++i) {
          const bool shown = (!may || may[i]) && std::isfinite(in[i]);
          values.data<float>()[i] = shown ? in[i] : 0.0f;
          if (shown) largest = std::max(largest, std::abs(in[i]));
        }
        picture.largest = largest;
        picture.values = transposed ? values.permuted({1, 0}).compact() : values;
        picture.mask = mask.empty() || !transposed ? mask : mask.permuted({1, 0}).compact();
        picture.key = hash_of(key);
        return picture;
      });
}

std::shared_ptr<const GridPictures> grid_pictures(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  std::vector<AttentionSite> sites;
  std::int64_t cells = 0;
  for (const AttentionSite* site : choice.layers) cells += site->heads * site->queries * site->keys;
  const std::string key = name_of(*trace, choice, *choice.layers.front(), -1, "grid");
  const auto copy_sites = [&] {
    for (const AttentionSite* site : choice.layers) sites.push_back(*site);
    return sites;
  };
  // 48 heads of 128 tokens are 0.8 M cells: about a millisecond, once a trace.
  return find<GridPictures>(
      context, cells / 4, key,
      [trace, sites = copy_sites(), batch = choice.batch, key](const CancelToken& cancel) -> Result<GridPictures> {
        GridPictures grid;
        for (const AttentionSite& site : sites)
          for (std::int64_t head = 0; head < site.heads; ++head) {
            if (cancel.cancelled()) return cancelled();
            HL_ASSIGN(const Tensor tile, weights_of(*trace, site, batch, head, "weights"));
            Reduced small = reduce_to(tile, mask_of(site, batch, head), kThumbnail);
            for (const float w : small.values.values<float>()) grid.largest = std::max(grid.largest, static_cast<double>(w));
            grid.values.push_back(std::move(small.values));
            grid.masks.push_back(std::move(small.mask));
            grid.keys.push_back(hash_of(key + "/" + site.prefix + std::to_string(head)));
            grid.block = small.block;
          }
        if (std::all_of(grid.masks.begin(), grid.masks.end(), [](const Tensor& mask) { return mask.empty(); }))
          grid.masks.clear();
        return grid;
      });
}

std::shared_ptr<const HeadStatistics> statistics(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                 std::int64_t head) {
  const auto trace = context.trace;
  return find<HeadStatistics>(context, site.queries * site.keys, name_of(*trace, choice, site, head, "statistics"),
                              [trace, site, batch = choice.batch, head](const CancelToken&) -> Result<HeadStatistics> {
                                HL_ASSIGN(Tensor weights, weights_of(*trace, site, batch, head, "weights"));
                                Tensor mask = mask_of(site, batch, head);
                                // Padding has rows of its own that say nothing about the head.
                                const auto sentences = site.rows_are_targets ? trace->targets() : trace->texts();
                                std::vector<std::int32_t> ids;
                                const auto& tokens = sentences[static_cast<std::size_t>(batch)].tokens;
                                if (site.site != masks::Site::cross)
                                  for (const auto& token : tokens) ids.push_back(token.id);
                                const auto rows =
                                    std::min<std::int64_t>(weights.dim(0), static_cast<std::int64_t>(tokens.size()));
                                weights = weights.slice(0, 0, rows);
                                if (!mask.empty()) mask = mask.slice(0, 0, rows);
                                return head_statistics(weights, mask, ids);
                              });
}

}  // namespace headlight::panels
