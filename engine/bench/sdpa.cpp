// A multi-head attention layer, step by step as operations of the backend: x = F[ids] + P, Q, K, V = x W, split heads, softmax(Q
// K^T / sqrt(d_k)) V. `kept` writes scores, scaled scores and weights as a trace does; `fused` writes none of them. In the stage
// `pooled` the layer's output is the mean over the queries, as in the notebook: the mean of every query's output or, in `first`,
// of the scores before the value product, which is the same by linearity; on a device also through its attention kernel. Fixed
// weights (`cached`) do not help the steps; the pooled rows keep them packed.
#include <algorithm>
#include <cmath>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/benches.h"
#include "engine/bench/ceilings.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/gather.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/linear.h"
#include "engine/operations/split_heads.h"

namespace headlight::bench {
namespace {

using namespace backends;

constexpr int kSdpaSets = 4;
constexpr std::int64_t kSdpaCheckedWords = 4;

enum class Stage { q, qk, layer };

// The prepared steps of one variant; after run(), result() is the stage's result.
class Layer {
 public:
  static Result<std::shared_ptr<Layer>> make(const Request& r, Backend& backend, std::int64_t words, Stage stage, bool kept) {
    auto layer = std::make_shared<Layer>();
    layer->backend_ = &backend;
    const std::int64_t rows = words * r.length;
    const std::int64_t d_k = r.d / r.heads;
    const std::size_t projections = stage == Stage::q ? 1 : 3;
    HL_TRY(layer->step(Gather{rows, r.vocab, r.d}));
    HL_TRY(layer->step(Add{words, r.length * r.d, true}));
    for (std::size_t i = 0; i < projections; ++i) HL_TRY(layer->step(Linear{rows, r.d, r.d}));
    if (stage != Stage::q) {
      for (int i = 0; i < 3; ++i) HL_TRY(layer->step(SplitHeads{words, r.length, r.heads, d_k}));
      Attention op;
      op.batch = words;
      op.heads = r.heads;
      op.queries = op.keys = r.length;
      op.d_k = op.d_v = d_k;
      op.scale = 1 / std::sqrt(static_cast<double>(d_k));
      op.keep_scores = stage == Stage::qk || kept;
      op.keep_scaled = op.keep_weights = kept;
      op.has_mask = r.pad_index >= 0;
      HL_TRY(layer->step(op));
    }
    layer->words_ = words;
    layer->length_ = r.length;
    layer->d_ = r.d;
    layer->result_ = stage == Stage::q ? 2 : layer->steps_.size() - 1;
    layer->scores_ = stage == Stage::qk;
    return layer;
  }

  // `in` as notebook_inputs gives it, then the mask, if symbols are masked.
  Status run(const std::vector<Buffer>& in, const CancelToken& cancel) {
    HL_TRY(execute(0, {in[0], flat(in[5], {words_ * length_})}, cancel));
    const Buffer sum = flat(steps_[0].out[0], {words_, length_ * d_});
    HL_TRY(execute(1, {sum, flat(in[1], {length_ * d_})}, cancel));
    const std::size_t projections = steps_.size() > 3 ? 3 : 1;
    for (std::size_t i = 0; i < projections; ++i) {
      HL_TRY(execute(2 + i, {flat(steps_[1].out[0], {words_ * length_, d_}), in[2 + i]}, cancel));
    }
    if (projections == 1) return {};
    for (std::size_t i = 0; i < 3; ++i) HL_TRY(execute(5 + i, {flat(steps_[2 + i].out[0], {words_, length_, d_})}, cancel));
    std::vector<Buffer> last{steps_[5].out[0], steps_[6].out[0], steps_[7].out[0]};
    last.insert(last.end(), in.begin() + 6, in.end());
    return execute(8, last, cancel);
  }

  Result<Tensor> result() const {
    HL_ASSIGN(const Tensor t, backend_->download(steps_[result_].out[scores_ ? 1 : 0]));
    return result_ == 2 ? t.reshaped({words_, length_, d_}) : t;
  }

  Cost cost() const {
    Cost total;
    for (const Step& one : steps_) total += cost_of(one.desc, backend_->dtype());
    return total;
  }

 private:
  struct Step {
    OpDesc desc;
    std::unique_ptr<Plan> plan;
    std::vector<Buffer> out;
  };

  Status step(const OpDesc& desc) {
    if (!backend_->supports(desc)) {
      return failure(ErrorKind::unavailable, "the {} backend has no {}", backend_->device().id, desc.id())
          .mend("use --backend cpu");
    }
    HL_ASSIGN(std::unique_ptr<Plan> plan, backend_->prepare(desc));
    Step made{desc, std::move(plan), {}};
    HL_ASSIGN(const Signature s, signature(desc, backend_->dtype()));
    for (std::size_t i = 0; i < s.outputs.size(); ++i) {
      HL_ASSIGN(Buffer buffer, backend_->allocate(backend_->dtype(), s.outputs[i], s.output_axes[i]));
      made.out.push_back(std::move(buffer));
    }
    steps_.push_back(std::move(made));
    return {};
  }
  Status execute(std::size_t i, const std::vector<Buffer>& in, const CancelToken& cancel) {
    return backend_->execute(*steps_[i].plan, in, steps_[i].out, cancel);
  }
  static Buffer flat(const Buffer& buffer, Shape shape) { return {buffer.host.reshaped(std::move(shape)), buffer.device}; }

