#include "app/figures/base/labels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {

std::vector<std::int64_t> ticks(std::int64_t first, std::int64_t count, float pitch, float need, std::int64_t hot) {
  std::vector<std::int64_t> shown;
  if (count < 1 || pitch <= 0) return shown;
  // Step sizes that are easy to count in: 1, 2, 5, 10, 20, ...
  std::int64_t step = 1;
  for (std::int64_t unit = 1; static_cast<float>(step) * pitch < need && step < count; unit *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      step = unit * factor;
      if (static_cast<float>(step) * pitch >= need) break;
    }
  }
  const auto room = static_cast<std::int64_t>(std::ceil(need / pitch));
  const bool has_hot = hot >= first && hot < first + count;
  for (std::int64_t i = (first + step - 1) / step * step; i < first + count; i += step) {
    if (has_hot && std::abs(i - hot) < room) continue;
    shown.push_back(i);
  }
  if (has_hot) shown.insert(std::lower_bound(shown.begin(), shown.end(), hot), hot);
  return shown;
}

std::string cell_number(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // At most three digits: what rounds to 10.0 has one decimal less, what rounds to 100 another one less.
  const double size = std::abs(value);
  if (size >= 9.995) decimals = std::min(decimals, 1);
  if (size >= 99.95) decimals = 0;
  char text[32];
  if (size < 9999.5) {
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
  } else {
    std::snprintf(text, sizeof text, "%.0e", value);
  }
  std::string s = text;
  if (s.find_first_of("123456789") == std::string::npos && s.front() == '-') s.erase(0, 1);  // avoids "-0.00"
  if (s.size() > 1 && s.rfind("0.", 0) == 0) return s.substr(1);
  if (s.rfind("-0.", 0) == 0) return "-" + s.substr(2);
  return s;
}

std::string range_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(value == 0 ? 0.0 : value));
  return text;
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", one_nan(100 * share));
  return text;
}

std::vector<std::string> numbered(std::vector<std::string> labels) {
  std::unordered_map<std::string, std::int64_t> seen;
  seen.reserve(labels.size());
  for (const std::string& label : labels) ++seen[label];
  if (seen.size() == labels.size()) return labels;
  std::unordered_map<std::string, std::int64_t> next;
  const auto below = [](std::int64_t number) {
    std::string digits;
    for (const char digit : std::to_string(number)) {
      digits += "\xE2\x82";  // U+2080 to U+2089
      digits += static_cast<char>(0x80 + digit - '0');
    }
    return digits;
  };
  for (std::string& label : labels) {
    if (seen.at(label) < 2) continue;
    std::int64_t& number = next[label];
    std::string wanted;
    do wanted = label + below(++number);
    while (seen.contains(wanted));  // a token may itself be spelt like that
    label = std::move(wanted);
  }
  return labels;
}

std::string shown_words(std::int64_t step) {
  if (step == 2) return tr("every second label is shown");
  if (step == 3) return tr("every third label is shown");
  if (step == 4) return tr("every fourth label is shown");
  if (step == 5) return tr("every fifth label is shown");
  if (step == 10) return tr("every tenth label is shown");
  return fill(tr("one label in {} is shown"), {std::to_string(step)});
}

std::string shortened_words(std::int64_t count) {
  return fill(count == 1 ? tr("{} label is shortened; a wider picture shows it whole")
                         : tr("{} labels are shortened; a wider picture shows them whole"),
              {std::to_string(count)});
}

std::string without_brackets(const std::string& label) {
  for (const char* open : {" (", "(", "\xEF\xBC\x88"})
    if (const std::size_t at = label.find(open); at != std::string::npos && at > 0) return label.substr(0, at);
  return label;
}

Extent turned(float width, float height, float degrees) {
  const float angle = degrees * 3.14159265f / 180, c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
  return {width * c + height * s, width * s + height * c};
}

}  // namespace headlight::figures
