// The CUDA backend as the engine sees it. execute() puts work on the GPU's stream and returns; while the work looks like a run
// that was seen before, it is held back instead (work_queue.h). download() waits for the results.
#include "engine/backends/cuda/cuda_backend.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <thread>
#include <type_traits>

#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_fallback.h"
#include "engine/backends/base/isdpa_arrays.h"
#include "engine/backends/cuda/gradients/attention_launches.h"
#include "engine/backends/cuda/gradients/training_operations.h"
#include "engine/backends/cuda/isdpa/isdpa_work.h"
#include "engine/backends/cuda/runtime/calls.h"
#include "engine/backends/cuda/runtime/gate.h"
#include "engine/backends/cuda/runtime/index_ranges.h"
#include "engine/backends/cuda/runtime/work_queue.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/gather.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/split_heads.h"

namespace headlight::backends::cuda {
namespace {

using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

// Work recorded with certain arrays. When the same work is asked for with the same arrays, it is replayed in one call.
struct Recording {
  std::vector<const void*> arrays;
  Graph* graph = nullptr;  // null: seen once, not recorded yet
};

struct CudaPlan : Plan {
  CudaPlan(OpDesc d, std::shared_ptr<Gpu> g) : desc(std::move(d)), gpu(std::move(g)) {}
  ~CudaPlan() override {
    isdpa.reset();
    for (const Recording& recording : recordings)
      if (recording.graph) gpu->module().release_graph(gpu->session(), recording.graph);
  }
  CudaPlan(const CudaPlan&) = delete;
  CudaPlan& operator=(const CudaPlan&) = delete;

  OpDesc desc;
  std::shared_ptr<Gpu> gpu;
  std::unique_ptr<IsdpaWork> isdpa;
  std::vector<Buffer> remembered;  // F, P and the weights that the cached tables were made from
  std::vector<Recording> recordings;
  PlanMemory memory;
};
constexpr std::size_t kRecordings = 16;

// Runs a function at the end of a scope, however the scope is left.
template <class Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

// A tensor with a shape and a type whose memory must not be read: the values are on the GPU.
Tensor shape_only(DType dtype, Shape shape, Axes axes) {
  static const std::shared_ptr<std::byte> nothing = std::make_shared<std::byte>();
  return Tensor::over(nothing, dtype, std::move(shape), std::move(axes));
}

class CudaBackend : public Backend {
 public:
  CudaBackend(std::shared_ptr<Gpu> gpu, Precision precision) : gpu_(std::move(gpu)), precision_(precision) {}
  ~CudaBackend() override {
    const auto turn = gpu_->turn();
    queues_.clear();
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Device device() const override {
    const Status usable = gpu_->usable();
    std::string label = gpu_->label();
    if (precision_ != kFloat32) label += ", products in " + precision();
    return {id_of({gpu_->info().index, precision_}), std::move(label), usable.ok(), usable ? "" : usable.error().sentence()};
  }
  DType dtype() const override { return DType::f32; }
  std::string precision() const override {
    return precision_ == kTensorFloat32 ? "tf32" : (precision_ == kBrainFloat16 ? "bf16" : "float32");
  }
  bool supports(const OpDesc& desc) const override {
    return visit<Linear, Gather, Add, LayerNorm, RmsNorm, SplitHeads, MergeHeads, Isdpa>(desc, [](const auto&) {}) ||
           supports_attention(desc) || supports_in_training(desc);
  }
  std::uint64_t memory() const { return gpu_->info().memory; }
  std::string kernel() const { return gpu_->module().kernel(gpu_->session()); }
  PoolCounts memory_counts() const { return gpu_->memory_counts(); }
  RecordingCounts recording_counts() const {
    const auto turn = gpu_->turn();
    return gpu_->recordings().counts;
  }

  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    HL_ASSIGN(const std::uint64_t bytes, checked_bytes(dtype, shape));
    auto memory = gpu_->allocate(bytes);
    if (!memory && memory.error().kind == ErrorKind::too_large && relieve_all()) memory = gpu_->allocate(bytes);
    if (!memory) return memory.error();
    return Buffer{shape_only(dtype, std::move(shape), std::move(axes)), std::move(memory).value()};
  }

