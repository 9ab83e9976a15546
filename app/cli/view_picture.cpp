#include "app/cli/view_picture.h"

#include <algorithm>

#include "app/cli/backend_option.h"
#include "app/cli/context_picture.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/remarks.h"
#include "app/cli/window_hooks.h"
#include "app/session/view_fields.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

// "decoder.cross.ledger": the site "decoder.cross." and the name.
std::pair<std::string, std::string> split(const std::string& what) {
  const std::size_t dot = what.rfind('.');
  return dot == std::string::npos ? std::pair<std::string, std::string>("", what)
                                  : std::pair(what.substr(0, dot + 1), what.substr(dot + 1));
}

Status check_index(const char* option, const char* of_what, std::optional<std::int64_t> given, std::int64_t count) {
  if (!given || (*given >= 0 && *given < count)) return {};
  return usage_error("there is no {} {}", of_what, *given)
      .at(Message::name(option))
      .mend(count == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", count - 1));
}

// What the options choose becomes the view's choice.
Status look_at(ViewPicture& picture, const Trace& trace, const std::string& site) {
  ViewState& view = picture.session.view;
  const auto batches = static_cast<std::int64_t>(trace.texts().size());
  HL_TRY(check_index("--sentence", "sentence", picture.sentence, batches));
  if (picture.sentence) view.batch = *picture.sentence;
  std::int64_t layers = trace.document().layers, heads = trace.document().projected ? trace.document().heads : 1;
  if (is_of_arrays(trace.document())) {
    layers = heads = 0;
    for (const AttentionSite& one : trace.sites()) {
      layers = std::max(layers, one.layer + 1);
      heads = std::max(heads, one.heads);
    }
  }
  HL_TRY(check_index("--layer", "layer", picture.layer, layers));
  HL_TRY(check_index("--head", "head", picture.head, heads));
  if (picture.layer) view.layer = *picture.layer;
  if (picture.head) view.head = *picture.head;
  if (!site.empty()) view.site = site;
  if (picture.token) {
    // The ledger's tokens are those of its site; what predicts a next token is the target, where there is one.
    const bool targets = !trace.targets().empty() && !view.site.starts_with("encoder.");
    const auto sentences = targets ? trace.targets() : trace.texts();
    const auto batch = static_cast<std::size_t>(std::clamp<std::int64_t>(view.batch, 0, batches - 1));
    HL_TRY(check_index("--token", "token", picture.token, static_cast<std::int64_t>(sentences[batch].tokens.size())));
    view.pinned_row = *picture.token;
    view.pinned_column = 0;
    set_at(view, "next_word.position", *picture.token);
    set_at(view, "why.position", *picture.token);
  }
  return {};
}

}  // namespace

bool names_view_picture(const std::string& what) {
  if (!window_hooks().pictures) return false;
  for (const auto& [name, label] : window_hooks().pictures())
    if (name == split(what).second) return true;
  return false;
}

bool takes_words_together(const std::string& what) {
  const std::string name = split(what).second;
  return name == "looks" || name == "generated" || name == "compare";
}

std::string view_picture_names() {
  std::string names;
  if (window_hooks().pictures)
    for (const auto& [name, label] : window_hooks().pictures()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Status write_view_picture(ViewPicture picture) {
  const auto [site, name] = split(picture.what);
  if (!site.empty() && site != "encoder." && site != "decoder." && site != "decoder.cross.")
    return usage_error("there is no '{}' that has a picture", site).at("--what").mend("write decoder.{}, or {}", name, name);
  const bool context = is_context_picture(name);
  if (context && !site.empty())
    return usage_error("the Context view reads its own texts, and has no '{}'", site).at("--what").mend("write {}", name);
  if (!context && (!picture.word.empty() || !picture.probes.empty()))
    return usage_error("this picture is of no word")
        .at(Message::name(picture.word.empty() ? "--probe" : "--word"))
        .mend("leave it out");
  if (!is_why_picture(name) && picture.asked.any())
    return usage_error("only pictures of a predicted word ask about one")
        .at(Message::name(picture.asked.option()))
        .mend("leave it out, or give --what why");
  if (context) HL_TRY(take_context_texts(picture));
  HL_ASSIGN(const auto backend, open_backend_or_cpu(picture.session.document.backend));
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(picture.session.document, *backend, interrupt_token()));
  print_remarks(*trace);
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(*trace, {}, interrupt_token()));
  HL_TRY(not_finite.check(picture.out.string(), picture.strict));
  not_finite.say("export", {});
  if (!site.empty() && trace->targets().empty())
    return usage_error("this model reads one sentence, so it has no '{}'", site).at("--what").mend("write {}", name);
  HL_TRY(context ? look_at_context(picture, *trace, *backend) : look_at(picture, *trace, site));
  if (picture.asked.any()) HL_TRY(ask_words(picture.session.view, picture.asked, name, *trace, *backend, interrupt_token()));
  return window_hooks().write_picture({name, picture.out, picture.session, trace, picture.style, picture.dpi});
}

}  // namespace headlight::cli
