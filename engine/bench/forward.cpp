// A run of the sandbox, or of a stored model, from an edit to its published trace, on one or several backends in turn, and its
// parts: copying its arrays to the device, the steps by the device's own clock, copying its results back. The rest of the time is
// the host's: parsing the sentence, planning, launching. The trace keeps the maps of all heads, as long as they take no more than
// a gigabyte.
//
// The whole is timed unchanged. The parts are timed separately: one more edit runs through a backend that forwards every call and
// records it; then the recorded calls are repeated, part by part.
#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/bench/ceilings.h"
#include "engine/bench/sandbox.h"
#include "engine/pipeline/on_host.h"

namespace headlight::bench {
namespace {

using namespace backends;

// Forwards every call to a backend and records uploads, steps and downloads.
class Notes : public Backend {
 public:
  explicit Notes(Backend& inner) : inner_(inner) {}

  Device device() const override { return inner_.device(); }
  DType dtype() const override { return inner_.dtype(); }
  bool supports(const OpDesc& desc) const override { return inner_.supports(desc); }
  std::string precision() const override { return inner_.precision(); }
  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    return inner_.allocate(dtype, std::move(shape), std::move(axes));
  }
  Result<Buffer> upload(const Tensor& tensor) override {
    uploads_.push_back(tensor);
    return inner_.upload(tensor);
  }
  Result<Tensor> download(const Buffer& buffer) override {
    downloads_.push_back(buffer);
    return inner_.download(buffer);
  }
  Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers) override {
    downloads_.insert(downloads_.end(), buffers.begin(), buffers.end());
    return inner_.download_all(buffers);
  }
  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override {
    HL_ASSIGN(std::unique_ptr<Plan> plan, inner_.prepare(desc));
    return std::unique_ptr<Plan>(
        std::make_unique<Shared>(std::shared_ptr<Plan>(std::move(plan)), operations::cost_of(desc, dtype())));
  }
  Status execute(Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) override {
    auto& own = static_cast<Shared&>(plan);
    steps_.push_back({own.plan, {in.begin(), in.end()}, {out.begin(), out.end()}});
    cost_ += own.cost;
    return inner_.execute(*own.plan, in, out, cancel);
  }
  Result<double> timed(const std::function<Status()>& work) override { return inner_.timed(work); }
  Status finish() override { return inner_.finish(); }
  std::uint64_t replays() const override { return inner_.replays(); }
  bool computes_later() const override { return inner_.computes_later(); }
  void drop_unused() override { inner_.drop_unused(); }

  // Repeats the recorded uploads; they have arrived when this returns.
  Status upload_again() {
    std::vector<Buffer> made;
    HL_ASSIGN([[maybe_unused]] const double seconds, inner_.timed([&]() -> Status {
      for (const Tensor& tensor : uploads_) {
        HL_ASSIGN(Buffer buffer, inner_.upload(tensor));
        made.push_back(std::move(buffer));
      }
      return {};
    }));
    return {};
  }
  Status compute_again(const CancelToken& cancel) {
    for (Noted& step : steps_) HL_TRY(inner_.execute(*step.plan, step.in, step.out, cancel));
    return {};
  }
  Status download_again() {
    HL_ASSIGN([[maybe_unused]] const std::vector<Tensor> all, inner_.download_all(downloads_));
    return {};
  }
  std::size_t steps() const { return steps_.size(); }
  const Cost& cost() const { return cost_; }  // of all steps together, counted

 private:
  // A plan ends with its run, but recorded steps are repeated later, so plans are shared.
  struct Shared : Plan {
    Shared(std::shared_ptr<Plan> p, Cost c) : plan(std::move(p)), cost(c) {}
    std::shared_ptr<Plan> plan;
    Cost cost;
  };
  struct Noted {
    std::shared_ptr<Plan> plan;
    std::vector<Buffer> in, out;
  };
  Backend& inner_;
  std::vector<Tensor> uploads_;
  std::vector<Buffer> downloads_;
  std::vector<Noted> steps_;
  Cost cost_;
};

