// Index-based attention against the same layer written out. Four sets of inputs rotate; plans and outputs are made beforehand.
//
// The written-out layer is measured in its best forms. `notebook` makes and keeps every intermediate array, as the notebook does;
// `fused` works through tiles of words and writes only the result; `pooled` also pools before the value product, which is the
// same by linearity; the next three add the shortcuts that plain algebra offers (cpu/isdpa_shortcuts.cpp). `attention`, on a
// device and for heads of up to 128, is one fused projection and the backend's attention kernel, with its output pooled; on the
// host `fused` does that. In the mode `cached` the weights are fixed for all variants alike, and each keeps what it can: packed
// or folded weights, projected rows, tables. The rows `unpooled` are the ordinary layer, which keeps every query's output.
#include <algorithm>

#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/bench/ceilings.h"
#include "engine/operations/isdpa.h"

namespace headlight::bench {
namespace {

using namespace backends;

struct Variant {
  const char* name;
  const char* mode;
  Isdpa op;
  int checked;  // output of the reference to compare with: 0 Q, 1 qk, 2 result, 3 result of every query, 4 none
};

Isdpa base(const Request& r, Isdpa::Method method, bool cached = false) {
  Isdpa op;
  op.words = r.words;
  op.length = r.length;
  op.vocabulary = r.vocab;
  op.d = r.d;
  op.heads = r.heads;
  op.pad_index = r.pad_index;
  op.separate_position_weights = r.position_weights;
  op.method = method;
  op.cached = cached;
  op.keep_result = false;
  return op;
}

// The widest head that the fused attention kernels support.
constexpr std::int64_t kWidestHead = 128;

std::vector<Variant> variants(const Request& r, bool on_device) {
  using Method = Isdpa::Method;
  std::vector<Variant> all;
  const auto add = [&](const char* name, const char* mode, Isdpa op, int checked, auto keep) {
    if (!r.mode.empty() && r.mode != mode) return;
    if (!r.stage.empty() && !std::string_view(name).starts_with(r.stage + ":")) return;
    const auto asked = [&](const std::string& variant) { return variant == name || variant == std::string(name) + " " + mode; };
    if (!r.variants.empty() && std::none_of(r.variants.begin(), r.variants.end(), asked)) return;
    if (Isdpa::is_folded(op.method) && op.heads > 1) return;          // folding saves nothing with several heads
    if (Isdpa::is_shortcut(op.method) && r.position_weights) return;  // these need one weight for symbols and positions
    keep(op);
    all.push_back({name, mode, op, checked});
  };
  const auto q = [](Isdpa& op) { op.keep_q = true; };
  const auto qk = [](Isdpa& op) { op.keep_v = op.keep_qk = true; };
  const auto layer = [](Isdpa& op) { op.keep_result = true; };
  const auto everything = [](Isdpa& op) {
    op.keep_q = op.keep_k = op.keep_v = op.keep_qk = op.keep_score = op.keep_result = true;
  };
  add("q:index", "per-call", base(r, Method::index), 0, q);
  add("q:index", "cached", base(r, Method::index, true), 0, q);
  add("q:direct", "per-call", base(r, Method::direct), 0, q);
  add("qk:index", "per-call", base(r, Method::index), 1, qk);
  add("qk:index", "cached", base(r, Method::index, true), 1, qk);
  add("qk:direct", "per-call", base(r, Method::direct), 1, qk);
  add("q:direct", "cached", base(r, Method::direct, true), 0, q);
  add("qk:direct", "cached", base(r, Method::direct, true), 1, qk);
  const auto every_query = [](Isdpa& op) {
    op.keep_result = true;
    op.pooled = false;
  };
  for (const bool cached : {false, true}) {
    const char* const mode = cached ? "cached" : "per-call";
    add("layer:index", mode, base(r, Method::index, cached), 2, layer);
    add("layer:notebook", mode, base(r, Method::direct, cached), 2, everything);
    add("layer:fused", mode, base(r, Method::direct, cached), 2, layer);
    add("layer:pooled", mode, base(r, Method::direct_pooled, cached), 2, layer);
    add("layer:folded", mode, base(r, Method::direct_folded, cached), 2, layer);
    add("layer:distinct", mode, base(r, Method::direct_distinct, cached), 2, layer);
    add("layer:distinct-folded", mode, base(r, Method::direct_distinct_folded, cached), 2, layer);
    if (on_device && r.d / r.heads <= kWidestHead)
      add("layer:attention", mode, base(r, Method::direct_attention, cached), 2, layer);
    // The index method without its last step: not a method of its own, but its share of the time. Measured only if it is named.
    if (std::any_of(r.variants.begin(), r.variants.end(),
                    [](const std::string& v) { return v.starts_with("layer:index-scores"); }))
      add("layer:index-scores", mode, base(r, Method::index, cached), 4, [](Isdpa& op) { op.keep_score = true; });
    add("layer:index-unpooled", mode, base(r, Method::index, cached), 3, every_query);
    add("layer:fused-unpooled", mode, base(r, Method::direct, cached), 3, every_query);
    add("layer:distinct-unpooled", mode, base(r, Method::direct_distinct, cached), 3, every_query);
    if (on_device && r.d / r.heads <= kWidestHead)
      add("layer:attention-unpooled", mode, base(r, Method::direct_attention, cached), 3, every_query);
  }
  return all;
}

// Q, qk, result and the result of every query, of the first words, in double, by the plain formula.
Result<std::vector<Tensor>> isdpa_expected(const Request& r, const std::vector<Tensor>& inputs, const CancelToken& cancel) {
  Isdpa op = base(r, Isdpa::Method::direct);
  // Words do not depend on each other; a short time allows for a few.
  const auto most = r.effort.begun ? std::max<std::int64_t>(1, static_cast<std::int64_t>(2 * r.effort.seconds)) : r.checked_words;
  op.words = std::min({r.words, r.checked_words, most});
  op.keep_q = op.keep_qk = op.keep_result = true;
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  std::vector<Buffer> in;
  for (const Tensor& t : inputs) in.push_back({t, nullptr});
  in.back().host = in.back().host.slice(0, 0, op.words);
  HL_ASSIGN(const std::vector<Buffer> out, reference->apply(op, in, cancel));
  std::vector<Tensor> arrays;
  for (const Buffer& buffer : out) arrays.push_back(buffer.host);
  op.pooled = op.keep_q = op.keep_qk = false;
  HL_ASSIGN(const std::vector<Buffer> every_query, reference->apply(op, in, cancel));
  arrays.push_back(every_query[0].host);
  return arrays;
}

// One contender's plan and outputs; its closures share it.
struct Setting {
  std::unique_ptr<Plan> plan;
  std::vector<Buffer> outputs;
};

// The inputs of every set on the device; `first`: those of the first set.
Result<std::vector<std::vector<Buffer>>> upload_inputs(const Request& r, std::vector<Tensor>& first) {
  std::vector<std::vector<Buffer>> sets;
  for (int set = 0; set < r.sets; ++set) {
    const std::vector<Tensor> made = notebook_inputs(r, static_cast<std::uint64_t>(1 + set));
    if (set == 0) first = made;
    std::vector<Buffer> buffers;
    for (const Tensor& t : made) {
      HL_ASSIGN(Buffer buffer, r.backend->upload(t));
      buffers.push_back(std::move(buffer));
    }
    sets.push_back(std::move(buffers));
  }
  return sets;
}

Row row_of_variant(const Request& r, const Variant& variant) {
  Row row = row_of(r, "isdpa", variant.name, variant.mode);
  row.sizes = {{"words", r.words}, {"length", r.length}, {"vocab", r.vocab}, {"d", r.d}, {"heads", r.heads}};
  if (r.pad_index >= 0) row.sizes.emplace_back("pad_index", r.pad_index);
  if (r.position_weights) row.sizes.emplace_back("position_weights", 1);
  const Cost cost = cost_of(variant.op, r.backend->dtype(), variant.op.cached);
  row.flops = cost.flops;
  row.bytes = cost.bytes;
  return row;
}

// Adds the ways of combining heads, where the request is for them.
Status add_combiners(const Request& r, std::vector<Contender>& contenders, const CancelToken& cancel) {
  if (!(r.mode != "cached" && r.variants.empty() && (r.stage.empty() || r.stage == "combiner"))) return {};
  if (r.effort.over()) {
    for (const char* name : {"combiner:concat", "combiner:stack2d"}) contenders.push_back({row_of(r, "isdpa", name, "per-call")});
    return {};
  }
  // The notebook's figure has 32 heads of full width, whatever the layer above has.
  constexpr std::int64_t kHeads = 32;
  HL_TRY(check_fits(r, {{kHeads, r.words, r.d}, {kHeads, r.words, r.d}, {kHeads, r.words, r.d}, {kHeads * r.d, r.d}}));
  HL_ASSIGN(std::vector<Contender> combining, combiner_contenders(r, kHeads, cancel));
  for (Contender& contender : combining) contenders.push_back(std::move(contender));
  return {};
}

// A variant's plan and the arrays that it writes.
Result<std::shared_ptr<Setting>> isdpa_prepared(Backend& backend, const Variant& variant) {
  auto setting = std::make_shared<Setting>();
  HL_ASSIGN(setting->plan, backend.prepare(variant.op));
  HL_ASSIGN(const Signature s, signature(variant.op, backend.dtype()));
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    HL_ASSIGN(Buffer buffer, backend.allocate(backend.dtype(), s.outputs[i], s.output_axes[i]));
    setting->outputs.push_back(std::move(buffer));
  }
  return setting;
}

// Refuses a request that is too large, before any array is made.
Status check_arrays(const Request& r, const std::vector<Variant>& all) {
  std::vector<Shape> arrays;
  for (const Variant& variant : all) {
    HL_ASSIGN(const Signature s, signature(variant.op, r.backend->dtype()));
    arrays.insert(arrays.end(), s.outputs.begin(), s.outputs.end());
    if (variant.checked == 0) arrays.insert(arrays.end(), s.inputs.begin(), s.inputs.end());  // about one array per set of inputs
  }
  return check_fits(r, arrays);
}

}  // namespace

