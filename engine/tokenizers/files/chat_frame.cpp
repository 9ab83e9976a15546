#include "engine/tokenizers/files/chat_frame.h"

#include <algorithm>
#include <filesystem>

#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/mapped_file.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/format.h"

namespace headlight::tokenizers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostTemplate = std::uint64_t{16} << 20;  // a tokenizer_config.json lists thousands of added tokens

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A text as Jinja's quotes have it: \n is a line's end.
std::string unescaped(std::string_view quoted) {
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      out += quoted[i];
      continue;
    }
    ++i;
    out += quoted[i] == 'n' ? '\n' : quoted[i] == 't' ? '\t' : quoted[i];
  }
  return out;
}

// What a template writes between `begin` and `end` without a variable: "You are a helpful assistant." Nothing: it writes none.
std::optional<std::string> fixed_text(std::string_view source, std::string_view begin, std::string_view end) {
  for (std::size_t at = source.find(begin); at != std::string_view::npos; at = source.find(begin, at + 1)) {
    const std::size_t from = at + begin.size(), to = source.find(end, from);
    if (to == std::string_view::npos) return {};
    const std::string_view text = source.substr(from, to - from);
    // A quote that ends here, or a variable, means that the text is put together.
    if (!text.empty() && !has(text, "' +") && !has(text, "'+") && !has(text, "\" +") && !has(text, "\"+") && !has(text, "{{") &&
        !has(text, "}}"))
      return unescaped(text);
  }
  return {};
}

// Whether what stands before `end` is trimmed: "message['content'] | trim + '<|eot_id|>'".
bool trims_before(std::string_view source, std::string_view end) {
  for (std::size_t at = source.find(end); at != std::string_view::npos; at = source.find(end, at + 1)) {
    const std::size_t last = source.substr(0, at).find_last_not_of(" '\"+");
    const std::string_view before = source.substr(0, last == std::string_view::npos ? 0 : last + 1);
    if (before.ends_with("| trim") || before.ends_with("|trim") || before.ends_with(".strip()")) return true;
  }
  return false;
}

std::optional<ChatFrame> chat_ml(std::string_view source) {
  if (!has(source, "<|im_start|>") || !has(source, "<|im_end|>") || has(source, "<|im_sep|>")) return {};
  ChatFrame frame{
      "ChatML", {}, "<|im_end|>\n<|im_start|>assistant\n", has(source, "bos_token"), trims_before(source, "<|im_end|>")};
  // Quoted with \n, as templates on one line are, or with a line's end of their own.
  std::optional<std::string> system = fixed_text(source, "<|im_start|>system\\n", "<|im_end|>");
  if (!system) system = fixed_text(source, "<|im_start|>system\n", "<|im_end|>");
  if (system) frame.before = "<|im_start|>system\n" + *system + "<|im_end|>\n";
  frame.before += "<|im_start|>user\n";
  return frame;
}

std::optional<ChatFrame> llama_3(std::string_view source) {
  if (!has(source, "<|start_header_id|>") || !has(source, "<|eot_id|>")) return {};
  ChatFrame frame{"Llama 3",
                  {},
                  "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
                  has(source, "bos_token"),
                  trims_before(source, "<|eot_id|>")};
  if (has(source, "<|begin_of_text|>")) {
    frame.begins = false;
    frame.before = "<|begin_of_text|>";
  }
  auto knowledge = fixed_text(source, "Cutting Knowledge Date: ", "\\n");
  if (!knowledge) knowledge = fixed_text(source, "Cutting Knowledge Date: ", "\n");
  if (knowledge)
    frame.before += "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: " + *knowledge +
                    "\nToday Date: " + fixed_text(source, "date_string = \"", "\"").value_or("26 Jul 2024") + "\n\n<|eot_id|>";
  frame.before += "<|start_header_id|>user<|end_header_id|>\n\n";
  return frame;
}

std::optional<ChatFrame> gemma(std::string_view source) {
  if (!has(source, "<start_of_turn>") || !has(source, "<end_of_turn>")) return {};
  return ChatFrame{"Gemma", "<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n",
                   has(source, "bos_token") || has(source, "<bos>"), has(source, "trim")};
}

