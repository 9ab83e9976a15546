#include "app/cli/context_picture.h"

#include "app/cli/interrupt.h"
#include "app/session/view_fields.h"
#include "engine/insight/word_context.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kMostSentences = 6, kMostProbes = 6;

Status in_range(const char* option, const char* of_what, std::optional<std::int64_t> given, std::int64_t last) {
  if (!given || (*given >= 0 && *given <= last)) return {};
  return usage_error("there is no {} {}", of_what, *given)
      .at(Message::name(option))
      .mend(last == 0 ? Message("the only one is 0") : Message("they go from 0 to {}", last));
}

}  // namespace

bool is_context_picture(const std::string& name) { return name == "context" || name.starts_with("context-"); }

Status take_context_texts(ViewPicture& picture) {
  ViewState& view = picture.session.view;
  std::vector<std::string>& texts = picture.session.document.texts;
  if (picture.texts_given && texts.size() < 2)
    return usage_error("one word is compared in at least two texts").at("--text").mend("give --text two to six times");
  if (texts.size() > kMostSentences)
    return usage_error("a picture has at most six sentences").at("--text").mend("give --text two to six times");
  if (picture.probes.size() > kMostProbes)
    return usage_error("a picture has at most six probe words").at("--probe").mend("give fewer");
  if (texts.size() >= 2) {
    set_at(view, "context.sentences", texts);
    texts.resize(1);
    picture.session.document.targets.resize(std::min<std::size_t>(1, picture.session.document.targets.size()));
  }
  if (!picture.word.empty()) set_at(view, "context.word", picture.word);
  std::string probes;
  for (const std::string& probe : picture.probes) probes += (probes.empty() ? "" : ", ") + probe;
  if (!picture.probes.empty()) set_at(view, "context.probes", probes);
  return {};
}

Status look_at_context(ViewPicture& picture, const Trace& trace, backends::Backend& backend) {
  ViewState& view = picture.session.view;
  const Document& document = trace.document();
  HL_TRY(in_range("--layer", "layer", picture.layer, document.layers));  // so many are passed at most
  HL_TRY(in_range("--head", "head", picture.head, (document.projected ? document.heads : 1) - 1));
  if (picture.layer) set_at(view, "context.layer", *picture.layer);
  if (picture.head) set_at(view, "context.head", *picture.head);
  const std::string word = value_at(view, "context.word").string();
  std::vector<std::string> sentences;
  const Json typed = value_at(view, "context.sentences");
  for (const Json& sentence : typed.elements()) sentences.push_back(sentence.string());
  if (!sentences.empty() && !word.empty()) {
    // Also says which of the texts has no such word.
    HL_ASSIGN(const WordContext made, word_context(document, backend, word, sentences, picture.probes, interrupt_token()));
    HL_TRY(in_range("--sentence", "sentence", picture.sentence, static_cast<std::int64_t>(made.texts.size()) - 1));
    const auto sentence = static_cast<std::size_t>(picture.sentence.value_or(0));
    HL_TRY(in_range("--token", "token", picture.token,
                    static_cast<std::int64_t>(made.texts[sentence]->sentence().tokens.size()) - 1));
  }
  if (picture.sentence) set_at(view, "context.sentence", *picture.sentence);
  if (picture.token) set_at(view, "context.query", *picture.token);
  return {};
}

}  // namespace headlight::cli
