#include "engine/insight/found_roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <vector>

#include "engine/architectures/architecture.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/core/zip.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
constexpr Phrase<0> kMend = "make it again with `headlight heads --out`, or remove it";

// Half of a row's weight: a head is named by what it looks at more than at all else together.
constexpr double kLeast = 0.5;
// For alignment half of what a head can reach, since the links that it is measured by are partly wrong: of the 58 links in
// assets/models/english-french/alignments.tsv Model 1 finds 45, 78%.
constexpr double kLeastAlignment = 0.39;
// Of marked pairs there are some dozens, and of heads some hundreds: with a quarter more than chance explains, hardly a head of a
// thousand is named by accident (at least 3.4 standard errors of 32 pairs or more).
constexpr double kAboveChance = 0.25;
// The patterns that files had before others were added: these must not be missing.
constexpr std::array kFirstPatterns = {HeadPattern::previous,  HeadPattern::next,      HeadPattern::first,
                                       HeadPattern::same,      HeadPattern::induction, HeadPattern::punctuation,
                                       HeadPattern::adjective, HeadPattern::alignment};

std::string digits_of(std::uint32_t checksum) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(checksum));
  return text;
}

std::vector<std::string> sites_of(const StoredModel& model) {
  if (model.task == ModelTask::encoder_decoder) return {"encoder", "decoder", "cross"};
  return {"self"};
}

// The text, whole number or list under a key of an object.
Result<const Json*> part(const Json& json, const char* key, Json::Kind kind, const std::string& where) {
  const Json* const value = json.is_object() ? json.find(key) : nullptr;
  if (!value) return invalid("'{}' is missing", key).at(where).mend(kMend);
  if (value->kind() != kind) return invalid("'{}' has the wrong type", key).at(where).mend(kMend);
  return value;
}

// `all`: none of the first patterns may be missing.
Result<PatternScores> scores_from(const Json& json, bool all, const std::string& where) {
  PatternScores scores;
  for (std::size_t p = 0; p < kHeadPatterns.size(); ++p) {
    const char* name = name_of(kHeadPatterns[p]);
    const Json* const value = json.find(name);
    if (!value && all && std::find(kFirstPatterns.begin(), kFirstPatterns.end(), kHeadPatterns[p]) != kFirstPatterns.end())
      return invalid("'{}' is missing", name).at(where).mend(kMend);
    if (!value || value->is_null()) continue;
    // A mean of weights that a softmax rounded may exceed 1 by a little.
    if (!value->is_number() || !(value->number() >= 0 && value->number() <= 1 + 1e-4))
      return invalid("'{}' is {}, which is no score from 0 to 1", name, value->dump()).at(where).mend(kMend);
    scores[p] = std::min(1.0, value->number());
  }
  return scores;
}

Result<HeadScores> head_from(const Json& json, const std::string& where, const StoredModel& model) {
  HL_ASSIGN(const Json* const site, part(json, "site", Json::Kind::text, where));
  HL_ASSIGN(const Json* const layer, part(json, "layer", Json::Kind::integer, where));
  HL_ASSIGN(const Json* const head, part(json, "head", Json::Kind::integer, where));
  HL_ASSIGN(const Json* const scores, part(json, "scores", Json::Kind::object, where));
  const std::vector<std::string> sites = sites_of(model);
  if (std::find(sites.begin(), sites.end(), site->string()) == sites.end() || layer->integer() < 0 ||
      layer->integer() >= model.document.layers || head->integer() < 0 || head->integer() >= model.document.heads)
    return invalid("the model has no {} layer {} head {}", site->string(), layer->dump(), head->dump()).at(where).mend(kMend);
  HeadScores one{site->string(), layer->integer(), head->integer(), {}};
  HL_ASSIGN(one.scores, scores_from(*scores, true, where));
  if (json.contains("chance")) {
    HL_ASSIGN(const Json* const chance, part(json, "chance", Json::Kind::object, where));
    HL_ASSIGN(one.chance, scores_from(*chance, false, where));
  }
  return one;
}

