// Registry: an explicit ordered list of entries with unique ids. Each registry is one function that returns a static const
// Registry built from a list literal; there is no registration at static-initialisation time.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// Entry needs at least: std::string id, label, formula, source.
template <class Entry>
class Registry {
 public:
  Registry(Phrase<0> what, std::vector<Entry> entries) : what_(what), entries_(std::move(entries)) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (entries_[i].id == entries_[j].id) duplicate_ = entries_[i].id;
  }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& duplicate() const { return duplicate_; }  // an id that stands twice; a test checks that it is empty
  const Entry* find(std::string_view id) const {
    for (const Entry& entry : entries_)
      if (entry.id == id) return &entry;
    return nullptr;
  }
  // Like find, but an unknown id is an error (not_found) that lists the known ones.
  Result<const Entry*> get(std::string_view id) const {
    if (const Entry* entry = find(id)) return entry;
    std::string known;
    for (const Entry& entry : entries_) known += (known.empty() ? "" : ", ") + entry.id;
    return failure(ErrorKind::not_found, "there is no {} '{}'", what_, id).mend("known are {}", known);
  }

 private:
  Message what_;
  std::vector<Entry> entries_;
  std::string duplicate_;
};

}  // namespace headlight
