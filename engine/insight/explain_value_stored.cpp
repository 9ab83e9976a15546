// Where the numbers of a published model's parameters lie in its file.
#include <algorithm>
#include <string>

#include "engine/architectures/architecture.h"
#include "engine/document/stored_model.h"
#include "engine/insight/explain_parts.h"

namespace headlight::explaining {
namespace {

constexpr std::string_view kParameters = "parameters.";

const char* scaling_name(const architectures::Rope& rope) {
  using enum architectures::Rope::Scaling;
  switch (rope.scaling) {
    case none: return "";
    case linear: return "linear";
    case dynamic: return "dynamic";
    case llama3: return "llama3";
    case yarn: return "yarn";
    case longrope: return "longrope";
  }
  return "";
}

}  // namespace

std::optional<RopeOfLayer> rope_of(const Trace& trace, std::int64_t layer) {
  const auto model = trace.stored_model();
  if (!model || !is_published(*model)) return std::nullopt;
  const architectures::Architecture& a = model->checkpoint->architecture;
  if (layer < 0 || layer >= a.layers) return std::nullopt;
  const auto& rope = a.rope_of(layer);
  if (!rope) return std::nullopt;
  return RopeOfLayer{rope->base, rope->exponent_width(), scaling_name(*rope)};
}

std::optional<StoredNumber> stored_number(const Trace& trace, const ValueAddress& at) {
  const auto model = trace.stored_model();
  if (!model || !is_published(*model) || !at.step.starts_with(kParameters) || at.index.empty()) return std::nullopt;
  const architectures::Checkpoint& checkpoint = *model->checkpoint;
  const architectures::Architecture& a = checkpoint.architecture;
  std::string_view parameter = std::string_view(at.step).substr(kParameters.size());
  const bool tied = parameter == "output" && a.tied;
  if (tied) parameter = "embedding";
  const architectures::StoredPlace* const place = a.place_of(parameter);
  const checkpoints::StoredTensor* const tensor = place ? a.find(*checkpoint.file, *place, parameter) : nullptr;
  if (!tensor) return std::nullopt;
  StoredNumber number{tensor->name, checkpoints::name_of(tensor->type), {}, place->added};
  const bool table = !tied && (parameter == "embedding" || parameter == "position");
  if (place->row_of_table)
    number.index = {place->first, at.index[0]};
  else if (at.index.size() == 1)
    number.index = {place->row(at.index[0])};
  else if (table)
    number.index = {place->row(at.index[0]), at.index[1]};
  else if (place->turned)
    number.index = {at.index[0], place->first + at.index[1]};
  else
    number.index = {place->row(at.index[1]), at.index[0]};
  return number;
}

}  // namespace headlight::explaining
