#include "conformance/inputs.h"

#include <algorithm>

#include "engine/core/rng.h"
#include "engine/operations/gather.h"
#include "engine/operations/isdpa.h"

namespace headlight::conformance {

using namespace backends;

namespace {

constexpr std::uint64_t kSeed = 20240617;

}  // namespace

Tensor normal(const std::string& name, const Shape& shape, double deviation) {
  const Rng rng(kSeed, name);
  Tensor t(DType::f64, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) {
    t.data<double>()[i] = static_cast<float>(deviation * rng.normal(0, static_cast<std::uint64_t>(i)));
  }
  return t;
}

Tensor uniform_ids(const std::string& name, const Shape& shape, std::int64_t below) {
  const Rng rng(kSeed, name);
  Tensor t(DType::i32, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) {
    t.data<std::int32_t>()[i] =
        static_cast<std::int32_t>(rng.uniform(1, static_cast<std::uint64_t>(i)) * static_cast<double>(below));
  }
  return t;
}

// A mask of zeros and ones, each as likely.
Tensor coins(const std::string& name, const Shape& shape) {
  const Tensor ids = uniform_ids(name, shape, 2);
  Tensor t(DType::u8, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(ids.data<std::int32_t>()[i]);
  return t;
}

std::vector<Tensor> inputs_for(const OpDesc& desc, const std::string& name) {
  const auto s = signature(desc, DType::f64);
  std::vector<Tensor> inputs;
  if (!s) return inputs;
  for (std::size_t i = 0; i < s->inputs.size(); ++i) {
    const std::string stream = name + "." + std::to_string(i);
    if (s->input_types[i] == DType::i32) {
      inputs.push_back(uniform_ids(stream, s->inputs[i], std::max<std::int64_t>(1, s->below[i])));
    } else if (s->input_types[i] == DType::u8) {
      inputs.push_back(coins(stream, s->inputs[i]));
    } else {
      inputs.push_back(normal(stream, s->inputs[i]));
    }
  }
  return inputs;
}

}  // namespace headlight::conformance
