// A trace computed by run(), for tests that compare something with a real run.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight::tests {

// Computed on the document's own backend; null, with a failed test, if that was not possible.
inline std::shared_ptr<const Trace> trace_of(const Document& document) {
  auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend.ok()) << (backend.ok() ? "" : backend.error().sentence());
  if (!backend.ok()) return nullptr;
  auto trace = run(document, **backend, {});
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().sentence());
  return trace.ok() ? *trace : nullptr;
}

}  // namespace headlight::tests