// The median of a few runs; the first is not counted.
Result<double> median_of(const std::function<Result<double>()>& measured, const Effort& effort, const CancelToken& cancel) {
  constexpr int kRounds = 11;
  std::vector<double> samples;
  for (int round = 0; round <= kRounds; ++round) {
    if (cancel.cancelled()) return cancelled();
    if (effort.over() && !samples.empty()) break;
    HL_ASSIGN(const double seconds, measured());
    if (round > 0) samples.push_back(seconds);
  }
  return percentile(std::move(samples), 0.5);
}

Result<double> by_the_host(const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  HL_TRY(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Writes the parts of a run, its operations and bytes into the row.
Status take_apart(Sandbox& sandbox, Row& row, const Effort& effort, const CancelToken& cancel) {
  Backend& backend = sandbox.backend();
  Notes notes(backend);
  HL_TRY(sandbox.edit(cancel, Sandbox::Place::first, &notes));
  row.flops = notes.cost().flops;
  row.bytes = notes.cost().bytes;
  Result<Parts> parts = [&]() -> Result<Parts> {
    Parts made;
    const auto computing = [&] { return backend.timed([&] { return notes.compute_again(cancel); }); };
    HL_ASSIGN(made.upload, median_of([&] { return by_the_host([&] { return notes.upload_again(); }); }, effort, cancel));
    HL_ASSIGN(made.compute, median_of(computing, effort, cancel));
    HL_ASSIGN(made.download, median_of([&] { return by_the_host([&] { return notes.download_again(); }); }, effort, cancel));
    made.steps = static_cast<std::int64_t>(notes.steps());
    const OnHost host = on_host(sandbox.published());
    made.steps_on_host = host.steps;
    made.operations_on_host = host.operations;
    return made;
  }();
  HL_TRY(sandbox.edit(cancel));  // a trace that uses the backend itself: nothing is recorded any more
  HL_ASSIGN(row.parts, parts);
  return {};
}

// The ceilings by the steady clock, as the whole is measured: until a device is done.
Result<std::vector<Contender>> ceilings_until_done(Backend& backend, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<Contender> both, ceiling_contenders(backend, cancel));
  for (Contender& one : both) {
    one.run_once = [&backend, launched = std::move(one.run_once)](int round) -> Status {
      HL_TRY(launched(round));
      return backend.finish();
    };
  }
  return both;
}

}  // namespace

Result<std::vector<Row>> forward(const Request& r, const CancelToken& cancel) {
  std::vector<std::shared_ptr<Backend>> all{r.backend};
  all.insert(all.end(), r.others.begin(), r.others.end());
  std::vector<std::shared_ptr<Sandbox>> sandboxes;
  std::vector<Contender> contenders;
  for (const std::shared_ptr<Backend>& backend : all) {
    if (!r.ceilings) continue;
    HL_ASSIGN(std::vector<Contender> both, ceilings_until_done(*backend, cancel));
    std::move(both.begin(), both.end(), std::back_inserter(contenders));
  }
  constexpr std::uint64_t kMaps = std::uint64_t{1} << 30;
  for (const std::shared_ptr<Backend>& backend : all) {
    Request own = r;
    own.backend = backend;
    if (r.progress) r.progress("making a sandbox on " + backend->device().id);
    HL_ASSIGN(std::shared_ptr<Sandbox> sandbox, Sandbox::make(own, backend, cancel, kMaps));
    Contender contender{row_of(own, "forward", backend->device().id, "publish"),
                        [sandbox, &cancel](int) { return sandbox->edit(cancel); }};
    contender.row.sizes = sandbox->sizes();
    contenders.push_back(std::move(contender));
    sandboxes.push_back(std::move(sandbox));
  }
  Effort effort = r.effort;
  effort.clock = {};  // the whole is what a person waits for, so the steady clock measures it
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(contenders), effort, cancel, r.progress));
  apply_ceilings(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].samples.empty()) continue;
    if (r.progress) r.progress("taking the run apart on " + rows[i].backend);
    HL_TRY(take_apart(*sandboxes[i], rows[i], effort, cancel));
  }
  return rows;
}

}  // namespace headlight::bench
