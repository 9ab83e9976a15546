#include "app/text/device_words.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/text/language.h"

namespace headlight {
namespace {

std::string part_words(const std::string& part) {
  const std::size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
  const std::string unit = part.substr(digits);
  if (digits > 0 && unit == " threads") return fill(tr("{} threads"), {part.substr(0, digits)});
  if (digits > 0 && unit == " thread") return fill(tr("{} thread"), {part.substr(0, digits)});
  for (const auto& [english, said] :
       {std::pair{"compute ", tr("compute {}")}, {"driver for ", tr("driver for {}")}, {"products in ", tr("products in {}")}})
    if (part.starts_with(english)) return fill(said, {part.substr(std::string_view(english).size())});
  if (part == "Reference") return tr("Reference");
  return part == "double" ? tr("double") : part;
}

}  // namespace

std::string device_words(const std::string& label, int most) {
  std::string out;
  std::size_t from = 0;
  for (int i = 0; i < most && from <= label.size(); ++i) {
    const std::size_t comma = std::min(label.find(", ", from), label.size());
    out += (i ? ", " : "") + part_words(label.substr(from, comma - from));
    from = comma + 2;
  }
  return out;
}

}  // namespace headlight