Result<WordAlignment::Link> link_from(const Json& json, const std::string& where, const StoredModel& model) {
  const std::int64_t targets = model.target_vocabulary > 0 ? model.target_vocabulary : model.vocabulary;
  if (json.is_array() && json.elements().size() == 3) {
    const Json &source = json.elements()[0], &target = json.elements()[1], &probability = json.elements()[2];
    const bool numbers = source.is_integer() && target.is_integer() && probability.is_number();
    if (numbers && source.integer() >= -1 && source.integer() < model.vocabulary && target.integer() >= 0 &&
        target.integer() < targets && probability.number() >= 0 && probability.number() <= 1)
      return WordAlignment::Link{static_cast<std::int32_t>(source.integer()), static_cast<std::int32_t>(target.integer()),
                                 probability.number()};
  }
  return invalid("{} is no link of a source token, a target token and a probability", json.dump()).at(where).mend(kMend);
}

}  // namespace

double least_score(HeadPattern pattern, std::optional<double> chance) {
  const double least = pattern == HeadPattern::alignment ? kLeastAlignment : kLeast;
  return std::max(least, chance.value_or(0) + (needs_marks(pattern) ? kAboveChance : 0));
}

std::optional<HeadRole> found_role(const PatternScores& scores, const PatternScores& chance) {
  std::optional<HeadRole> best;
  double highest = 0;
  for (const HeadPattern pattern : kHeadPatterns) {
    const auto& score = score_of(scores, pattern);
    const auto& by_chance = score_of(chance, pattern);
    if (!score || *score < least_score(pattern, by_chance)) continue;
    const double known = by_chance.value_or(0), above = known < 1 ? (*score - known) / (1 - known) : 0;
    if (above <= highest) continue;
    highest = above;
    best = HeadRole{pattern, *score};
  }
  return best;
}

const HeadScores* telling_head(const MeasuredHeads& measured) {
  constexpr std::array kTelling = {HeadPattern::alignment,
                                   HeadPattern::adjective,
                                   HeadPattern::pronoun,
                                   HeadPattern::subject,
                                   HeadPattern::object,
                                   HeadPattern::determiner,
                                   HeadPattern::induction,
                                   HeadPattern::pair,
                                   HeadPattern::same,
                                   HeadPattern::pieces,
                                   HeadPattern::previous,
                                   HeadPattern::next,
                                   HeadPattern::previous_punctuation,
                                   HeadPattern::punctuation,
                                   HeadPattern::sentence,
                                   HeadPattern::first};
  static_assert(kTelling.size() == kHeadPatterns.size());
  for (const HeadPattern pattern : kTelling) {
    const HeadScores* best = nullptr;
    double highest = 0;
    for (const HeadScores& head : measured.heads)
      if (const auto role = found_role(head.scores, head.chance); role && role->pattern == pattern && role->score > highest) {
        best = &head;
        highest = role->score;
      }
    if (best) return best;
  }
  return nullptr;
}

Result<std::uint32_t> weights_checksum(const StoredModel& model) {
  if (is_published(model)) return zip::crc32(0, model.checkpoint->file->identity());
  HL_ASSIGN(const std::string bytes, read_file(model.folder / kModelWeightsFile));
  return zip::crc32(0, bytes);
}

std::string measured_heads_to_json(const MeasuredHeads& measured, std::uint32_t weights) {
  Json own = Json::object({{"version", kVersion},
                           {"weights", digits_of(weights)},
                           {"corpus", measured.corpus},
                           {"texts", measured.texts},
                           {"marked", measured.marked}});
  // A line a head, with as many digits as its mean over some hundred texts can have.
  std::string lines;
  for (const HeadScores& head : measured.heads) {
    Json scores = Json::object(), chance = Json::object();
    const auto rounded = [](double x) { return Json(std::round(x * 1e6) / 1e6); };
    for (std::size_t p = 0; p < kHeadPatterns.size(); ++p) {
      scores[name_of(kHeadPatterns[p])] = head.scores[p] ? rounded(*head.scores[p]) : Json(nullptr);
      if (head.chance[p]) chance[name_of(kHeadPatterns[p])] = rounded(*head.chance[p]);
    }
    const Json one = Json::object({{"site", head.site},
                                   {"layer", head.layer},
                                   {"head", head.head},
                                   {"scores", std::move(scores)},
                                   {"chance", std::move(chance)}});
    lines += (lines.empty() ? "" : ",\n") + one.dump();
  }
  // A line for what each source token may translate.
  std::string links;
  for (std::size_t i = 0; i < measured.links.size(); ++i) {
    const WordAlignment::Link& link = measured.links[i];
    if (i > 0) links += link.source == measured.links[i - 1].source ? "," : ",\n";
    links += Json::array({link.source, link.target, std::round(link.probability * 1e3) / 1e3}).dump();
  }
  return "{\"headlight\":" + own.dump() + ",\n\"heads\":[\n" + lines + "\n]" +
         (links.empty() ? "" : ",\n\"links\":[" + links + "]") + "}\n";
}