  Result<Buffer> upload(const Tensor& tensor) override {
    try {
      const bool is_real = tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64;
      const Tensor values = (is_real ? tensor.as(DType::f32) : tensor).compact();
      HL_ASSIGN(Buffer buffer, allocate(values.dtype(), values.shape(), values.axes()));
      if (values.dtype() == DType::i32) std::get_deleter<GiveBack>(buffer.device)->range = range_of(values);
      const auto turn = gpu_->turn();
      HL_TRY(queue().start_clock());
      HL_TRY(gpu_->checked(gpu_->module().to_device(gpu_->session(), buffer.device.get(), values.raw(), values.bytes())));
      return buffer;
    } catch (const std::bad_alloc&) {
      return failure(ErrorKind::too_large, "no memory for an array of shape {}", to_string(tensor.shape()))
          .mend("use smaller sizes");
    }
  }

  Result<Tensor> download(const Buffer& buffer) override {
    HL_ASSIGN(std::vector<Tensor> one, download_all(std::span(&buffer, 1)));
    return std::move(one[0]);
  }

  // Downloads into one block of pinned memory; the tensors are views of that block, so nothing is copied twice.
  Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers) override {
    constexpr std::size_t kAlign = 256;
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    for (const Buffer& buffer : buffers) {
      offsets.push_back(bytes);
      bytes += (buffer.host.bytes() + kAlign - 1) / kAlign * kAlign;
    }
    HL_TRY(gpu_->usable());
    {
      // All work is put on the stream before memory for its results is allocated.
      const auto turn = gpu_->turn();
      HL_TRY(queue().settle(buffers, {}));
      HL_TRY(values_of(buffers));
      HL_TRY(queue().start_clock());
    }
    std::shared_ptr<void> arena;
    if (auto pinned = gpu_->allocate_pinned(bytes); pinned.ok()) {
      arena = std::move(pinned).value();
    } else {
      // The system cannot pin more memory. Ordinary memory is slower but does as well.
      HL_TRY(gpu_->usable());
      try {
        arena = std::shared_ptr<void>(::operator new (bytes, std::align_val_t{kAlign}),
                                      [](void* memory) { ::operator delete (memory, std::align_val_t{kAlign}); });
      } catch (const std::bad_alloc&) {
        return failure(ErrorKind::too_large, "no memory for the results").mend("use smaller sizes");
      }
    }
    auto* const base = static_cast<std::byte*>(arena.get());
    {
      const auto turn = gpu_->turn();
      Status status;
      for (std::size_t i = 0; i < buffers.size() && status; ++i)
        status = gpu_->checked(
            gpu_->module().to_host(gpu_->session(), base + offsets[i], buffers[i].device.get(), buffers[i].host.bytes()));
      // Waits even after a failure: memory must not be used again while copies into it are still running.
      const Status waited = gpu_->checked(gpu_->module().wait(gpu_->session()));
      HL_TRY(status);
      if (!waited) return waited.error();
    }
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const Tensor& like = buffers[i].host;
      all.push_back(Tensor::over(std::shared_ptr<std::byte>(arena, base + offsets[i]), like.dtype(), like.shape(), like.axes()));
    }
    return all;
  }

  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override {
    if (!supports(desc)) return prepare_on_host(desc, dtype());
    HL_ASSIGN([[maybe_unused]] const Signature s, signature(desc, dtype()));
    return std::unique_ptr<Plan>(std::make_unique<CudaPlan>(desc, gpu_));
  }