Result<std::vector<Row>> isdpa(const Request& r, const CancelToken& cancel) {
  Backend& backend = *r.backend;
  const OpDesc written_out = base(r, Isdpa::Method::direct);
  if (!backend.supports(written_out)) {
    return failure(ErrorKind::unavailable, "the {} backend has no index-based attention", backend.device().id)
        .mend("use --backend cpu");
  }
  if (r.heads < 1 || r.d % r.heads != 0) {
    return usage_error("{} heads do not divide d = {}", r.heads, r.d).at("--heads").mend("choose a divisor");
  }
  HL_ASSIGN(const bool on_device, is_device(backend));
  const std::vector<Variant> all = variants(r, on_device);
  HL_TRY(check_arrays(r, all));

  if (r.progress) r.progress("making inputs");
  std::vector<Tensor> first;
  HL_ASSIGN(const std::vector<std::vector<Buffer>> sets, upload_inputs(r, first));
  std::vector<Tensor> truth;
  if (r.stage != "combiner" && r.checked_words > 0) {
    if (r.progress) r.progress("computing the reference in double");
    HL_ASSIGN(truth, isdpa_expected(r, first, cancel));
  }

  std::vector<Contender> contenders;
  if (r.ceilings) {
    HL_ASSIGN(contenders, ceiling_contenders(backend, cancel));
  }
  const std::size_t ceilings = contenders.size();  // beside which one way is measured in any case
  // If the device records work, the first run of each set of inputs is direct, the second is recorded, and later ones are
  // replayed.
  const int warm_up = on_device ? 2 * r.sets + 1 : r.effort.begun ? 1 : 3;
  for (const Variant& variant : all) {
    if (contenders.size() > ceilings && r.effort.over()) {
      contenders.push_back({row_of_variant(r, variant)});
      continue;
    }
    const bool cached = variant.op.cached;
    HL_ASSIGN(const std::shared_ptr<Setting> setting, isdpa_prepared(backend, variant));
    const auto run = [&backend, &sets, &cancel, setting, cached](int round) -> Status {
      const auto set = static_cast<std::size_t>(round) % sets.size();
      if (!cached) return backend.execute(*setting->plan, sets[set], setting->outputs, cancel);
      // Cached: every call has the same weights and other words.
      std::vector<Buffer> in = sets[0];
      in.back() = sets[set].back();
      return backend.execute(*setting->plan, in, setting->outputs, cancel);
    };
    Row row = row_of_variant(r, variant);
    HL_TRY(run(0));
    std::function<Status()> upload, download;
    if (on_device) {
      const std::size_t last = setting->outputs.size() - 1;
      upload = [&backend, words = first.back()]() -> Status {
        HL_ASSIGN(const Buffer there, backend.upload(words));
        return {};
      };
      download = [&backend, setting, last]() -> Status {
        HL_ASSIGN(const Tensor here, backend.download(setting->outputs[last]));
        return {};
      };
    }
    if (truth.empty() || variant.checked == 4) {
      contenders.push_back({std::move(row), run, upload, download, warm_up});
      continue;
    }
    const std::size_t which = variant.checked == 1 ? setting->outputs.size() - 1 - (variant.op.keep_result ? 2 : 0)
                                                   : (variant.checked == 0 ? 0 : setting->outputs.size() - 1);
    HL_ASSIGN(const Tensor made, backend.download(setting->outputs[which]));
    row.error = errors_of(made, truth[static_cast<std::size_t>(variant.checked)]);
    contenders.push_back({std::move(row), run, upload, download, warm_up});
  }
  HL_TRY(add_combiners(r, contenders, cancel));
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(contenders), effort_on(backend, r.effort), cancel, r.progress));
  apply_ceilings(rows);
  return rows;
}

}  // namespace headlight::bench
