// A text that is run, changed, and run again with the same step cache, against a run of the changed text alone.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight::tests {

// The CPU backend, which counts the operations of what it executes.
class CountingBackend final : public backends::Backend {
 public:
  backends::Device device() const override { return own_->device(); }
  DType dtype() const override { return own_->dtype(); }
  bool supports(const backends::OpDesc& desc) const override { return own_->supports(desc); }
  Result<backends::Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    return own_->allocate(dtype, std::move(shape), std::move(axes));
  }
  Result<backends::Buffer> upload(const Tensor& tensor) override { return own_->upload(tensor); }
  Result<Tensor> download(const backends::Buffer& buffer) override { return own_->download(buffer); }
  Result<std::unique_ptr<backends::Plan>> prepare(const backends::OpDesc& desc) override {
    auto plan = own_->prepare(desc);
    if (plan.ok()) flops_of_[plan->get()] = operations::cost_of(desc, dtype()).flops;
    return plan;
  }
  Status execute(backends::Plan& plan, std::span<const backends::Buffer> in, std::span<backends::Buffer> out,
                 const CancelToken& cancel) override {
    flops += flops_of_[&plan];
    return own_->execute(plan, in, out, cancel);
  }

  double flops = 0;

 private:
  std::shared_ptr<backends::Backend> own_ = *backends::open("cpu");
  std::map<const backends::Plan*, double> flops_of_;
};

struct EditedRun {
  double difference = 0;  // the largest of any number of any step, relative to the step's largest
  std::string step;       // where
  double share = 0;       // of the operations of a whole run that the edit took
};

// edited_run(document, "a mole", "a mole ran"): of an edit at the end.
inline EditedRun edited_run(Document document, const std::string& before, const std::string& after) {
  const auto backend = std::make_shared<CountingBackend>();
  const auto run_of = [&](const std::string& text, StepCache* cache) -> std::shared_ptr<const Trace> {
    document.texts = {text};
    RunOptions options;
    options.cache = cache;
    backend->flops = 0;
    auto trace = run(document, *backend, {}, options);
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().sentence());
    return trace.ok() ? *trace : nullptr;
  };
  EditedRun result;
  StepCache cache;
  const auto first = run_of(before, &cache), edited = run_of(after, &cache);
  const double edit = backend->flops;
  const auto whole = run_of(after, nullptr);
  if (!first || !edited || !whole) return result;
  result.share = edit / backend->flops;
  for (const Step& step : whole->steps()) {
    const auto a = edited->values(step.name), b = whole->values(step.name);
    EXPECT_TRUE(a.ok() && b.ok()) << step.name;
    if (!a.ok() || !b.ok()) continue;
    const Tensor x = a->as(DType::f64).compact(), y = b->as(DType::f64).compact();
    EXPECT_EQ(x.shape(), y.shape()) << step.name;
    double most = 0, largest = 1e-30;
    for (std::int64_t i = 0; i < std::min(x.count(), y.count()); ++i) {
      const double p = x.data<double>()[i], q = y.data<double>()[i];
      if (p == q) continue;  // minus infinity, too
      most = std::isfinite(p - q) ? std::max(most, std::abs(p - q)) : 1e30;
    }
    for (const double q : y.values<double>())
      if (std::isfinite(q)) largest = std::max(largest, std::abs(q));
    if (most / largest <= result.difference) continue;
    result.difference = most / largest;
    result.step = step.name;
  }
  return result;
}

}  // namespace headlight::tests
