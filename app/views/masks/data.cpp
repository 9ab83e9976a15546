#include "app/views/masks/data.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "app/text/error_words.h"
#include "engine/operations/attention_fill.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::views::masked {

using namespace views;

namespace {

constexpr std::int64_t kAtOnce = 512 * 512;  // cells walked within a frame; more go to the background lane

// The last trace without masks. One is kept: as many as sentences were typed would fill the memory.
struct Unmasked {
  struct State {
    std::mutex mutex;
    std::string key;
    std::shared_ptr<const Trace> trace;
    StepCache cache{std::uint64_t{64} << 20};
  };
  std::shared_ptr<State> state = std::make_shared<State>();
};

Result<std::shared_ptr<const Trace>> unmasked_trace(Unmasked::State& state, const std::string& key, const Document& document,
                                                    const CancelToken& cancel) {
  const std::lock_guard lock(state.mutex);
  if (state.key == key && state.trace) return state.trace;
  RunOptions options;
  options.cache = &state.cache;
  state.trace.reset();
  HL_ASSIGN(state.trace, run_anywhere(document, cancel, options));
  state.key = key;
  return state.trace;
}

bool has_trace(Unmasked::State& state, const std::string& key) {
  std::unique_lock lock(state.mutex, std::try_to_lock);
  return lock.owns_lock() && state.key == key && state.trace;
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

DerivedKey key_of(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice) {
  return DerivedKey(tag, {context.trace->generation(), choice.site->prefix, choice.batch});
}

// What the person types must not stand in a key whole: its numbers do.
std::string name_of(const Document& document) {
  const std::string json = to_json(document);
  return std::to_string(hash_of(json)) + "." + std::to_string(json.size()) + "." + std::to_string(hash_of("again" + json));
}

Result<MaskEffect> effect_of(const Tensor& after, const Tensor& before, std::int64_t own_queries, bool transposed) {
  if (after.shape() != before.shape()) return failure(ErrorKind::internal, "the two computations differ in shape");
  const std::int64_t queries = after.dim(0), keys = after.dim(1);
  MaskEffect effect;
  Tensor difference(DType::f32, {queries, keys}, {}, true);
  const Tensor a = after.as(DType::f32).compact(), b = before.as(DType::f32).compact();
  double sum = 0, most = -1;
  for (std::int64_t i = 0; i < queries; ++i) {
    double moved = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      const float d = a.data<float>()[i * keys + j] - b.data<float>()[i * keys + j];
      difference.data<float>()[i * keys + j] = d;
      moved += std::abs(static_cast<double>(d)) / 2;
      effect.largest = std::max(effect.largest, std::abs(static_cast<double>(d)));
    }
    effect.moved.push_back(moved);
    if (i >= own_queries) continue;
    sum += moved;
    if (moved > most) {
      most = moved;
      effect.most_moved = i;
    }
  }
  effect.mean_moved = own_queries > 0 ? sum / static_cast<double>(std::min(own_queries, queries)) : 0;
  effect.before = transposed ? b.permuted({1, 0}).compact() : b;
  effect.difference = transposed ? difference.permuted({1, 0}).compact() : difference;
  return effect;
}

template <class T>
std::shared_ptr<const T> find(const Context& context, std::int64_t cells, const DerivedKey& key,
                              std::function<Result<T>(const CancelToken&)> make) {
  return cells <= kAtOnce ? context.derived.now<T>(key, make).value : context.derived.later<T>(key, std::move(make)).value;
}

}  // namespace

std::shared_ptr<const MaskedWeights> masked_weights(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  const bool transposed = context.view.transposed;
  const DerivedKey key = key_of("masks/weights", context, choice).add(choice.head).add(transposed).add(choice.words != nullptr);
  return find<MaskedWeights>(context, choice.site->queries * choice.site->keys, key,
                             [trace, site = *choice.site, batch = choice.batch, head = choice.head, transposed,
                              words = choice.words, key](const CancelToken&) -> Result<MaskedWeights> {
                               Trace::Tile tile;
                               tile.batch = batch;
                               tile.head = head;
                               HL_ASSIGN(const Tensor weights, trace->tile(trace->name_at(site.prefix, Role::weights), tile));
                               MaskedWeights out;
                               out.values = weights.as(DType::f32).compact();
                               out.mask = mask_of_sentence(site.mask, site.queries, site.keys, batch);
                               if (words) {
                                 out.values = words_weights(out.values, out.mask, *words);
                                 out.mask = words_mask(out.mask, *words);
                               }
                               if (transposed) {
                                 out.values = out.values.permuted({1, 0}).compact();
                                 if (!out.mask.empty()) out.mask = out.mask.permuted({1, 0}).compact();
                               }
                               out.key = key.hash();
                               return out;
                             });
}

