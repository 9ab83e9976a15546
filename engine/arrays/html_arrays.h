// The arrays and tokens of a page that Headlight exported: its data lie in it as JSON. Nothing of the page is executed, and
// whoever may have written it: no size is believed before the bytes are there.
#pragma once

#include <string_view>

#include "engine/arrays/array_file.h"
#include "engine/core/status.h"

namespace headlight::arrays {

// Whether this is an HTML page; read_page() says whether one of Headlight's.
bool begins_as_page(std::string_view bytes);

// Adds the attention of the text that the page shows first: "weights", or "scores" where rows sum to nothing, or "encoder",
// "decoder" and "cross", each [layer, head, query, key]; "tokens" and "source_tokens"; and where the page has a session the text
// "document.json". A cell that may not be looked at is 0, or minus infinity among scores. Errors: no page of Headlight's; data
// that contradict themselves, with what; more than kMostPageCells cells.
inline constexpr std::int64_t kMostPageCells = 48'000'000;  // as many as a page is exported with
Status read_page(std::string_view html, File& file);

}  // namespace headlight::arrays
