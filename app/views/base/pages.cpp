#include "app/views/base/context.h"

namespace headlight::views {

std::size_t Pages::at(const Context& context) const {
  const std::string value = shown ? shown(context) : std::string();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].value == value) return i;
  return 0;
}

std::vector<std::size_t> Pages::now(const Context& context) const {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!has || has(context, list[i].value)) there.push_back(i);
  return there;
}

Pages pages_in(std::string& (*field)(ViewState&), std::vector<Pages::Page> list) {
  return {.list = std::move(list),
          .shown = [field](const Context& context) { return field(context.view); },
          .show = [field](ViewState& view, const std::string& value) { field(view) = value; }};
}

}  // namespace headlight::views