  Status execute(Plan& plan, In in, Out out, const CancelToken& cancel) override {
    if (is_host_plan(plan)) return execute_on_host(*this, plan, in, out, cancel);
    auto& own = static_cast<CudaPlan&>(plan);
    HL_TRY(check_buffers(own.desc, in, out, dtype()));
    HL_TRY(gpu_->usable());
    if (cancel.cancelled()) return cancelled();
    const auto turn = gpu_->turn();
    Status status;
    if (visit<Linear, Gather, Add, LayerNorm, RmsNorm, SplitHeads, MergeHeads, Isdpa>(
            own.desc, [&](const auto& op) { status = compute(op, own, in, out); }))
      return status;
    const Launches launches(*this, queue(), precision_, own.memory);
    return is_attention(own.desc) ? attention(own.desc, launches, in, out) : compute_in_training(own.desc, launches, in, out);
  }

  Status finish() override {
    HL_TRY(gpu_->usable());
    const auto turn = gpu_->turn();
    HL_TRY(queue().settle({}, {}));
    return gpu_->checked(gpu_->module().wait(gpu_->session()));
  }
  std::uint64_t replays() const override {
    const auto turn = gpu_->turn();
    return replays_ + gpu_->recordings().counts.replayed;
  }

  // All work asked for before is put on the stream first; then the clock starts, right before the first work of `work`. A known
  // run is replayed as it would be without a clock. Before the clock starts, the device waits at a gate (gate.cu) for one and a
  // half times as long as the host recently took to put all of the work on the stream.
  Result<double> timed(const std::function<Status()>& work) override {
    const auto turn = gpu_->turn();
    WorkQueue& own = queue();
    HL_TRY(own.settle({}, {}));
    double seconds = 0;
    for (bool again = true;;) {
      own.clock_next(true, gate_.seconds());
      const AtEnd no_clock([&own] { own.clock_next(false); });
      HL_TRY(work());
      HL_TRY(own.settle({}, {}));
      HL_TRY(own.start_clock());  // starts it if `work` put nothing on the stream
      const double host = own.since_clock();
      HL_TRY(gpu_->checked(gpu_->module().stop_clock(gpu_->session(), &seconds)));
      if (gate_.held(host) || !again) return seconds;
      again = false;
    }
  }

  bool computes_later() const override { return true; }
  void drop_unused() override {
    const auto turn = gpu_->turn();
    queue().relieve();
  }

 private:
  // The calling thread's queue. The caller holds the turn.
  WorkQueue& queue() {
    constexpr std::size_t kMostQueues = 64;
    const std::thread::id thread = std::this_thread::get_id();
    const auto at = queues_.find(thread);
    if (at != queues_.end()) return *at->second;
    // Threads come and go. An idle queue of another thread holds at most the notes of its present run, so it may be erased.
    if (queues_.size() >= kMostQueues) std::erase_if(queues_, [](const auto& one) { return one.second->idle(); });
    return *queues_.emplace(thread, std::make_unique<WorkQueue>(*gpu_)).first->second;
  }

  // Frees the memory that only queues still hold. False where there are no queues.
  bool relieve_all() {
    const auto turn = gpu_->turn();
    const std::vector<WorkQueue*> noting = gpu_->noting();
    for (WorkQueue* const one : noting) one->relieve();
    return !noting.empty();
  }

  Status done(bool fine) { return gpu_->checked(fine); }

  template <class Call>
  Status submit(Launch launch, const Call& call, In in, Out out) {
    return queue().submit(launch, call, in, out);
  }

