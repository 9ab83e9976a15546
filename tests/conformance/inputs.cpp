#include "conformance/inputs.h"

#include "engine/core/rng.h"

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

std::vector<Tensor> inputs_for(const OpDesc& desc, const std::string& name) {
  const auto s = signature(desc, DType::f64);
  std::vector<Tensor> inputs;
  if (!s) return inputs;
  std::int64_t table = 1;
  if (const auto* gather = std::get_if<Gather>(&desc)) table = gather->table_rows;
  if (const auto* isdpa = std::get_if<Isdpa>(&desc)) table = isdpa->vocabulary;
  for (std::size_t i = 0; i < s->inputs.size(); ++i) {
    if (!s->inputs[i].empty() && s->inputs[i][0] == -1) continue;
    const std::string stream = name + "." + std::to_string(i);
    inputs.push_back(s->input_types[i] == DType::i32 ? uniform_ids(stream, s->inputs[i], table) : normal(stream, s->inputs[i]));
  }
  return inputs;
}

}  // namespace headlight::conformance