// Phi-3 and 3.5 write lines; Phi-4-mini puts the role's name together and writes none.
std::optional<ChatFrame> phi(std::string_view source) {
  if (!has(source, "<|end|>") || has(source, "<|channel|>")) return {};
  if (has(source, "<|user|>"))
    return ChatFrame{"Phi", "<|user|>\n", "<|end|>\n<|assistant|>\n", has(source, "bos_token"), trims_before(source, "<|end|>")};
  if (has(source, "'<|' + message['role'] + '|>'"))
    return ChatFrame{"Phi", "<|user|>", "<|end|><|assistant|>", has(source, "bos_token"), trims_before(source, "<|end|>")};
  return {};
}

// Also Llama 2's. Versions differ in the spaces around [INST] and before [/INST].
std::optional<ChatFrame> mistral(std::string_view source) {
  if (!has(source, "[INST]") || !has(source, "[/INST]") || has(source, "[SYSTEM_PROMPT]")) return {};
  const bool space_before = has(source, "' [INST]") || has(source, "\" [INST]");
  return ChatFrame{has(source, "<<SYS>>") ? "Llama 2" : "Mistral",
                   std::string(space_before ? " " : "") + (has(source, "[INST] ") ? "[INST] " : "[INST]"),
                   has(source, " [/INST]") ? " [/INST]" : "[/INST]", has(source, "bos_token") || has(source, "<s>"),
                   trims_before(source, "[/INST]")};
}

// tokenizer_config.json's chat_template: a text, or several by name.
std::string template_in_config(const fs::path& file) {
  const auto text = read_text_file(file, kMostTemplate);
  if (!text) return {};
  const auto json = Json::parse(*text);
  if (!json) return {};
  const Json& given = (*json)["chat_template"];
  if (given.is_string()) return given.string();
  for (const Json& one : given.elements())
    if (one["name"].string() == "default") return one["template"].string();
  return {};
}

std::string template_in_gguf(const fs::path& file) {
  const auto mapped = checkpoints::MappedFile::open(file);
  if (!mapped) return {};
  const auto metadata = checkpoints::read_gguf_metadata((*mapped)->text(), file.string(), {});
  return metadata ? metadata->text("tokenizer.chat_template").value_or("") : std::string();
}

}  // namespace

std::optional<ChatFrame> chat_frame_of(std::string_view chat_template) {
  for (auto* const family : {chat_ml, llama_3, gemma, phi, mistral})
    if (auto frame = family(chat_template)) return frame;
  return {};
}

std::string chat_template_of(const std::string& name) {
  const auto found = file_of(name);
  if (!found || !found->format) return {};
  if (found->format->id == gguf_format().id) return template_in_gguf(found->file);
  const fs::path folder = found->file.parent_path();
  if (const auto text = read_text_file(folder / "chat_template.jinja", kMostTemplate)) return *text;
  if (std::string text = template_in_config(folder / "tokenizer_config.json"); !text.empty()) return text;
  return {};
}

Result<std::vector<Token>> encode_in_frame(const Tokenizer& tokenizer, const ChatFrame& frame, std::string_view sentence,
                                           const CancelToken& cancel) {
  constexpr std::string_view kSpaces = " \t\n\r\v\f";
  std::size_t first = 0, last = sentence.size();
  const bool answered = has(sentence, frame.after);
  if (frame.trims) {
    first = std::min(sentence.find_first_not_of(kSpaces), sentence.size());
    if (!answered) last = first == sentence.size() ? first : sentence.find_last_not_of(kSpaces) + 1;
  }
  const std::int32_t begin = tokenizer.special(Role::begin);
  const std::string before = (frame.begins && begin >= 0 ? tokenizer.piece(begin) : std::string()) + frame.before;
  const std::string text = before + std::string(sentence.substr(first, last - first)) + (answered ? "" : frame.after);
  HL_ASSIGN(std::vector<Token> tokens, tokenizer.encode(text, cancel));
  // A place in the frame is the sentence's nearest end.
  const auto place = [&](std::int64_t at) {
    return std::clamp(at - static_cast<std::int64_t>(before.size() - first), static_cast<std::int64_t>(first),
                      static_cast<std::int64_t>(last));
  };
  for (Token& token : tokens) {
    token.start = place(token.start);
    token.end = place(token.end);
  }
  return tokens;
}

}  // namespace headlight::tokenizers
