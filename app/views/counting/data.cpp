#include "app/views/counting/data.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "engine/document/stored_model.h"

namespace headlight::views::counting {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr int kLengths = 33;  // from 128 to 2^23 tokens, two for each doubling

// The document's model: a trained one's own sizes, or the sandbox's with the table that an output would need.
ModelSizes of_document(const Document& d, const Trace* trace) {
  if (d.model != "sandbox") {
    if (const auto model = open_stored_model(d.model); model.ok()) return sizes_of(**model);
  }
  StoredModel sandbox;
  sandbox.title = tr("sandbox");
  sandbox.document = d;
  sandbox.task = trace && !trace->targets().empty() ? ModelTask::encoder_decoder : ModelTask::decoder;
  sandbox.tied = true;  // it ends in vectors, without an output matrix
  if (trace && trace->tokenizer()) sandbox.vocabulary = trace->tokenizer()->vocabulary_size();
  sandbox.vocabulary = std::max<std::int64_t>(1, sandbox.vocabulary);
  sandbox.length = 128;
  ModelSizes sizes = sizes_of(sandbox);
  sizes.source = tr("the document's sandbox");
  return sizes;
}

}  // namespace

const std::array<Knob, 7>& knobs() {
  using V = State;
  using S = ModelSizes;
  static const std::array<Knob, 7> knobs = {{
      {"d_model", tr_later("width d"), &V::d_model, &S::d_model, 16, 32768},
      {"heads", tr_later("heads"), &V::heads, &S::heads, 1, 256},
      {"layers", tr_later("layers"), &V::layers, &S::layers, 1, 256},
      {"d_k", tr_later("width of a head d_k"), &V::d_k, &S::d_k, 4, 1024},
      {"neurons", tr_later("neurons"), &V::neurons, &S::neurons, 16, 131072},
      {"vocabulary", tr_later("vocabulary"), &V::vocabulary, &S::vocabulary, 16, 1048576},
      {"context", tr_later("length of the text"), &V::context, &S::context, 128, 1048576},
  }};
  return knobs;
}

Counted counted(const State& view, const Document& document, const Trace* trace) {
  Counted state;
  state.presets = counted_presets();
  ModelSizes own = of_document(document, trace);
  own.id = "model";
  state.presets.push_back(std::move(own));
  const auto chosen =
      std::find_if(state.presets.begin(), state.presets.end(), [&](const ModelSizes& s) { return s.id == view.base; });
  state.base = chosen == state.presets.end() ? state.presets.front() : *chosen;
  ModelSizes sizes = state.base;
  for (const Knob& knob : knobs())
    if (view.*knob.own > 0) sizes.*knob.size = view.*knob.own;
  if (sizes.key_heads > 0) sizes.key_heads = std::min(sizes.key_heads, sizes.heads);
  if (!view.unembedding.empty()) sizes.shared = view.unembedding == "shared";
  state.own = !(sizes == state.base);
  if (state.own) sizes.label = fill(tr("{}, changed"), {state.base.label});
  state.status = check(sizes);
  CountingInput& input = state.input;
  input.sizes = sizes;
  if (state.status.ok()) input.count = count_parameters(sizes);
  input.line = view.line;
  input.bytes = view.numbers == "fp32" ? 4 : 2;
  input.tokens = static_cast<double>(std::max<std::int64_t>(1, sizes.context));
  return state;
}

figures::CurvesInput memory_curves(const CountingInput& input) {
  figures::CurvesInput curves;
  curves.title = tr("Memory by length of text");
  curves.x_axis = tr("length of the text, tokens");
  curves.y_axis = "GiB";
  curves.x_log = curves.y_log = true;
  figures::CurvesInput::Curve cache{tr("key-value cache"), {}, 1, false}, maps{tr("one layer's maps"), {}, 4, false},
      weights{tr("weights"), {}, 9, true};
  for (int i = 0; i < kLengths; ++i) {
    const double tokens = 128 * std::exp2(0.5 * i);
    curves.x.push_back(tokens);
    cache.y.push_back(cache_bytes(input.sizes, tokens, input.bytes) / kGiB);
    maps.y.push_back(map_bytes(input.sizes, tokens, input.bytes) / kGiB);
    weights.y.push_back(input.bytes * static_cast<double>(input.count.total) / kGiB);
    if (tokens <= input.tokens * 1.19) curves.hot = i;
  }
  if (cache.y.front() > 0) curves.curves.push_back(std::move(cache));
  curves.curves.push_back(std::move(maps));
  curves.curves.push_back(std::move(weights));
  return curves;
}

}  // namespace headlight::views::counting
