// A multi-head attention layer, step by step as operations of the backend: x = F[ids] + P, Q, K, V = x W, heads apart, softmax(Q
// K^T / sqrt(d_k)) V. `kept` writes scores, scaled scores and weights as a trace does; `fused` none of them.
#include <algorithm>
#include <cmath>

#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/benches.h"
#include "engine/bench/ceilings.h"
#include "engine/bench/cost.h"

namespace headlight::bench {
namespace {

using namespace backends;

constexpr int kSets = 4;
constexpr std::int64_t kCheckedWords = 4;

enum class Stage { q, qk, layer };

// The prepared steps of one variant; run() leaves the stage's answer in result().
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
      HL_TRY(layer->step(op));
    }
    layer->words_ = words;
    layer->length_ = r.length;
    layer->d_ = r.d;
    layer->result_ = stage == Stage::q ? 2 : layer->steps_.size() - 1;
    layer->scores_ = stage == Stage::qk;
    return layer;
  }

  // `in` as notebook_inputs gives it.
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
    return execute(8, {steps_[5].out[0], steps_[6].out[0], steps_[7].out[0]}, cancel);
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
      return Error{
          ErrorKind::unavailable, "the " + backend_->device().id + " backend has no " + name_of(desc), {}, "use --backend cpu"};
    }
    Step made;
    made.desc = desc;
    HL_ASSIGN(made.plan, backend_->prepare(desc));
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

struct Variant {
  const char* name;
  Stage stage;
  bool kept;
};

}  // namespace

Result<std::vector<Row>> sdpa(const Request& r, const CancelToken& cancel) {
  if (r.heads < 1 || r.d % r.heads != 0) {
    return usage_error(std::to_string(r.heads) + " heads do not divide d = " + std::to_string(r.d), "--heads",
                       "choose a divisor");
  }
  Backend& backend = *r.backend;
  // Four variants of up to nine steps of [W, l, d], and six score arrays that two of them keep.
  std::vector<Shape> arrays(34, Shape{r.words, r.length, r.d});
  arrays.insert(arrays.end(), 6, Shape{r.words, r.heads, r.length, r.length});
  HL_TRY(check_fits(r, arrays));
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  std::vector<Contender> contenders;
  auto sets = std::make_shared<std::vector<std::vector<Buffer>>>();
  const std::int64_t checked = std::min(r.words, kCheckedWords);
  std::vector<Buffer> first;  // the reference's inputs: set 0, its first words
  if (r.progress) r.progress("making inputs");
  for (const Variant& variant : {Variant{"q:linear", Stage::q, false}, Variant{"qk:kept", Stage::qk, false},
                                 Variant{"layer:kept", Stage::layer, true}, Variant{"layer:fused", Stage::layer, false}}) {
    HL_ASSIGN(const std::shared_ptr<Layer> layer, Layer::make(r, backend, r.words, variant.stage, variant.kept));
    if (sets->empty()) {  // after the first layer's arrays were found to fit
      for (int set = 0; set < kSets; ++set) {
        const std::vector<Tensor> made = notebook_inputs(r, static_cast<std::uint64_t>(1 + set));
        std::vector<Buffer> buffers;
        for (const Tensor& t : made) {
          HL_ASSIGN(Buffer buffer, backend.upload(t));
          buffers.push_back(std::move(buffer));
          if (set == 0) first.push_back({t, nullptr});
        }
        sets->push_back(std::move(buffers));
      }
      first.back().host = first.back().host.slice(0, 0, checked).compact();
      if (r.progress) r.progress("computing the reference in double");
    }
    HL_ASSIGN(const std::shared_ptr<Layer> truth, Layer::make(r, *reference, checked, variant.stage, false));
    HL_TRY(truth->run(first, cancel));
    HL_ASSIGN(const Tensor expected, truth->result());
    HL_TRY(layer->run((*sets)[0], cancel));
    HL_ASSIGN(const Tensor actual, layer->result());

    Row row = row_of(r, "sdpa", variant.name, r.mode.empty() ? "per-call" : r.mode);
    row.sizes = {{"words", r.words}, {"length", r.length}, {"vocab", r.vocab}, {"d", r.d}, {"heads", r.heads}};
    row.kernel = cuda::kernel_of(backend);  // of the run above: its last step's
    row.flops = layer->cost().flops;
    row.bytes = layer->cost().bytes;
    row.error = errors_of(actual, expected);
    const bool fixed = r.mode == "cached";  // the same weights in every call, other words; nothing is kept between calls
    contenders.push_back({std::move(row), [layer, sets, fixed, &cancel](int round) {
                            const std::vector<Buffer>& set = (*sets)[static_cast<std::size_t>(round % kSets)];
                            if (!fixed) return layer->run(set, cancel);
                            std::vector<Buffer> in = sets->front();
                            in.back() = set.back();
                            return layer->run(in, cancel);
                          }});
  }
  if (r.ceilings) {
    HL_ASSIGN(const Ceilings best, ceilings(backend, cancel));
    for (Contender& contender : contenders) {
      contender.row.flops_ceiling = best.flops;
      contender.row.bytes_ceiling = best.bytes;
    }
  }
  return measure(std::move(contenders), effort_on(backend, r.effort), cancel, r.progress);
}

}  // namespace headlight::bench
