#include "engine/backends/cuda/runtime/work_queue.h"

#include <algorithm>
#include <cstring>

namespace headlight::backends::cuda {
namespace {

constexpr std::size_t kMostKept = std::size_t{512} << 20;

template <class Call>
Call read(const std::byte* bytes) {
  Call call;
  std::memcpy(&call, bytes, sizeof call);
  return call;
}

std::size_t workspace_of(Gpu& gpu, Launch launch, const std::byte* call) {
  if (launch != Launch::attention) return 0;
  return gpu.module().attention_workspace(gpu.session(), read<AttentionCall>(call));
}

bool make(Gpu& gpu, Launch launch, const std::byte* call, void* workspace) {
  const Module& module = gpu.module();
  Session* const session = gpu.session();
  switch (launch) {
    case Launch::product: return module.product(session, read<ProductCall>(call));
    case Launch::gather: return module.gather(session, read<GatherCall>(call));
    case Launch::add: return module.add(session, read<AddCall>(call));
    case Launch::layer_norm: return module.layer_norm(session, read<LayerNormCall>(call));
    case Launch::heads: return module.move_heads(session, read<HeadsCall>(call));
    case Launch::attention: {
      auto attention = read<AttentionCall>(call);
      attention.workspace = workspace;
      return module.attention(session, attention);
    }
    case Launch::elements: return module.elements(session, read<ElementsCall>(call));
    case Launch::transpose: return module.transpose(session, read<TransposeCall>(call));
    case Launch::rotary: return module.rotary(session, read<RotaryCall>(call));
    case Launch::row_sum: return module.row_sum(session, read<RowSumCall>(call));
    case Launch::norm_gradient: return module.norm_gradient(session, read<NormGradientCall>(call));
    case Launch::gather_gradient: return module.gather_gradient(session, read<GatherGradientCall>(call));
    case Launch::score_gradient: return module.score_gradient(session, read<ScoreGradientCall>(call));
    case Launch::masks: return module.masks(session, read<MasksCall>(call));
    case Launch::cross_entropy: return module.cross_entropy(session, read<CrossEntropyCall>(call));
    case Launch::mean_loss: return module.mean_loss(session, read<MeanLossCall>(call));
  }
  return false;
}

// Makes one launch. Its workspace returns to the pool at once: the next user writes to it on the same stream, after this call's
// kernels.
bool make(Gpu& gpu, Launch launch, const std::byte* call) {
  std::shared_ptr<void> workspace;
  if (const std::size_t bytes = workspace_of(gpu, launch, call); bytes > 0)
    if (auto memory = gpu.allocate(bytes); memory.ok()) workspace = std::move(memory).value();
  return make(gpu, launch, call, workspace.get());
}

}  // namespace

void have_values(std::span<const Buffer> buffers) {
  for (const Buffer& buffer : buffers)
    if (GiveBack* const owner = std::get_deleter<GiveBack>(buffer.device); owner && owner->failed) owner->failed.reset();
}

Status values_of(std::span<const Buffer> buffers) {
  for (const Buffer& buffer : buffers)
    if (const GiveBack* const owner = std::get_deleter<GiveBack>(buffer.device); owner && owner->failed) return *owner->failed;
  return {};
}

WorkQueue::WorkQueue(Gpu& gpu) : gpu_(gpu), budget_(std::min<std::size_t>(kMostKept, gpu.info().memory / 4)) {}

Status WorkQueue::submit(Launch launch, const std::byte* call, std::size_t size, std::span<const Buffer> in,
                         std::span<const Buffer> out) {
  HL_TRY(settle_others(in, out));
  HL_TRY(values_of(in));
  if (noting_ && gpu_.records()) {
    const std::size_t at = script_.size();
    const Item item = note(launch, call, size, in, out);
    follow(at);
    const bool too_much = written_ > budget_ || script_.size() > Recordings::kLongest;
    if (!like_.empty() && !too_much) {
      held_.push_back(item);
      ++gpu_.recordings().counts.held;
      have_values(out);
      return {};
    }
    HL_TRY(launch_held());
    if (too_much) note_no_more();
  }
  Status launched = start_clock();
  if (launched) launched = gpu_.checked(make(gpu_, launch, call));
  if (launched)
    have_values(out);
  else
    note_no_more();
  return launched;
}

WorkQueue::Item WorkQueue::note(Launch launch, const std::byte* call, std::size_t size, std::span<const Buffer> in,
                                std::span<const Buffer> out) {
  if (script_.empty()) gpu_.noting().push_back(this);
  const std::size_t at = script_.size();
  const std::uint64_t header = (static_cast<std::uint64_t>(launch) << 32) | size;
  script_.resize(at + sizeof header + size);
  std::memcpy(script_.data() + at, &header, sizeof header);
  std::memcpy(script_.data() + at + sizeof header, call, size);
  ++launches_;
  Item item{launch, at + sizeof header, arrays_.size(), 0, 0};
  for (const Buffer& buffer : in) arrays_.push_back(buffer.device);
  item.outs = arrays_.size();
  for (const Buffer& buffer : out) {
    arrays_.push_back(buffer.device);
    written_ += buffer.host.bytes();
  }
  item.end = arrays_.size();
  return item;
}

// Keeps those known runs that still match this one.
void WorkQueue::follow(std::size_t at) {
  if (at == 0) {
    like_.clear();
    gpu_.recordings().beginning_with(script_, like_);
    return;
  }
  std::erase_if(like_, [&](const std::shared_ptr<KnownRun>& run) {
    return run->script.size() < script_.size() ||
           std::memcmp(run->script.data() + at, script_.data() + at, script_.size() - at) != 0;
  });
}

void WorkQueue::note_no_more() {
  begin_anew();
  noting_ = false;
}

void WorkQueue::begin_anew() {
  if (!script_.empty()) std::erase(gpu_.noting(), this);
  script_.clear();
  arrays_.clear();
  launches_ = written_ = 0;
  like_.clear();
  noting_ = true;
}

bool WorkQueue::concerns(std::span<const Buffer> in, std::span<const Buffer> out) const {
  const auto among = [](std::span<const Buffer> buffers, const std::shared_ptr<void>& array) {
    return std::any_of(buffers.begin(), buffers.end(), [&](const Buffer& buffer) { return buffer.device == array; });
  };
  for (const Item& item : held_)
    for (std::size_t i = item.first; i < item.end; ++i)
      if (among(out, arrays_[i]) || (i >= item.outs && among(in, arrays_[i]))) return true;
  return false;
}

// Launches work that other queues (another thread's, or another precision's) hold back, if it writes what is read here or needs
// what is written here.
Status WorkQueue::settle_others(std::span<const Buffer> in, std::span<const Buffer> out) {
  for (WorkQueue* const other : gpu_.noting()) {
    if (other == this || !other->concerns(in, out)) continue;
    other->like_.clear();
    HL_TRY(other->launch_held());
  }
  return {};
}

Status WorkQueue::settle(std::span<const Buffer> in, std::span<const Buffer> out) {
  Status done = settle_others(in, out);
  const auto same =
      std::find_if(like_.begin(), like_.end(), [&](const auto& run) { return run->script.size() == script_.size(); });
  Status own;
  if (!held_.empty() && same != like_.end()) {
    const std::shared_ptr<KnownRun> run = *same;
    own = play(run);
  } else {
    own = launch_held();
    if (own && launches_ >= Recordings::kFewest) gpu_.recordings().remember(script_);
  }
  begin_anew();
  return done ? own : done;
}

// Replays the held work, which is all of `run`. Records it first if it never was recorded or its workspace has moved.
Status WorkQueue::play(const std::shared_ptr<KnownRun>& run) {
  Recordings& recordings = gpu_.recordings();
  const Module& module = gpu_.module();
  const std::shared_ptr<void> workspace = workspace_of_items();
  if (!run->graph || run->workspace != workspace.get()) {
    Graph* graph = nullptr;
    if (!run->refused && module.begin_graph(gpu_.session())) {
      const bool made = launch_items(workspace.get());
      graph = module.end_graph(gpu_.session());  // also after a failure: the stream must not stay in recording mode
      if (!made && graph) module.release_graph(gpu_.session(), graph);
      if (!made) graph = nullptr;
    }
    if (!graph) {
      // Nothing has run yet, so the work is launched one by one, as if recording were off.
      run->refused = true;
      ++recordings.counts.direct;
      return launch_held();
    }
    recordings.recorded(run, graph, workspace.get());
  }
  recordings.used(run);
  if (const Status started = start_clock(); !started) return finished(started);
  const bool replayed = module.replay(gpu_.session(), run->graph);
  if (replayed) ++recordings.counts.replayed;
  return finished(gpu_.checked(replayed));
}

// One block of memory for all launches: they use it one after another.
std::shared_ptr<void> WorkQueue::workspace_of_items() {
  std::size_t bytes = 0;
  for (const Item& item : held_) bytes = std::max(bytes, workspace_of(gpu_, item.launch, script_.data() + item.call));
  if (bytes == 0) return nullptr;
  auto memory = gpu_.allocate(bytes);
  return memory.ok() ? std::move(memory).value() : nullptr;
}

bool WorkQueue::launch_items(void* workspace) {
  return std::all_of(held_.begin(), held_.end(), [&](const Item& item) {
    const std::byte* const call = script_.data() + item.call;
    return make(gpu_, item.launch, call, workspace_of(gpu_, item.launch, call) > 0 ? workspace : nullptr);
  });
}

Status WorkQueue::launch_held() {
  if (held_.empty()) return {};
  if (const Status started = start_clock(); !started) return finished(started);
  return finished(gpu_.checked(launch_items(workspace_of_items().get())));
}

Status WorkQueue::start_clock() {
  if (!clock_waits_) return {};
  clock_waits_ = false;
  clock_put_ = std::chrono::steady_clock::now();
  return gpu_.checked(gpu_.module().start_clock(gpu_.session(), clock_after_));
}

double WorkQueue::since_clock() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_put_).count();
}

