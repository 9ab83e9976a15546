// What a document and the operation Attention both say of masks.
#pragma once

namespace headlight::operations {

// What a masked score becomes before the softmax.
enum class MaskFill { minus_infinity, minus_1e9 };

}  // namespace headlight::operations
