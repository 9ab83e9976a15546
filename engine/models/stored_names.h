// How a model's parameters are called and lie in a stored model: by the names and in the shapes that the field uses, so that
// other programs can read them. Decoders and encoders of one stack follow Llama ("model.layers.0.self_attn.q_proj.weight"),
// encoder-decoders BART ("model.decoder.layers.0.encoder_attn.q_proj.weight"). Reading and writing both go by this one mapping.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"

namespace headlight::models {

// The stored name of a parameter ("parameters.layer.0.wq"). Error (internal): a parameter that the mapping does not know.
Result<std::string> stored_name(const StoredModel& model, std::string_view parameter);

// A parameter as it is stored. Our matrices act from the right (y = x W, W [in, out]), the stored ones from the left ([out, in]):
// they are turned; tables and vectors stay. With rotary positions, the columns of W_q and W_k change their order inside each
// head: we turn the pair (2i, 2i + 1), Llama's implementation the pair (i, i + d_k / 2).
Tensor to_stored(const StoredModel& model, std::string_view parameter, const Tensor& ours);
// The inverse. The stored tensor must have the shape that to_stored() gives.
Tensor from_stored(const StoredModel& model, std::string_view parameter, const Tensor& stored);
Shape stored_shape(std::string_view parameter, const Shape& ours);

}  // namespace headlight::models