// Ends a batch of held work. If it failed, its results keep the reason for whoever asks for them.
Status WorkQueue::finished(Status status) {
  if (!status) {
    const auto why = std::make_shared<const Error>(status.error());
    for (const Item& item : held_)
      for (std::size_t i = item.outs; i < item.end; ++i)
        if (GiveBack* const owner = std::get_deleter<GiveBack>(arrays_[i])) owner->failed = why;
  }
  gpu_.recordings().counts.held -= held_.size();
  held_.clear();
  return status;
}

void WorkQueue::relieve() {
  // From the last launch to the first: if a launch is not needed, neither is what only that launch would have read.
  std::vector<Item> needed;
  for (auto item = held_.rbegin(); item != held_.rend(); ++item) {
    const std::span<std::shared_ptr<void>> arrays(arrays_);
    const auto written = arrays.subspan(item->outs, item->end - item->outs);
    if (std::any_of(written.begin(), written.end(), [](const auto& array) { return array.use_count() > 1; })) {
      needed.push_back(*item);
    } else {
      for (std::shared_ptr<void>& array : arrays.subspan(item->first, item->end - item->first)) array.reset();
    }
  }
  std::reverse(needed.begin(), needed.end());
  gpu_.recordings().counts.held -= held_.size() - needed.size();
  held_ = std::move(needed);
  // A failure is reported to whoever asks for the results.
  [[maybe_unused]] const Status launched = launch_held();
  begin_anew();
}

}  // namespace headlight::backends::cuda
