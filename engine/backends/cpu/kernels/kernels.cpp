#include "engine/backends/cpu/cpu_kernels.h"

#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {

#if defined(__AVX512F__)
#define HEADLIGHT_LEVEL_LABEL "AVX-512"
#elif defined(__AVX2__)
#define HEADLIGHT_LEVEL_LABEL "AVX2"
#elif defined(__SSE2__)
#define HEADLIGHT_LEVEL_LABEL "SSE2"
#elif defined(__ARM_NEON)
#define HEADLIGHT_LEVEL_LABEL "NEON"
#else
#define HEADLIGHT_LEVEL_LABEL "portable"
#endif

const Kernels& kernels() {
  static const Kernels table{HEADLIGHT_LEVEL_LABEL,
                             2 * kLanes,
                             kRows,
                             pack,
                             multiply,
                             kSmallRows,
                             multiply_small,
                             kStoredRows,
                             multiply_stored,
                             pack_stored,
                             additive_scores,
                             activate,
                             activate_gradient,
                             activate_with_slope,
                             scale,
                             mask_keep,
                             mask_add,
                             softmax,
                             add,
                             multiply_each,
                             layer_norm,
                             weighted_sum,
                             pool,
                             pool_indexed,
                             pool_exponentials,
                             exponentials,
                             largest_magnitude,
                             &gradient_kernels(),
                             nullptr};
  return table;
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
