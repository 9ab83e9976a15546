#include "app/export/page/page_roles.h"

#include <optional>
#include <string_view>
#include <utility>

#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "engine/insight/found_roles.h"
#include "engine/insight/head_statistics.h"
#include "engine/text/grouped_number.h"

namespace headlight::page {
namespace {

constexpr std::int64_t kLeastTokens = 5;  // a shorter sentence says nothing about a head

struct RoleLook {
  const char* name;
  int hue;
};
RoleLook look_of(HeadPattern pattern) { return {words_of(pattern).name, words_of(pattern).hue}; }
// Of HeadStatistics::pattern; nothing: the head does not do one thing.
std::optional<RoleLook> look_of(std::string_view pattern) {
  static constexpr std::pair<std::string_view, HeadPattern> kPatterns[] = {{"previous-token head", HeadPattern::previous},
                                                                           {"next-token head", HeadPattern::next},
                                                                           {"first-token head", HeadPattern::first},
                                                                           {"induction head", HeadPattern::induction}};
  for (const auto& [name, role] : kPatterns)
    if (name == pattern) return look_of(role);
  if (pattern == "self head") return RoleLook{tr_later("itself"), 2};
  return {};
}

std::string measured_site(const std::string& kind) {
  return kind == "encoder." ? "encoder" : kind == "decoder." ? "decoder" : kind.empty() ? "self" : "cross";
}

Result<std::shared_ptr<const MeasuredHeads>> measured_heads(const Trace& trace) {
  const auto stored = trace.stored_model();
  return stored ? open_measured_heads(*stored) : std::shared_ptr<const MeasuredHeads>();
}

}  // namespace

Status find_roles(Attention& attention, const Trace& trace, std::int64_t batch, bool trained, const CancelToken& cancel) {
  if (!trained) return {};
  // A file that is refused is no reason to write no page: roles are then read from this sentence.
  const auto measured = measured_heads(trace);
  if (measured.ok() && *measured) {
    for (const HeadScores& head : (*measured)->heads) {
      const auto role = found_role(head.scores, head.chance);
      if (head.site != measured_site(attention.kind) || !role) continue;
      attention.roles.push_back(
          {head.layer, head.head, tr(look_of(role->pattern).name), look_of(role->pattern).hue, role->score});
    }
    attention.roles_from = fill(tr("over {} texts"), {text::grouped_number((*measured)->texts)});
    return {};
  }
  if (attention.rows < kLeastTokens) return {};
  std::vector<std::int32_t> ids;
  if (attention.rows_of == attention.columns_of) {
    const auto sentences = attention.rows_of == 1 ? trace.targets() : trace.texts();
    for (const tokenizers::Token& token : sentences[static_cast<std::size_t>(batch)].tokens) ids.push_back(token.id);
  }
  for (std::int64_t layer = 0; layer < attention.layers; ++layer)
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Map map, attention.map(layer, head));
      const HeadStatistics statistics = head_statistics(map.values, map.mask, ids);
      if (const auto look = look_of(statistics.pattern))
        attention.roles.push_back({layer, head, tr(look->name), look->hue, statistics.score});
    }
  attention.roles_from = tr("in this sentence");
  return {};
}

}  // namespace headlight::page
