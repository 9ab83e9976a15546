// The fill of masked scores, which a document and the operation Attention both name.
#pragma once

namespace headlight::operations {

// The value of a masked score before the softmax.
enum class MaskFill { minus_infinity, minus_1e9 };

}  // namespace headlight::operations