  // Products apply the first activations themselves; after them the others take a launch of their own.
  Status compute(const Linear& op, CudaPlan&, In in, Out out) {
    ProductCall c = product_call({1, op.rows, op.inner, op.columns, false}, real(in[0]), real(in[1]), real(out[0]), precision_);
    c.bias = op.bias ? real(in[2]) : nullptr;
    const bool apart = op.activation > ActivationKind::tanh;
    c.activation = apart ? 0 : static_cast<int>(op.activation);
    HL_TRY(submit(Launch::product, c, in, out));
    if (!apart) return {};
    ElementsCall after;
    clear(after);
    after.element = Element::activate;
    after.activation = static_cast<int>(op.activation);
    after.count = op.rows * op.columns;
    after.input = real(out[0]);
    after.output = real(out[0]);
    return submit(Launch::elements, after, out, out);
  }
  Status compute(const Gather& op, CudaPlan&, In in, Out out) {
    HL_ASSIGN([[maybe_unused]] const auto range, checked_ids(*this, in[1], op.table_rows, 0, "gather"));
    GatherCall c;
    clear(c);
    c.rows = op.rows;
    c.d = op.d;
    c.table = real(in[0]);
    c.ids = indices(in[1]);
    c.period = 1;
    c.output = real(out[0]);
    return submit(Launch::gather, c, in, out);
  }
  Status compute(const Add& op, CudaPlan&, In in, Out out) {
    AddCall c;
    clear(c);
    c.rows = op.outer;
    c.d = op.inner;
    c.input = real(in[0]);
    c.addend = real(in[1]);
    c.repeats = op.b_repeats;
    c.output = real(out[0]);
    return submit(Launch::add, c, in, out);
  }
  // centred: LayerNorm, else RMSNorm.
  Status normalise(std::int64_t rows, std::int64_t d, double epsilon, bool centred, const float* bias, In in, Out out) {
    LayerNormCall c;
    clear(c);
    c.rows = rows;
    c.d = d;
    c.centred = centred;
    c.input = real(in[0]);
    c.weight = real(in[1]);
    c.bias = bias;
    c.epsilon = static_cast<float>(epsilon);
    c.output = real(out[0]);
    return submit(Launch::layer_norm, c, in, out);
  }
  Status compute(const LayerNorm& op, CudaPlan&, In in, Out out) {
    return normalise(op.rows, op.d, op.epsilon, true, op.bias ? real(in[2]) : nullptr, in, out);
  }
  Status compute(const RmsNorm& op, CudaPlan&, In in, Out out) {
    return normalise(op.rows, op.d, op.epsilon, false, nullptr, in, out);
  }
  template <class Heads>
  Status move_heads(const Heads& op, bool split, In in, Out out) {
    return submit(Launch::heads, heads_call(op, split, real(in[0]), real(out[0])), in, out);
  }
  Status compute(const SplitHeads& op, CudaPlan&, In in, Out out) { return move_heads(op, true, in, out); }
  Status compute(const MergeHeads& op, CudaPlan&, In in, Out out) { return move_heads(op, false, in, out); }

  Status compute(const Isdpa& op, CudaPlan& plan, In in, Out out) {
    // Index-based attention launches directly, past the queue.
    HL_TRY(queue().settle(in, out));
    HL_TRY(queue().start_clock());
    HL_TRY(values_of(in));
    const Buffer& index = in[in.size() - 1];
    HL_ASSIGN(const auto ids, checked_ids(*this, index, op.vocabulary, op.length, "isdpa"));
    const auto a = isdpa_arrays<IsdpaArrays>(op, in, out, indices(index), [](auto& buffer) { return real(buffer); });

    // The remembered buffers are held, so an equal address means the same buffer and equal values (buffers are written once).
    const In tables_from = in.first(in.size() - 1);
    const bool ready =
        op.cached && std::equal(tables_from.begin(), tables_from.end(), plan.remembered.begin(), plan.remembered.end(),
                                [](const Buffer& x, const Buffer& y) { return x.device == y.device; });
    plan.remembered.clear();
    if (!plan.isdpa) plan.isdpa = std::make_unique<IsdpaWork>(*gpu_, op, precision_);
    HL_ASSIGN(const std::uint64_t rests_on, plan.isdpa->prepare(ids));
    if (gpu_->records()) {
      std::vector<const void*> arrays{ready ? gpu_.get() : nullptr, reinterpret_cast<const void*>(rests_on)};
      for (const Buffer& buffer : in) arrays.push_back(buffer.device.get());
      for (const Buffer& buffer : out) arrays.push_back(buffer.device.get());
      HL_TRY(replay(plan, std::move(arrays), [&] { return plan.isdpa->run(a, ready); }));
    } else {
      HL_TRY(plan.isdpa->run(a, ready));
    }
    if (op.cached) plan.remembered.assign(tables_from.begin(), tables_from.end());
    have_values(out);
    return {};
  }

