#include "engine/attention/scores/score.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

const Registry<Entry>& registry() {
  static const Registry<Entry> scores("score function", {scaled_dot(), dot(), cosine(), general(), additive(), location()});
  return scores;
}

const char* words_of(std::string_view score) {
  const Entry* const entry = registry().find(score);
  return entry ? entry->words.c_str() : "score";
}

double scale(const Entry& entry, std::string_view written, std::int64_t d_k) {
  if (written == "none") return 1.0;
  double number = 0;
  if (written != "sqrt" && std::from_chars(written.data(), written.data() + written.size(), number).ec == std::errc{})
    return number;
  return entry.divides_by_root ? 1.0 / std::sqrt(static_cast<double>(d_k)) : 1.0;
}

}  // namespace headlight::scores
