#include "app/session/translator.h"

#include <mutex>
#include <utility>

#include "app/text/language.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/generate.h"

namespace headlight {
namespace {

// What a translation depends on.
struct Wanted {
  std::string model, backend;
  std::vector<Intervention> interventions;
  std::vector<std::string> texts;
  bool operator==(const Wanted&) const = default;
};

// Those of the document that change a model whatever text it reads: a pattern of another sentence fits one length alone.
std::vector<Intervention> interventions_of_any_text(const Document& document) {
  std::vector<Intervention> all = document.interventions;
  std::erase_if(all, [](const Intervention& one) { return one.kind == Intervention::Kind::pattern; });
  return all;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; }

// A model on a backend with its interventions, opened once for all texts.
struct Opened {
  Wanted from;  // without texts
  std::shared_ptr<const Predictor> predictor;
};

Result<std::shared_ptr<const Predictor>> open(const Wanted& wanted) {
  HL_ASSIGN(auto stored, open_stored_model(wanted.model));
  HL_ASSIGN(auto model, with_interventions(std::move(stored), wanted.interventions));
  HL_ASSIGN(auto backend, backends::open(wanted.backend));
  HL_ASSIGN(Predictor predictor, Predictor::open(std::move(model), std::move(backend)));
  return std::make_shared<const Predictor>(std::move(predictor));
}

Result<std::vector<std::string>> targets_of(const Predictor& predictor, const std::vector<std::string>& texts,
                                            const CancelToken& cancel) {
  std::vector<std::string> written;
  for (const std::string& text : texts)
    if (!is_blank(text)) written.push_back(text);
  GenerateOptions options;
  options.temperature = 0;  // the most probable token
  options.candidates = 1;
  options.tokens = predictor.model().length;
  HL_ASSIGN(const std::vector<Generated> made, generate(predictor, written, options, cancel));
  std::vector<std::string> targets;
  std::size_t next = 0;
  for (const std::string& text : texts) targets.push_back(is_blank(text) ? std::string() : made[next++].output);
  return targets;
}

// Languages whose names the interface's table translates. Another one is shown as the model's configuration writes it.
std::string language_words(const std::string& name) {
  for (const char* known : {tr_later("English"), tr_later("French"), tr_later("German"), tr_later("Spanish"), tr_later("Italian"),
                            tr_later("Chinese"), tr_later("Japanese"), tr_later("Russian")})
    if (name == known) return tr(known);
  return name;
}

}  // namespace

SentenceLanguages languages_of(const Document& document) {
  if (document.model == "sandbox") return {};
  const auto model = open_stored_model(document.model);
  if (!model.ok()) return {};
  return {language_words((*model)->language), language_words((*model)->target_language)};
}

bool translates(const Document& document) {
  if (document.model == "sandbox") return false;
  const auto model = open_stored_model(document.model);
  return model.ok() && (*model)->task == ModelTask::encoder_decoder;
}

Result<std::vector<std::string>> translated(const Document& document, const CancelToken& cancel) {
  HL_ASSIGN(auto model, open_stored_model(document.model));
  HL_ASSIGN(auto changed, with_interventions(std::move(model), document.interventions));
  HL_ASSIGN(auto backend, backends::open(document.backend));
  HL_ASSIGN(const Predictor predictor, Predictor::open(std::move(changed), std::move(backend)));
  return targets_of(predictor, document.texts, cancel);
}

struct Translator::State {
  std::mutex mutex;
  std::optional<Wanted> wanted, made;
  std::shared_ptr<const Translation> translation;  // of `made`
  bool running = false;                            // a job waits in the lane or runs
  CancelSource cancel;
  std::function<void()> wake;
  Opened opened;  // of the job alone

  Result<std::vector<std::string>> make(const Wanted& from, const CancelToken& stop) {
    Wanted model = from;
    model.texts.clear();
    if (!opened.predictor || opened.from != model) {
      opened = {};
      HL_ASSIGN(auto predictor, open(from));
      opened = {std::move(model), std::move(predictor)};
    }
    return targets_of(*opened.predictor, from.texts, stop);
  }
  // Translates until what is wanted is there.
  void work(const CancelToken& lane) {
    while (true) {
      Wanted from;
      CancelToken stop;
      {
        const std::lock_guard lock(mutex);
        if (lane.cancelled() || !wanted || wanted == made) {
          running = false;
          return;
        }
        from = *wanted;
        cancel = CancelSource();
        stop = cancel.token();
      }
      auto targets = make(from, stop);
      const std::lock_guard lock(mutex);
      if (wanted != from) continue;
      auto done = std::make_shared<Translation>();
      if (targets.ok())
        done->targets = std::move(targets).value();
      else
        done->error = targets.error();
      made = std::move(from);
      translation = std::move(done);
      if (wake) wake();
    }
  }
};

Translator::Translator(Derived::Lane lane, std::function<void()> wake)
    : state_(std::make_shared<State>()), lane_(std::move(lane)) {
  state_->wake = std::move(wake);
}

Translator::~Translator() {
  const std::lock_guard lock(state_->mutex);
  state_->wanted.reset();
  state_->cancel.cancel();
  state_->wake = {};
}

std::shared_ptr<const Translation> Translator::of(const Document& document) {
  Wanted asked{document.model, document.backend, interventions_of_any_text(document), document.texts};
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->made == asked) return state_->translation;
    if (state_->wanted == asked) return nullptr;
    state_->wanted = std::move(asked);
    state_->cancel.cancel();
    if (std::exchange(state_->running, true)) return nullptr;
  }
  auto job = [state = state_](const CancelToken& lane) { state->work(lane); };
  if (!lane_) {
    job({});
    const std::lock_guard lock(state_->mutex);
    return state_->translation;
  }
  lane_(std::move(job));
  return nullptr;
}

}  // namespace headlight
