// The fixture for tests of the CUDA backend: a working emulated device (tests/gpu/emulation) with nothing allocated.
#pragma once

#include <gtest/gtest.h>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/core/rng.h"
#include "engine/pipeline/run_anywhere.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight {

// Each test starts and ends with a working device and nothing allocated.
class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    restore();
    before_ = emulation::live_allocations();
  }
  void TearDown() override {
    restore();
    opened_.clear();
    if (runs_models_) return;
    EXPECT_EQ(emulation::live_allocations(), before_) << "leaked";
  }
  static void restore() {
    emulation::set_backwards(false);
    emulation::set_devices(1);
    emulation::set_memory(std::uint64_t{1} << 30);
    emulation::module().fail_call(0, false);
  }
  static Result<std::shared_ptr<backends::Backend>> open(int device = 0) {
    return backends::cuda::make_backend(emulation::module(), device, backends::cuda::kFloat32);
  }
  // Opens "cuda" on a new emulated module, other backends as usual. Traces need their backends, so they live until the test ends.
  OpenBackend emulated() {
    runs_models_ = true;  // a model's weights stay on the device, in the program's cache
    return [this](std::string_view id) -> Result<std::shared_ptr<backends::Backend>> {
      if (id != "cuda") return backends::open(id);
      auto backend = open();
      if (backend) opened_.push_back(*backend);
      return backend;
    };
  }
  std::int64_t before_ = 0;
  bool runs_models_ = false;
  std::vector<std::shared_ptr<backends::Backend>> opened_;
};

inline Tensor numbers(const char* name, Shape shape) {
  const Rng rng(3, name);
  Tensor t(DType::f32, std::move(shape), {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}

inline Document small_document() {
  Document d;
  d.texts = {"a blue one"};
  d.tokenizer = "characters";
  d.d_model = 16;
  d.heads = 2;
  d.layers = 1;
  d.backend = "cuda";
  d.masks = {Choice{"causal", {}}};
  return d;
}

}  // namespace headlight
