// Chat frames: what stands around a sentence when a model that was tuned to answer reads it. A model's files hold a template in
// the language Jinja; the frames of five families are recognised by what the templates have in common, and no template is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

struct ChatFrame {
  std::string family;         // "ChatML", "Llama 3", "Gemma", "Phi", "Mistral"
  std::string before, after;  // around the sentence; after it the answer begins
  bool begins = false;        // [BOS] stands before all
  bool trims = false;         // spaces around the sentence are left out
  bool operator==(const ChatFrame&) const = default;
};

// The frame of a sentence by the template of chats; nothing: the template is of no known family. A system's text is the one that
// the template itself has. Where a template asks for today's date, the frame has the date that the template falls back to.
std::optional<ChatFrame> chat_frame_of(std::string_view chat_template);
// The template in the files of the tokenizer `name` (open.h): chat_template.jinja, tokenizer_config.json, or a GGUF's metadata.
// Empty: they have none. chat_template_of("smollm2")
std::string chat_template_of(const std::string& name);

// The tokens of the sentence in its frame. A sentence that has `after` in it has the beginning of the answer behind that. Special
// tokens that the sentence names are read as such. Places count in the sentence; what belongs to the frame alone stands for none
// of it. Error: cancelled.
Result<std::vector<Token>> encode_in_frame(const Tokenizer& tokenizer, const ChatFrame& frame, std::string_view sentence,
                                           const CancelToken& cancel = {});

}  // namespace headlight::tokenizers