Result<MeasuredHeads> measured_heads_from_json(std::string_view text, const std::string& where, const StoredModel& model,
                                               std::uint32_t weights) {
  HL_ASSIGN(const Json json, Json::parse_unique(text, where, Message(kMend)));
  HL_ASSIGN(const Json* const own, part(json, "headlight", Json::Kind::object, where));
  HL_ASSIGN(const Json* const version, part(*own, "version", Json::Kind::integer, where));
  if (version->integer() > kVersion)
    return invalid("this file has version {} and this program reads up to {}", version->dump(), kVersion)
        .at(where)
        .mend("open it with a newer Headlight");
  HL_ASSIGN(const Json* const of, part(*own, "weights", Json::Kind::text, where));
  if (of->string() != digits_of(weights))
    return invalid("its scores are of other weights than the model has").at(where).mend(kMend);
  HL_ASSIGN(const Json* const corpus, part(*own, "corpus", Json::Kind::text, where));
  HL_ASSIGN(const Json* const texts, part(*own, "texts", Json::Kind::integer, where));
  if (texts->integer() < 1) return invalid("'texts' is {}", texts->dump()).at(where).mend(kMend);
  HL_ASSIGN(const Json* const heads, part(json, "heads", Json::Kind::array, where));
  MeasuredHeads measured{corpus->string(), texts->integer(), {}, {}};
  if (own->contains("marked")) {
    HL_ASSIGN(const Json* const marked, part(*own, "marked", Json::Kind::integer, where));
    measured.marked = std::max<std::int64_t>(0, marked->integer());
  }
  if (json.contains("links")) {
    HL_ASSIGN(const Json* const links, part(json, "links", Json::Kind::array, where));
    for (const Json& one : links->elements()) {
      HL_ASSIGN(const WordAlignment::Link link, link_from(one, where, model));
      measured.links.push_back(link);
    }
  }
  for (const Json& one : heads->elements()) {
    HL_ASSIGN(HeadScores head, head_from(one, where, model));
    for (const HeadScores& other : measured.heads)
      if (other.site == head.site && other.layer == head.layer && other.head == head.head)
        return invalid("it has {} layer {} head {} twice", head.site, head.layer, head.head).at(where).mend(kMend);
    measured.heads.push_back(std::move(head));
  }
  const std::int64_t all = static_cast<std::int64_t>(sites_of(model).size()) * model.document.layers * model.document.heads;
  if (static_cast<std::int64_t>(measured.heads.size()) != all)
    return invalid("it has {} heads and the model has {}", measured.heads.size(), all).at(where).mend(kMend);
  return measured;
}

Result<std::shared_ptr<const MeasuredHeads>> open_measured_heads(const StoredModel& model) {
  const fs::path file = model.folder / kModelHeadsFile;
  std::error_code none;
  if (!fs::exists(file, none)) return std::shared_ptr<const MeasuredHeads>();
  HL_ASSIGN(const std::string text, read_text_file(file, kLargest));
  HL_ASSIGN(const std::uint32_t weights, weights_checksum(model));
  HL_ASSIGN(MeasuredHeads measured, measured_heads_from_json(text, file.string(), model, weights));
  return std::make_shared<const MeasuredHeads>(std::move(measured));
}

}  // namespace headlight
