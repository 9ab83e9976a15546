// Any bytes as a published model's config.json: it is read, or refused with a sentence and its place; what was read makes a plan
// whose every parameter has a place. Run: build/fuzz/bin/config_json_fuzz CORPUS (see cmake/HeadlightFuzz.cmake). A corpus to
// begin with: the "config" of each tests/data/published/*.json, as a file of its own.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/architectures/published_config.h"
#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"

namespace {

using namespace headlight;

constexpr std::int64_t kMostLayers = 8;  // plans of more take their time, and are like these

// The parts of a plan for three tokens.
void plan_of(const architectures::Architecture& a) {
  models::Sizes sizes;
  sizes.text_length = 3;
  sizes.text_lengths = {3};
  sizes.text_tokens.vocabulary = a.vocabulary;
  sizes.output = {a.predicts, a.tied};
  if (a.learned_positions) sizes.trained_positions = a.length;
  const models::ModelPlan plan = models::plan_of(a, document_of(a), sizes, DType::f32);
  constexpr std::string_view kPrefix = "parameters.";
  for (const models::ParameterSpec& spec : plan.parameters) {
    const std::string_view name = std::string_view(spec.part.of.empty() ? spec.name : spec.part.of).substr(kPrefix.size());
    if (!a.place_of(name)) std::abort();
    for (const std::int64_t size : spec.shape)
      if (size < 1) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto json = Json::parse({reinterpret_cast<const char*>(data), size});
  if (!json || !json->is_object()) return 0;
  const architectures::Entry* const entry = architectures::registry().find((*json)["model_type"].string());
  if (!entry) return 0;
  static const checkpoints::TensorFile none;
  architectures::Config config(std::move(*json), none, "fuzz");
  const auto read = architectures::read_architecture(*entry, config);
  if (!read) {
    if (read.error().what.empty() || read.error().where.empty()) std::abort();
    return 0;
  }
  const architectures::Architecture& a = *read;
  for (const auto& rope : {a.rope, a.local_rope})
    if (rope)
      for (const std::int64_t tokens : {1, 100'000})
        if (architectures::turning_of(*rope, tokens).frequencies.size() != static_cast<std::size_t>(rope->turned / 2))
          std::abort();
  if (a.layers <= kMostLayers) plan_of(a);
  return 0;
}