  Backend* backend_ = nullptr;
  std::vector<Step> steps_;
  std::size_t result_ = 0;
  bool scores_ = false;
  std::int64_t words_ = 0, length_ = 0, d_ = 0;
};

struct SdpaVariant {
  const char* name;
  Stage stage;
  bool kept;
};
constexpr SdpaVariant kSteps[] = {{"q:linear", Stage::q, false},
                                  {"qk:kept", Stage::qk, false},
                                  {"layer:kept", Stage::layer, true},
                                  {"layer:fused", Stage::layer, false}};

bool is_asked(const Request& r, std::string_view name) { return r.stage.empty() || name.starts_with(r.stage + ":"); }

// The mask of the words' symbols, 1 for those that may be attended to: [W, 1, 1, l].
Tensor mask_of(const Tensor& ids, std::int64_t pad) {
  Tensor mask(DType::u8, {ids.dim(0), 1, 1, ids.dim(1)}, {}, true);
  for (std::int64_t i = 0; i < ids.count(); ++i)
    mask.data<std::uint8_t>()[i] = ids.data<std::int32_t>()[i] == pad ? std::uint8_t{0} : std::uint8_t{1};
  return mask;
}

std::vector<Tensor> inputs_of(const Request& r, int set) {
  std::vector<Tensor> made = notebook_inputs(r, static_cast<std::uint64_t>(1 + set));
  if (r.pad_index >= 0) made.push_back(mask_of(made.back(), r.pad_index));
  return made;
}

using Sets = std::vector<std::vector<Buffer>>;

// The inputs of set `round`; with fixed weights those of the first set with the words of set `round`.
std::vector<Buffer> inputs_for(const Sets& sets, int round, bool fixed) {
  const std::vector<Buffer>& set = sets[static_cast<std::size_t>(round % kSdpaSets)];
  if (!fixed) return set;
  std::vector<Buffer> in = sets.front();
  std::copy(set.begin() + 5, set.end(), in.begin() + 5);
  return in;
}

// The pooled layer, one operation of the backend.
struct Pooled {
  std::unique_ptr<Plan> plan;
  std::vector<Buffer> out;
};
Isdpa pooled_op(const Request& r, std::int64_t words, Isdpa::Method method) {
  Isdpa op;
  op.words = words;
  op.length = r.length;
  op.vocabulary = r.vocab;
  op.d = r.d;
  op.heads = r.heads;
  op.pad_index = r.pad_index;
  op.method = method;
  op.cached = r.mode == "cached";
  return op;
}

// Gives a contender of a device the functions that upload its words and download its result.
void add_transfers(Contender& contender, Backend& backend, bool on_device, const Tensor& words,
                   std::function<Status()> download) {
  if (!on_device) return;
  contender.upload = [&backend, words]() -> Status {
    HL_ASSIGN(const Buffer there, backend.upload(words));
    return {};
  };
  contender.download = std::move(download);
  contender.warm_up = 2 * kSdpaSets + 1;
}

Result<std::shared_ptr<Pooled>> prepared(Backend& backend, const Isdpa& op) {
  auto pooled = std::make_shared<Pooled>();
  HL_ASSIGN(pooled->plan, backend.prepare(op));
  HL_ASSIGN(Buffer result, backend.allocate(backend.dtype(), {op.words, op.d}, {"word", "d_model"}));
  pooled->out.push_back(std::move(result));
  return pooled;
}

// Uploads the inputs of every set; returns those of the first set, on the host.
Result<std::vector<Buffer>> sdpa_upload_inputs(const Request& r, Sets& sets) {
  std::vector<Buffer> first;
  for (int set = 0; set < kSdpaSets; ++set) {
    std::vector<Buffer> buffers;
    for (const Tensor& t : inputs_of(r, set)) {
      HL_ASSIGN(Buffer buffer, r.backend->upload(t));
      buffers.push_back(std::move(buffer));
      if (set == 0) first.push_back({t, nullptr});
    }
    sets.push_back(std::move(buffers));
  }
  return first;
}

Row row_for(const Request& r, const char* name, const Cost& cost) {
  Row row = row_of(r, "sdpa", name, r.mode.empty() ? "per-call" : r.mode);
  row.sizes = {{"words", r.words}, {"length", r.length}, {"vocab", r.vocab}, {"d", r.d}, {"heads", r.heads}};
  row.flops = cost.flops;
  row.bytes = cost.bytes;
  return row;
}

// The request with a number of heads: if none was asked for, eight, or the largest number below that divides d.
Result<Request> with_heads(const Request& asked) {
  Request r = asked;
  for (r.heads = r.heads > 0 ? r.heads : 8; asked.heads == 0 && r.d % r.heads != 0;) --r.heads;
  if (r.d % r.heads == 0) return r;
  return usage_error("{} heads do not divide d = {}", r.heads, r.d).at("--heads").mend("choose a divisor");
}

}  // namespace

Result<std::vector<Row>> sdpa(const Request& asked, const CancelToken& cancel) {
  HL_ASSIGN(const Request r, with_heads(asked));
  Backend& backend = *r.backend;
  HL_ASSIGN(const bool on_device, is_device(backend));
  // Four variants of up to nine steps of [W, l, d], and six score arrays that two of them keep.
  std::vector<Shape> arrays(34, Shape{r.words, r.length, r.d});
  arrays.insert(arrays.end(), 6, Shape{r.words, r.heads, r.length, r.length});
  HL_TRY(check_fits(r, arrays));
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  std::vector<Contender> contenders;
  if (r.ceilings) {
    HL_ASSIGN(contenders, ceiling_contenders(backend, cancel));
  }
  const std::size_t ceilings = contenders.size();  // beside which one way is measured in any case
  const std::int64_t checked = std::min(r.words, r.effort.begun && r.effort.seconds < 2 ? 1 : kSdpaCheckedWords);
  const bool fixed = r.mode == "cached";
  if (r.progress) r.progress("making inputs");
  auto sets = std::make_shared<Sets>();
  HL_ASSIGN(std::vector<Buffer> first, sdpa_upload_inputs(r, *sets));  // the reference's inputs: the first words of set 0
  const Tensor words = first[5].host;
  for (std::size_t i = 5; i < first.size(); ++i) first[i].host = first[i].host.slice(0, 0, checked).compact();
  if (r.progress) r.progress("computing the reference in double");
  for (const SdpaVariant& variant : kSteps) {
    if (!is_asked(r, variant.name)) continue;
    if (contenders.size() > ceilings && r.effort.over()) {
      contenders.push_back({row_for(r, variant.name, {})});
      continue;
    }
    HL_ASSIGN(const std::shared_ptr<Layer> layer, Layer::make(r, backend, r.words, variant.stage, variant.kept));
    HL_ASSIGN(const std::shared_ptr<Layer> truth, Layer::make(r, *reference, checked, variant.stage, false));
    HL_TRY(truth->run(first, cancel));
    HL_ASSIGN(const Tensor expected, truth->result());
    HL_TRY(layer->run((*sets)[0], cancel));
    HL_ASSIGN(const Tensor actual, layer->result());
    Contender contender;
    contender.row = row_for(r, variant.name, layer->cost());
    contender.row.kernel = cuda::kernel_of(backend);  // the kernel of the run above, of its last step
    contender.row.error = errors_of(actual, expected);
    contender.run_once = [layer, sets, fixed, &cancel](int round) { return layer->run(inputs_for(*sets, round, fixed), cancel); };
    add_transfers(contender, backend, on_device, words, [layer]() -> Status {
      HL_ASSIGN(const Tensor here, layer->result());
      return {};
    });
    contenders.push_back(std::move(contender));
  }
  for (const auto& [name, method] : {std::pair{"pooled:fused", Isdpa::Method::direct},
                                     {"pooled:first", Isdpa::Method::direct_pooled},
                                     {"pooled:attention", Isdpa::Method::direct_attention}}) {
    if (!is_asked(r, name) || (method == Isdpa::Method::direct_attention && !on_device)) continue;
    if (contenders.size() > ceilings && r.effort.over()) {
      contenders.push_back({row_for(r, name, {})});
      continue;
    }
    const Isdpa op = pooled_op(r, r.words, method);
    HL_ASSIGN(const std::shared_ptr<Pooled> pooled, prepared(backend, op));
    const auto run = [&backend, pooled, sets, fixed, &cancel](int round) {
      std::vector<Buffer> in = inputs_for(*sets, round, fixed);
      in.resize(6);  // the operation masks on its own
      return backend.execute(*pooled->plan, in, pooled->out, cancel);
    };
    HL_TRY(run(0));
    HL_ASSIGN(const Tensor actual, backend.download(pooled->out[0]));
    const std::vector<Buffer> few(first.begin(), first.begin() + 6);
    HL_ASSIGN(const std::vector<Buffer> truth, reference->apply(pooled_op(r, checked, Isdpa::Method::direct), few, cancel));
    Contender contender;
    contender.row = row_for(r, name, cost_of(op, backend.dtype(), fixed));
    contender.row.error = errors_of(actual, truth[0].host);
    contender.run_once = run;
    add_transfers(contender, backend, on_device, words, [&backend, pooled]() -> Status {
      HL_ASSIGN(const Tensor here, backend.download(pooled->out[0]));
      return {};
    });
    contenders.push_back(std::move(contender));
  }
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(contenders), effort_on(backend, r.effort), cancel, r.progress));
  apply_ceilings(rows);
  return rows;
}

}  // namespace headlight::bench
