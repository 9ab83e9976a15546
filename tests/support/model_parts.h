// What tests of a model's parts share: a small model, its trace on a backend, and the check of every number.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "tests/support/trace_of.h"

namespace headlight::tests {

using TracePtr = std::shared_ptr<const Trace>;

inline Document small_model() {
  Document d;
  d.texts = {"a fluffy blue creature"};
  d.d_model = 24;
  d.heads = 3;
  d.layers = 2;
  d.backend = "reference";
  return d;
}

inline std::vector<double> numbers(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  if (!values) return {};
  const Tensor t = values->as(DType::f64).compact();
  return {t.data<double>(), t.data<double>() + t.count()};
}

// Every step on the CPU is what the reference computes, and every number of the named steps is explained.
inline void check(Document d, const std::vector<std::string>& steps) {
  const TracePtr reference = trace_of(d);
  d.backend = "cpu";
  const TracePtr cpu = trace_of(d);
  ASSERT_TRUE(reference && cpu);
  for (const Step& step : reference->steps()) {
    if (step.dtype != DType::f64) continue;
    const std::vector<double> a = numbers(*reference, step.name), b = numbers(*cpu, step.name);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;  // -inf, where a mask is 0
      ASSERT_NEAR(a[i], b[i], 2e-4 * (1 + std::abs(a[i]))) << step.name << " " << i;
    }
  }
  for (const std::string& name : steps) {
    const Step* step = reference->find(name);
    ASSERT_TRUE(step) << name;
    std::vector<std::int64_t> last(step->shape.begin(), step->shape.end());
    for (std::int64_t& i : last) --i;
    for (const auto& index : {std::vector<std::int64_t>(last.size(), 0), last}) {
      const auto e = explain_value(*reference, {name, index});
      ASSERT_TRUE(e.ok()) << name << ": " << e.error().sentence();
      EXPECT_EQ(e->check, ValueCheck::computed) << name;
      EXPECT_NEAR(e->computed, e->value, e->tolerance) << name;
    }
  }
}

}  // namespace headlight::tests
