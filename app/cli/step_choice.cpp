#include "app/cli/step_choice.h"

#include <algorithm>
#include <charconv>

namespace headlight::cli {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& s : list) text += (text.empty() ? "" : ", ") + s;
  return text;
}

}  // namespace

StepName split_step_name(std::string_view name) {
  StepName parts;
  for (const std::string_view site : {"encoder.", "decoder."})
    if (name.starts_with(site)) {
      parts.site = site;
      name.remove_prefix(site.size());
    }
  constexpr std::string_view kLayer = "layer.";
  if (name.starts_with(kLayer)) {
    std::int64_t layer = 0;
    const char* begin = name.data() + kLayer.size();
    const auto [stop, problem] = std::from_chars(begin, name.data() + name.size(), layer);
    if (problem == std::errc() && stop != name.data() + name.size() && *stop == '.') {
      parts.layer = layer;
      name.remove_prefix(static_cast<std::size_t>(stop - name.data()) + 1);
    }
  }
  parts.rest = name;
  return parts;
}

Result<const Step*> choose_step(std::span<const Step> steps, const std::string& what, std::optional<std::int64_t> layer,
                                std::int64_t fallback_layer, const char* option) {
  StepName wanted = split_step_name(what);
  if (wanted.layer && layer && *wanted.layer != *layer) {
    return usage_error("--what says layer {} and --layer says {}", *wanted.layer, *layer).at("--layer").mend("give one of them");
  }
  if (wanted.layer) layer = wanted.layer;

  std::vector<std::string> matching, similar, known;
  for (const Step& step : steps) {
    const StepName name = split_step_name(step.name);
    const std::string& rest = name.rest;
    add_once(known, name.kind());
    if (rest == wanted.rest && (wanted.site.empty() || name.site == wanted.site)) add_once(matching, name.kind());
    const std::string bare = rest.starts_with("cross.") ? rest.substr(6) : rest;
    if (bare == wanted.rest) add_once(similar, name.kind());
  }
  if (matching.empty()) {
    return usage_error("there is no step '{}'", what)
        .at(Message::name(option))
        .mend(similar.empty() ? Message("known are {}", joined(known)) : Message("do you mean {}?", joined(similar)));
  }
  if (matching.size() > 1)
    return usage_error("'{}' could be {}", what, joined(similar)).at("--what").mend("give one of these names");

  std::vector<const Step*> candidates;
  std::vector<std::int64_t> layers;
  for (const Step& step : steps) {
    const StepName name = split_step_name(step.name);
    if (name.kind() != matching[0]) continue;
    candidates.push_back(&step);
    if (name.layer) layers.push_back(*name.layer);
  }
  if (layers.empty()) {
    if (layer) return usage_error("the step '{}' belongs to no layer", matching[0]).at("--layer").mend("leave it out");
    return candidates[0];
  }
  const std::int64_t number =
      layer.value_or(std::find(layers.begin(), layers.end(), fallback_layer) != layers.end() ? fallback_layer : layers.front());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (layers[i] == number) return candidates[i];
  return usage_error("there is no layer {}", number).at("--layer").mend("layers go from {} to {}", layers.front(), layers.back());
}

HeadsAs heads_as_of(const std::string& text) {
  return text == "mean" ? HeadsAs::mean : text == "max" ? HeadsAs::max : HeadsAs::one;
}

Result<std::vector<std::int64_t>> heads_from(const std::string& text) {
  std::vector<std::int64_t> heads;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t head = -1;
    const auto [stop, problem] = std::from_chars(text.data() + at, text.data() + end, head);
    if (problem != std::errc() || stop != text.data() + end)
      return usage_error("'{}' is no head", text.substr(at, end - at))
          .at("--head")
          .mend("give a number from 0, several as 0,2,5, or all, mean or max");
    if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
    at = end + 1;
  }
  return heads;
}

Result<const Step*> choose_rollout(std::span<const Step> steps, const std::string& what,
                                   std::optional<std::int64_t> layer_option) {
  StepName wanted = split_step_name(what);
  std::int64_t last = -1;
  std::vector<std::string> sites;
  for (const Step& step : steps) {
    const StepName name = split_step_name(step.name);
    if (name.rest != "weights" || (!wanted.site.empty() && name.site != wanted.site)) continue;
    if (std::find(sites.begin(), sites.end(), name.site) == sites.end()) sites.push_back(name.site);
    last = std::max(last, name.layer.value_or(0));
  }
  if (sites.size() > 1)
    return usage_error("'{}' could be {}", what, sites[0] + "rollout, " + sites[1] + "rollout")
        .at("--what")
        .mend("give one of these names");
  wanted.rest = "weights";
  const std::string layer = wanted.layer ? "layer." + std::to_string(*wanted.layer) + "." : "";
  return choose_step(steps, wanted.site + layer + wanted.rest, layer_option, last);
}

std::vector<const AttentionSite*> layers_below(const Trace& trace, const std::string& weights) {
  const StepName last = split_step_name(weights);
  std::vector<const AttentionSite*> layers;
  for (const AttentionSite& site : trace.sites())
    if (split_step_name(trace.name_at(site.prefix, Role::weights)).kind() == last.kind() && site.layer <= last.layer.value_or(0))
      layers.push_back(&site);
  return layers;
}

}  // namespace headlight::cli
