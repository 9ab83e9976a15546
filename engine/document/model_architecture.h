// What the models are made of that a document describes: the sandbox, and models of ours, whose config.json has a document's
// fields.
#pragma once

#include <memory>

#include "engine/architectures/architecture.h"
#include "engine/document/document.h"
#include "engine/document/stored_model.h"

namespace headlight {

// The sandbox's: seeded embeddings and positions, N layers of multi-head attention with optional projections, residual
// connections, norms and feed-forward part; with targets an encoder and a decoder joined by cross-attention (Vaswani et al. 2017;
// S5 to S9, S12, S18).
// architecture_of(document).layers is document.layers.
architectures::Architecture architecture_of(const Document& document);
// A stored model's: as its checkpoint says, or of the same blocks as the sandbox's.
// architecture_of(**open_stored_model("stories"))
std::shared_ptr<const architectures::Architecture> architecture_of(const StoredModel& model);

// Fields of a document as a published model has them, for pictures, words and checks.
Document document_of(const architectures::Architecture& architecture);

}  // namespace headlight
