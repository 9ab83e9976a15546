#include "engine/insight/word_in_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/attention/masks/combined.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

bool is_word_byte(char c) {  // bytes of other scripts' letters are beyond ASCII
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 32);
  return low;
}

// Where the word first stands in the text, with no letter on either side.
std::optional<std::size_t> alone_in(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_byte(text[at - 1])) && (end == text.size() || !is_word_byte(text[end]))) return at;
  }
  return {};
}

std::optional<std::size_t> place_in(std::string_view text, std::string_view word) {
  if (word.empty()) return {};
  if (const auto at = alone_in(text, word)) return at;
  if (const auto at = alone_in(lowered(text), lowered(word))) return at;
  // Some scripts put no spaces between words.
  if (static_cast<unsigned char>(word.front()) >= 0x80)
    if (const std::size_t at = text.find(word); at != std::string_view::npos) return at;
  return {};
}

// The document that computes one text alone.
Document alone(const Document& model, const std::string& text) {
  Document document = model;
  document.texts = {text};
  if (!model.targets.empty()) document.targets = {std::string()};
  document.custom_mask = nullptr;
  std::erase_if(document.masks, [](const Choice& mask) { return mask.id == "custom"; });
  return document;
}

std::string stack_of(const Trace& trace) { return trace.targets().empty() ? "" : "encoder."; }

Result<std::vector<double>> word_in_text_vector_of(const Trace& trace, const std::string& step, std::int64_t row) {
  HL_ASSIGN(const Tensor values, rows_of(trace, step, 0, 0, row, 1));
  return as_doubles(values);
}

// The stream's steps: the input, then the last step of each layer.
std::vector<std::string> stream_of(const Trace& trace, const std::string& stack) {
  std::vector<std::string> names = {trace.name_at(stack, Role::input)};
  for (std::int64_t n = 0; n < trace.document().layers; ++n) {
    const std::string place = stack + "layer." + std::to_string(n) + ".";
    std::string last;
    for (const Step& step : trace.steps())
      if (place_of(step.name) == place && step.shape.size() == 3) last = step.name;
    names.push_back(last);
  }
  return names;
}

// Which tokens reach none of the layers' rows that the word's row is made of.
std::vector<bool> hidden_from(const Trace& trace, const std::string& stack, std::int64_t row, std::size_t tokens) {
  std::vector<bool> seen(tokens, false);
  if (row < static_cast<std::int64_t>(tokens)) seen[static_cast<std::size_t>(row)] = true;
  for (std::int64_t n = trace.document().layers - 1; n >= 0; --n) {
    const AttentionSite* const site = find_site(trace, stack + "layer." + std::to_string(n) + ".");
    if (!site) continue;
    const Tensor& mask = site->mask.mask;
    const std::int64_t heads = mask.empty() ? 1 : mask.dim(1);
    std::vector<bool> before = seen;
    for (std::size_t q = 0; q < tokens; ++q)
      for (std::size_t k = 0; seen[q] && k < tokens; ++k)
        for (std::int64_t head = 0; head < heads && !before[k]; ++head)
          before[k] = masks::allows(mask, 0, head, static_cast<std::int64_t>(q), static_cast<std::int64_t>(k));
    seen = std::move(before);
  }
  seen.flip();
  return seen;
}

bool is_unknown(const Trace& trace, std::int64_t row) {
  const std::int32_t id = trace.tokenizer()->unknown_id();
  return id >= 0 && trace.texts().front().tokens[static_cast<std::size_t>(row)].id == id;
}

// The tokens that stand for bytes [begin, end) of the sentence: the first and the last.
std::pair<std::int64_t, std::int64_t> tokens_at(const Sentence& sentence, std::size_t begin, std::size_t end) {
  std::pair<std::int64_t, std::int64_t> found{-1, 0};
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const tokenizers::Token& token = sentence.tokens[i];
    if (token.start >= static_cast<std::int64_t>(end) || token.end <= static_cast<std::int64_t>(begin)) continue;
    if (found.first < 0) found.first = static_cast<std::int64_t>(i);
    found.second = static_cast<std::int64_t>(i);
  }
  return found;
}

}  // namespace

bool has_word(const std::string& text, const std::string& word) { return place_in(text, word).has_value(); }

std::optional<std::pair<std::int64_t, std::int64_t>> tokens_of_word(const Sentence& sentence, const std::string& word) {
  const auto at = place_in(sentence.text, word);
  if (!at) return {};
  const auto tokens = tokens_at(sentence, *at, *at + word.size());
  if (tokens.first < 0) return {};
  return tokens;
}

Result<WordInText> word_in_text(const Document& model, backends::Backend& backend, const std::string& word,
                                const std::string& text, std::size_t number, std::int64_t most_tokens,
                                const CancelToken& cancel) {
  const Message where("text {}", number + 1);
  if (word.empty()) return usage_error("the word is empty").at("--word").mend("give a word that stands in every text");
  const auto at = place_in(text, word);
  if (!at) return usage_error("the text has no word '{}'", word).at(where).mend("give texts in which it stands");
  const Document document = alone(model, text);
  if (most_tokens > 0) {
    HL_ASSIGN(const auto tokenizer, open_tokenizer(document));
    HL_ASSIGN(const auto tokens, tokenizer->encode(text));
    if (static_cast<std::int64_t>(tokens.size()) > most_tokens)
      return usage_error("the text has {} tokens", tokens.size()).at(where).mend("give texts of at most {} tokens", most_tokens);
  }
  WordInText out;
  HL_ASSIGN(out.trace, run(document, backend, cancel));
  const Trace& trace = *out.trace;
  out.stack = stack_of(trace);
  std::tie(out.first, out.row) = tokens_at(out.sentence(), *at, *at + word.size());
  if (out.first < 0) return usage_error("no token stands for the word '{}'", word).at(where).mend("choose another tokenizer");
  out.unknown = is_unknown(trace, out.row);
  for (const std::string& name : stream_of(trace, out.stack)) {
    HL_ASSIGN(std::vector<double> vector, word_in_text_vector_of(trace, name, out.row));
    out.vectors.push_back(std::move(vector));
  }
  const std::string embedding = trace.name_at(out.stack, Role::embedding);
  if (trace.step_at(out.stack, Role::position) && !embedding.empty()) {
    HL_ASSIGN(out.before_positions, word_in_text_vector_of(trace, embedding, out.row));
  }
  out.hidden = hidden_from(trace, out.stack, out.row, out.sentence().tokens.size());
  return out;
}

Result<ProbeWord> probe_word(const Document& model, backends::Backend& backend, const std::string& word,
                             const CancelToken& cancel) {
  const Document document = alone(model, " " + word);  // as it stands within a sentence
  HL_ASSIGN(const auto trace, run(document, backend, cancel));
  const std::int64_t row = tokens_at(trace->texts().front(), 0, document.texts.front().size()).second;
  ProbeWord probe{word, {}, is_unknown(*trace, row)};
  HL_ASSIGN(probe.vector, word_in_text_vector_of(*trace, trace->name_at(stack_of(*trace), Role::embedding), row));
  return probe;
}

}  // namespace headlight
