// Stage: one link of a chain that a file or a document describes, such as a tokenizer's normaliser. A stage holds its
// description, which can be saved, and the object made from the description.
#pragma once

#include <memory>
#include <utility>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"

namespace headlight {

template <class Kind>
struct Stage {
  Choice choice;  // the registry entry and its parameters
  std::shared_ptr<const Kind> made;

  const Kind* operator->() const { return made.get(); }
};

// Makes the stage that `choice` names in `registry`. Parameters that are not given keep their fallbacks; `more` is passed on to
// the entry's make(values, more...). Errors: no such entry or parameter, a value out of its range, and those of make.
// make_stage<Splitter>(splitter_registry(), {"gpt2", {}}) gives the splitter of GPT-2.
template <class Kind, class Entry, class... More>
Result<Stage<Kind>> make_stage(const Registry<Entry>& registry, Choice choice, const More&... more) {
  HL_ASSIGN(const Entry* entry, registry.get(choice.id));
  Values values;
  for (const Parameter& parameter : entry->parameters) values[parameter.id] = parameter.fallback;
  for (const auto& [id, value] : choice.values) {
    const Parameter* known = nullptr;
    for (const Parameter& parameter : entry->parameters)
      if (parameter.id == id) known = &parameter;
    if (!known) return usage_error("'{}' has no parameter '{}'", choice.id, id);
    if (const Status checked = check_value(*known, value); !checked)
      return usage_error(checked.error().what).at("{} {}", choice.id, id).mend(checked.error().mend);
    values[id] = value;
  }
  choice.values = values;
  HL_ASSIGN(auto made, entry->make(values, more...));
  return Stage<Kind>{std::move(choice), std::move(made)};
}

}  // namespace headlight