MaskEffectAnswer mask_effect(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  const auto runs = context.derived.now<Unmasked>(DerivedKey("masks/unmasked"),
                                                  [](const CancelToken&) -> Result<Unmasked> { return Unmasked(); });
  // The document's text is long; it is read once a trace.
  struct Plain {
    Document document;
    std::string name;
  };
  const auto plain =
      context.derived.now<Plain>(DerivedKey("masks/plain", {trace->generation()}), [&](const CancelToken&) -> Result<Plain> {
        Plain p{trace->document(), {}};
        p.document.masks.clear();
        p.document.custom_mask = nullptr;
        p.document.mask_fill = operations::MaskFill::minus_infinity;
        p.name = name_of(p.document);
        return p;
      });
  const std::int64_t cells = choice.site->queries * choice.site->keys;
  const bool transposed = context.view.transposed;
  const DerivedKey key = key_of("masks/effect", context, choice).add(choice.head).add(transposed).add(choice.words != nullptr);
  const std::function<Result<MaskEffect>(const CancelToken&)> make =
      [trace, runs = runs.value->state, plain = plain.value, choice_prefix = choice.site->prefix, batch = choice.batch,
       head = choice.head, site = *choice.site, transposed, words = choice.words,
       key](const CancelToken& cancel) -> Result<MaskEffect> {
    std::shared_ptr<const Trace> without = trace;
    if (!trace->document().masks.empty()) {
      HL_ASSIGN(without, unmasked_trace(*runs, plain->name, plain->document, cancel));
    }
    Trace::Tile tile;
    tile.batch = batch;
    tile.head = head;
    HL_ASSIGN(Tensor after, trace->tile(trace->name_at(choice_prefix, Role::weights), tile));
    HL_ASSIGN(Tensor before, without->tile(without->name_at(choice_prefix, Role::weights), tile));
    const auto sentences = site.rows_are_targets ? trace->targets() : trace->texts();
    auto own = static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size());
    if (words) {
      after = words_weights(after, mask_of_sentence(site.mask, site.queries, site.keys, batch), *words);
      before = words_weights(before, {}, *words);
      own = words->rows.at(own - 1) + 1;
    }
    HL_ASSIGN(MaskEffect effect, effect_of(after, before, own, transposed));
    effect.before_key = DerivedKey("masks/before", {key}).hash();
    effect.difference_key = DerivedKey("masks/difference", {key}).hash();
    return effect;
  };
  const bool at_once = cells <= kAtOnce && (trace->document().masks.empty() || has_trace(*runs.value->state, plain.value->name));
  const auto answer = at_once ? context.derived.now<MaskEffect>(key, make) : context.derived.later<MaskEffect>(key, make);
  return {answer.value, answer.error ? spoken_in_window(*answer.error) : std::string()};
}

std::shared_ptr<const MaskCount> mask_count(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  const std::int64_t cells = choice.site->queries * choice.site->keys;
  return find<MaskCount>(context, cells, key_of("masks/count", context, choice),
                         [trace, site = *choice.site, batch = choice.batch](const CancelToken&) -> Result<MaskCount> {
                           return count_masks(site.mask, site.queries, site.keys, batch);
                         });
}

std::shared_ptr<const std::vector<figures::CellEdge>> mask_boundary(const Context& context, const AttentionChoice& choice) {
  using Edges = std::vector<figures::CellEdge>;
  const std::int64_t cells = choice.site->queries * choice.site->keys;
  if (cells > kAtOnce) return nullptr;
  const bool transposed = context.view.transposed;
  return context.derived
      .now<Edges>(key_of("masks/edges", context, choice).add(transposed).add(choice.words != nullptr),
                  [&](const CancelToken&) -> Result<Edges> {
                    Tensor mask = mask_of_sentence(choice.site->mask, choice.site->queries, choice.site->keys, choice.batch);
                    if (choice.words) mask = words_mask(mask, *choice.words);
                    if (transposed && !mask.empty()) mask = mask.permuted({1, 0}).compact();
                    return figures::mask_edges(mask);
                  })
      .value;
}

}  // namespace headlight::views::masked
