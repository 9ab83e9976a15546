#include "app/cli/attention_option.h"

#include <algorithm>

namespace headlight::cli {

AttentionOption::AttentionOption(Arguments& arguments) {
  arguments.option("--layer", layer, "the layer, from 0").shows_default().type("N");
  arguments.option("--head", head, "the head, from 0").shows_default().type("N");
  arguments.option("--sentence", sentence, "which of several texts, from 0").shows_default().type("N");
  arguments.option("--site", site, "of a model that reads two sentences: encoder, decoder or cross")
      .one_of({"encoder", "decoder", "cross"});
}

Status check_in_range(std::int64_t given, std::int64_t count, const char* of_what, const char* option) {
  if (given >= 0 && given < count) return {};
  return usage_error("there is no {} {}", of_what, given)
      .at(Message::name(option))
      .mend(count == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", count - 1));
}

Result<const AttentionSite*> AttentionOption::find(const Trace& trace) const {
  HL_TRY(check_in_range(sentence, static_cast<std::int64_t>(trace.texts().size()), "sentence", "--sentence"));
  const bool two = !trace.targets().empty();
  if (!two && !site.empty())
    return usage_error("this model reads one sentence, so it has no '{}'", site).at("--site").mend("leave it out");
  const std::string kind = site.empty() ? "encoder" : site;
  std::int64_t layers = 0;
  const AttentionSite* found = nullptr;
  for (const AttentionSite& one : trace.sites()) {
    const char* const own = one.site == masks::Site::encoder_self ? "encoder"
                            : one.site == masks::Site::cross      ? "cross"
                                                                  : "decoder";
    if (two && kind != own) continue;
    layers = std::max(layers, one.layer + 1);
    if (one.layer == layer) found = &one;
  }
  HL_TRY(check_in_range(layer, layers, "layer", "--layer"));
  HL_TRY(check_in_range(head, found->heads, "head", "--head"));
  return found;
}

}  // namespace headlight::cli
