// `headlight export --what context`, "context-paths", ...: one word in several texts, as the Context view shows it.
#pragma once

#include <string>

#include "app/cli/view_picture.h"
#include "engine/backends/base/backend.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

bool is_context_picture(const std::string& name);

// Makes the document's texts, where there are several, the sentences of the view; the document keeps the first. Errors (usage):
// more sentences or probe words than the view has room for; a single text that was given.
Status take_context_texts(ViewPicture& picture);

// The view's choice becomes what the options choose. Errors (usage): a layer, sentence, head or token that is not there; a text
// without the word.
Status look_at_context(ViewPicture& picture, const Trace& trace, backends::Backend& backend);

}  // namespace headlight::cli
