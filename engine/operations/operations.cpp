#include "engine/operations/operations.h"

#include <array>

#include "engine/operations/ablate.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/mean_loss.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/relative_scores.h"
#include "engine/operations/relative_values.h"
#include "engine/operations/repeat_rows.h"
#include "engine/operations/replace_pattern.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/scale.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"
#include "engine/operations/unit_rows.h"
#include "engine/operations/weigh_values.h"

namespace headlight::operations {

std::span<const Kind* const> kinds() {
  static const std::array all{
      &kind_of<Linear>(),         &kind_of<Activate>(),   &kind_of<Gather>(),     &kind_of<Add>(),
      &kind_of<Multiply>(),       &kind_of<LayerNorm>(),  &kind_of<RmsNorm>(),    &kind_of<UnitRows>(),
      &kind_of<Rotary>(),         &kind_of<SplitHeads>(), &kind_of<MergeHeads>(), &kind_of<Attention>(),
      &kind_of<Isdpa>(),          &kind_of<Softmax>(),    &kind_of<Transpose>(),  &kind_of<CrossEntropy>(),
      &kind_of<Dropout>(),        &kind_of<Gradient>(),   &kind_of<Ablate>(),     &kind_of<ReplacePattern>(),
      &kind_of<WeighValues>(),    &kind_of<RepeatRows>(), &kind_of<MeanLoss>(),   &kind_of<RelativeScores>(),
      &kind_of<RelativeValues>(), &kind_of<Scale>(),      &kind_of<SoftCap>(),
  };
  return all;
}

const Kind* find_kind(std::string_view id) {
  for (const Kind* kind : kinds())
    if (kind->id == id) return kind;
  return nullptr;
}

}  // namespace headlight::operations
