// Names and layouts of a model's parameters in a stored model. They are the names and shapes that the field uses, so that other
// programs can read them. Decoders and encoders of one stack follow Llama ("model.layers.0.self_attn.q_proj.weight"),
// encoder-decoders BART ("model.decoder.layers.0.encoder_attn.q_proj.weight"). Reading and writing share this one mapping.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"

namespace headlight::models {

// The stored name of a parameter. Error (internal): a parameter that the mapping does not know.
// stored_name(decoder, "parameters.layer.0.wq") gives "model.layers.0.self_attn.q_proj.weight".
Result<std::string> stored_name(const StoredModel& model, std::string_view parameter);

// A parameter in its stored layout. Our matrices multiply from the right (y = x W, W [in, out]) and the stored ones from the left
// ([out, in]), so matrices are transposed; tables and vectors stay. With rotary positions, the columns of W_q and W_k change
// their order inside each head: we rotate the pair (2i, 2i + 1), Llama's implementation the pair (i, i + d_k / 2).
// to_stored(model, "parameters.layer.0.w_up", w_up) of [64, 256] gives its transpose [256, 64].
Tensor to_stored(const StoredModel& model, std::string_view parameter, const Tensor& ours);
// The inverse: from_stored(model, name, to_stored(model, name, ours)) gives `ours`. The stored tensor must have the shape that
// to_stored() gives.
Tensor from_stored(const StoredModel& model, std::string_view parameter, const Tensor& stored);
// stored_shape("parameters.layer.0.w_up", {64, 256}) gives {256, 64}.
Shape stored_shape(std::string_view parameter, const Shape& ours);

}  // namespace headlight::models
