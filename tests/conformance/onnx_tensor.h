// Reads the TensorProto messages of ONNX's node tests: dims, data_type and raw_data or typed data (onnx.proto, protocol buffers'
// wire format).
#pragma once

#include <string_view>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::conformance {

// float and float16 become f64, bool u8, int32 and int64 i32.
Result<Tensor> read_tensor_proto(std::string_view bytes);

}  // namespace headlight::conformance
