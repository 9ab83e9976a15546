// The words that `why` and the pictures of the view Why this word ask about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "app/session/view_state.h"
#include "engine/core/cancel.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight::backends {
class Backend;
}

namespace headlight::cli {

struct AskedWords {
  std::string word, over, patch;  // --for, --over, --patch; empty: not given
  bool any() const { return !word.empty() || !over.empty() || !patch.empty(); }
  const char* option() const { return !word.empty() ? "--for" : !over.empty() ? "--over" : "--patch"; }  // the first given
};
// The three options. `of` begins their help: "Of why and its parts: ".
void add_asked_words(Arguments& arguments, AskedWords& words, const std::string& of = {});

// The token that a word begins with; a word that the vocabulary knows only as unknown is refused.
Result<std::int32_t> known_word(const Trace& trace, const std::string& word, const char* option);
// The word that the model says after the changed sentence, which is compared where --over names none. `document` has the one
// text. Errors: (usage) it is `word`; run()'s.
Result<std::int32_t> word_after(const Trace& trace, Document document, const std::string& patch, std::int32_t word,
                                const std::optional<std::int64_t>& position, backends::Backend& backend,
                                const CancelToken& cancel);

// Whether the view Why this word draws the picture of this name.
bool is_why_picture(const std::string& name);
// Makes the words those of the view, in `view.batch` of the trace. Errors (usage): an option that the picture does not show; an
// unknown word; a changed sentence of another length; the backend's.
Status ask_words(ViewState& view, const AskedWords& words, const std::string& picture, const Trace& trace,
                 backends::Backend& backend, const CancelToken& cancel);

}  // namespace headlight::cli
