// `headlight export --what context`, "context-paths", ...: one word in several texts, as the Context view shows it.
#pragma once

#include <string>

#include "app/cli/view_picture.h"
#include "engine/backends/base/backend.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

bool is_context_picture(const std::string& name);

// Makes several texts of the document the sentences of the view; the document keeps the first. Errors (usage): more sentences or
// probe words than the view has room for; a single text that was given.
Status take_context_texts(ViewPicture& picture);

// Sets the view's choices from the options. Errors (usage): a layer, sentence, head or token that does not exist; a text without
// the word.
// look_at_context(picture, trace, backend) selects picture.layer in the view.
Status look_at_context(ViewPicture& picture, const Trace& trace, backends::Backend& backend);

}  // namespace headlight::cli
