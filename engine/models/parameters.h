// Seeded weights, made once and shared by every run of the process, so that a keystroke does not make them again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/models/plan.h"

namespace headlight::models {

// Fill::normal draws deviation * Rng(seed, name).normal(row, column), rounded to float32; a vector is one row. f32, C order.
Result<Tensor> make_parameter(const ParameterSpec& spec, std::uint64_t seed, const CancelToken& cancel = {});

// The same from the process's cache (least recently used go first beyond kCacheBytes), and as a buffer of a backend.
inline constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 30;
Result<Tensor> parameter(const ParameterSpec& spec, std::uint64_t seed, const CancelToken& cancel = {});
Result<backends::Buffer> parameter_on(backends::Backend& backend, const ParameterSpec& spec, std::uint64_t seed,
                                      const CancelToken& cancel = {});

// Rows `ids` of the embedding table `spec` [vocabulary, d] without making the table: f32 [ids, d]. Rows outside the table and
// spec.zero_row are zero. Rows are remembered by the process.
Result<Tensor> embedding_rows(const ParameterSpec& spec, std::uint64_t seed, std::span<const std::int32_t> ids,
                              const CancelToken& cancel = {});

}  // namespace headlight::models
