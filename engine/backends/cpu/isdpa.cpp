// Index-based attention on the CPU: chooses the method that computes it.
#include <string>
#include <vector>

#include "engine/backends/cpu/cpu_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cpu {

IsdpaState::IsdpaState() = default;
IsdpaState::~IsdpaState() = default;

Status IsdpaState::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& arrays, bool same_inputs,
                       const CancelToken& cancel) {
  const bool is_direct = op.method < Isdpa::Method::direct_folded || op.method == Isdpa::Method::direct_attention;
  if (!is_direct) {
    if (!shortcuts_) shortcuts_ = std::make_unique<Shortcuts>();
    return shortcuts_->run(kernels, op, arrays, same_inputs, cancel);
  }
  if (op.method != Isdpa::Method::index) {
    if (!direct_) direct_ = std::make_unique<Direct>();
    return direct_->run(kernels, op, arrays, same_inputs, cancel);
  }
  if (!tables_) tables_ = std::make_unique<Tables>();

  std::vector<std::int32_t> used;
  if (worth_projecting_only(op, 0))
    used = symbols_among({arrays.ids, static_cast<std::size_t>(op.words * op.length)}, op.vocabulary);
  if (used.empty() || !worth_projecting_only(op, static_cast<std::int64_t>(used.size())))
    return tables_->run(kernels, op, arrays, same_inputs, cancel);
  // Uses a smaller vocabulary: only the symbols that occur. The words are numbered accordingly.
  std::vector<std::int32_t> number(static_cast<std::size_t>(op.vocabulary), -1);
  Scratch rows;
  float* const f = rows.floats(static_cast<std::int64_t>(used.size()) * op.d);
  for (std::size_t i = 0; i < used.size(); ++i) {
    number[static_cast<std::size_t>(used[i])] = static_cast<std::int32_t>(i);
    std::copy_n(arrays.f + used[i] * op.d, op.d, f + static_cast<std::int64_t>(i) * op.d);
  }
  std::vector<std::int32_t> ids(arrays.ids, arrays.ids + op.words * op.length);
  for (std::int32_t& id : ids) id = number[static_cast<std::size_t>(id)];
  Isdpa small = op;
  small.vocabulary = static_cast<std::int64_t>(used.size());
  if (op.pad_index >= 0) small.pad_index = number[static_cast<std::size_t>(op.pad_index)];  // -1 where no word is padded
  IsdpaArrays with_small = arrays;
  with_small.f = f;
  with_small.ids = ids.data();
  return tables_->run(kernels, small, with_small, false, cancel);
}

}  // namespace headlight::backends::cpu
