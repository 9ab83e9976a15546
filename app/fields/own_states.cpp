#include <algorithm>

#include "app/fields/fields.h"

namespace headlight {

OwnStates::OwnStates() {
  for (const StateKind& kind : state_kinds()) states_.push_back(kind.make());
}
OwnStates::OwnStates(const OwnStates& other) {
  for (const auto& one : other.states_) states_.push_back(one->copy());
}
OwnStates& OwnStates::operator=(const OwnStates& other) {
  if (this != &other) *this = OwnStates(other);
  return *this;
}
bool OwnStates::operator==(const OwnStates& other) const {
  return std::ranges::equal(states_, other.states_, [](const auto& a, const auto& b) { return a->same(*b); });
}
OwnState& OwnStates::find(std::type_index type) const {
  return **std::ranges::find_if(states_, [&](const auto& one) { return one->type() == type; });
}

}  // namespace headlight