  // Runs `work`. The second call with these arrays records it; later calls replay the recording.
  template <class Work>
  Status replay(CudaPlan& plan, std::vector<const void*> arrays, Work&& work) {
    const Module& module = gpu_->module();
    const auto known =
        std::find_if(plan.recordings.begin(), plan.recordings.end(), [&](const Recording& r) { return r.arrays == arrays; });
    if (known == plan.recordings.end()) {
      HL_TRY(work());  // this call creates the workspaces
      if (plan.recordings.size() == kRecordings) {
        if (plan.recordings.front().graph) module.release_graph(gpu_->session(), plan.recordings.front().graph);
        plan.recordings.erase(plan.recordings.begin());
      }
      plan.recordings.push_back({std::move(arrays), nullptr});
      return {};
    }
    if (!known->graph) {
      HL_TRY(done(module.begin_graph(gpu_->session())));
      Status worked = work();
      Graph* const graph = module.end_graph(gpu_->session());  // also after a failure: the stream must not stay in recording mode
      if (!worked || !graph) {
        Status ended = done(graph != nullptr);
        if (graph) module.release_graph(gpu_->session(), graph);
        plan.recordings.erase(known);
        if (!worked) return worked;
        return ended;
      }
      known->graph = graph;
    }
    ++replays_;
    return done(module.replay(gpu_->session(), known->graph));
  }

  const std::shared_ptr<Gpu> gpu_;
  const Precision precision_;
  std::map<std::thread::id, std::unique_ptr<WorkQueue>> queues_;
  Gate gate_;
  std::atomic<std::uint64_t> replays_{0};
};

}  // namespace

std::shared_ptr<Backend> make_backend(std::shared_ptr<Gpu> gpu, Precision precision) {
  return std::make_shared<CudaBackend>(std::move(gpu), precision);
}

Result<std::shared_ptr<Backend>> make_backend(const Module& module, int device, Precision precision) {
  HL_ASSIGN(std::shared_ptr<Gpu> gpu, Gpu::open(module, device));
  return make_backend(std::move(gpu), precision);
}

Result<Choice> parse(std::string_view id) {
  const auto wrong = [&] {
    return usage_error("'{}' is no device", id)
        .at("backend")
        .mend("give cuda, a GPU's number (cuda:1), a precision (cuda:tf32, cuda:bf16) or both (cuda:1:tf32)");
  };
  if (!id.starts_with("cuda")) return wrong();
  Choice choice;
  std::string_view rest = id.substr(4);
  bool has_device = false, has_precision = false;
  while (!rest.empty()) {
    if (rest[0] != ':') return wrong();
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(part.size());
    if (part == "tf32" || part == "bf16") {
      if (has_precision) return wrong();
      has_precision = true;
      choice.precision = part == "tf32" ? kTensorFloat32 : kBrainFloat16;
      continue;
    }
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), choice.device);
    if (failed != std::errc() || end != part.data() + part.size() || part.empty() || choice.device < 0 || has_device ||
        has_precision)
      return wrong();
    has_device = true;
  }
  return choice;
}

std::string id_of(const Choice& choice) {
  return "cuda" + (choice.device > 0 ? ":" + std::to_string(choice.device) : std::string()) +
         (choice.precision == kTensorFloat32 ? ":tf32" : (choice.precision == kBrainFloat16 ? ":bf16" : ""));
}

std::uint64_t memory_of(const Backend& backend) {
  const auto* const own = dynamic_cast<const CudaBackend*>(&backend);
  return own ? own->memory() : 0;
}

std::string kernel_of(const Backend& backend) {
  const auto* const own = dynamic_cast<const CudaBackend*>(&backend);
  return own ? own->kernel() : std::string();
}

PoolCounts memory_counts(const Backend& backend) {
  const auto* const own = dynamic_cast<const CudaBackend*>(&backend);
  return own ? own->memory_counts() : PoolCounts{};
}

RecordingCounts recording_counts(const Backend& backend) {
  const auto* const own = dynamic_cast<const CudaBackend*>(&backend);
  return own ? own->recording_counts() : RecordingCounts{};
}

}  // namespace headlight::backends::cuda
