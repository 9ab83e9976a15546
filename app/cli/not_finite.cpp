#include "app/cli/not_finite.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "app/cli/backend_option.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

// "[batch 0, head 1, query 3, d 5]": the place of an element in C order.
std::string place_words(std::int64_t element, const Shape& shape, const Axes& axes) {
  std::string words;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::size_t from_end = shape.size() - axis;
    const std::string name = from_end <= axes.size() ? axes[axes.size() - from_end] : "axis " + std::to_string(axis) + ":";
    words = name + " " + std::to_string(element % shape[axis]) + (words.empty() ? "" : ", ") + words;
    element /= shape[axis];
  }
  return "[" + words + "]";
}

}  // namespace

void NotFinite::look(const std::string& name, const Tensor& array, const Axes& axes, bool minus_infinity_masks) {
  count("array '" + name + "'", array, axes, minus_infinity_masks);
}

void NotFinite::look_at_step(const Trace& trace, const std::string& name, const Tensor& values) {
  const Step* const step = trace.find(name);
  count((step ? "step '" : "'") + name + "'", values, step ? step->axes : values.axes(),
        step && step->role == Role::masked_scores);
}

Status NotFinite::look_at(const Trace& trace, std::vector<std::string> names, const CancelToken& cancel, std::int64_t most) {
  if (names.empty())
    for (const Step& step : trace.steps())
      if (step.dtype == DType::f32 || step.dtype == DType::f64) names.push_back(step.name);
  for (const std::string& name : names) {
    if (const Step* const step = trace.find(name); step && element_count(step->shape) > most) continue;
    HL_ASSIGN(const Tensor values, trace.values(name, cancel));
    look_at_step(trace, name, values);
  }
  return {};
}

Status NotFinite::look_for_cause(const Trace& trace, const CancelToken& cancel, std::int64_t most) {
  if (found_.empty()) return {};
  for (const NamedParameter& parameter : trace.parameters()) {
    if (element_count(parameter.shape) > most) continue;
    HL_ASSIGN(const Tensor values, trace.values(parameter.name, cancel));
    count("'" + parameter.name + "'", values, parameter.axes, false);
  }
  return {};
}

Status NotFinite::look_for_cause(const StoredModel& model, const CancelToken& cancel) {
  if (found_.empty()) return {};
  HL_ASSIGN(const auto backend, open_backend("cpu"));
  Document document;
  use_model(document, model);
  document.texts = {"a"};
  if (model.task == ModelTask::encoder_decoder) document.targets = {"a"};
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(document, *backend, cancel));
  return look_for_cause(*trace, cancel);
}

void NotFinite::count(const std::string& what, const Tensor& array, const Axes& axes, bool minus_infinity_masks) {
  if (array.empty() || (array.dtype() != DType::f32 && array.dtype() != DType::f64)) return;
  const Tensor flat = array.compact();
  std::int64_t counts[3] = {}, first = -1;
  const char* const kinds[3] = {"NaN", "inf", "-inf"};
  std::size_t first_kind = 0;
  const auto count_in = [&](const auto* numbers) {
    for (std::int64_t i = 0; i < flat.count(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      const std::size_t kind = std::isnan(numbers[i]) ? 0 : numbers[i] > 0 ? 1 : 2;
      if (kind == 2 && minus_infinity_masks) continue;
      ++counts[kind];
      if (first < 0) first = i, first_kind = kind;
    }
  };
  if (flat.dtype() == DType::f32)
    count_in(flat.data<float>());
  else
    count_in(flat.data<double>());
  if (first < 0) return;
  std::string list;
  int found = 0;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    if (counts[kind] == 0) continue;
    list += (found++ > 0 ? ", " : "") + std::to_string(counts[kind]) + " " + kinds[kind];
  }
  found_.push_back(what + " holds " + list + " among " + std::to_string(flat.count()) + " numbers, the first" +
                   (found > 1 ? std::string(", ") + kinds[first_kind] + "," : "") + " at " +
                   place_words(first, flat.shape(), axes));
}

void NotFinite::say(const std::string& command, const std::string& file) const {
  constexpr std::size_t kMost = 6;
  const std::string begin = "headlight " + command + ": " + (file.empty() ? "" : file + ": ");
  for (std::size_t i = 0; i < std::min(kMost, found_.size()); ++i)
    std::fprintf(stderr, "%s%s\n", begin.c_str(), found_[i].c_str());
  if (found_.size() > kMost) std::fprintf(stderr, "%sso do %zu more\n", begin.c_str(), found_.size() - kMost);
}

Status NotFinite::check(const std::string& file, bool strict) const {
  if (found_.empty() || !strict) return {};
  std::string all;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, found_.size()); ++i) all += (all.empty() ? "" : ", ") + found_[i];
  if (found_.size() > 4) all += ", and so do " + std::to_string(found_.size() - 4) + " more";
  return invalid(Message(all)).at(file).mend("mend the numbers, or leave out --strict");
}

void add_strict_option(Arguments& arguments, bool& strict) {
  arguments.flag("--strict", strict, "NaN or infinity in what the model computes is an error");
}

}  // namespace headlight::cli
