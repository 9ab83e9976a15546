// The roles that heads have on an exported page: those that were measured over many texts, else what they do in this sentence.
#pragma once

#include <cstdint>

#include "app/export/page/page_run.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::page {

// Fills attention.roles and roles_from; of random weights none, whose patterns mean nothing. Errors: those of reading the trace.
// find_roles(attention, *trace, 0, true, cancel)
Status find_roles(Attention& attention, const Trace& trace, std::int64_t batch, bool trained, const CancelToken& cancel);

}  // namespace headlight::page
