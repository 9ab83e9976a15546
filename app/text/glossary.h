// The glossary: the terms of art of the interface with their meanings, in the language that tr() speaks. assets/glossary.tsv is a
// table of a term with its other forms ("head; heads"), its meaning, and the same in each other language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

class Glossary {
 public:
  struct Entry {
    std::vector<std::string> forms;  // "head", "heads": the first is the term's name
    std::string meaning;             // in at most two sentences
  };
  // The entries of a language ("en", "zh"), or the English ones if the table lacks it. Error: a line with too few columns.
  // read(text, "glossary.tsv", "zh")
  static Result<Glossary> read(std::string_view text, const std::string& where, const std::string& language);

  const std::vector<Entry>& entries() const { return entries_; }
  // The terms in a text, in its order: the longest where several begin, whole words only. Abbreviations are found as they are
  // written, other words whether or not they begin with a capital letter.
  struct Found {
    std::size_t begin = 0, end = 0;  // bytes of the text
    std::size_t entry = 0;           // index into entries()
  };
  // find("weights of a head") finds "weights" and "head".
  std::vector<Found> find(std::string_view text) const;

 private:
  struct Form {
    std::string text;  // in small letters, unless it is written with capitals only
    std::size_t entry = 0;
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::vector<Form>>
      by_beginning_;  // by the first character, in small letters; the longest first
};

// That of assets/glossary.tsv in the language that tr() speaks; without entries if the file cannot be read. The reference stays
// valid until another language is spoken.
const Glossary& glossary();

}  // namespace headlight
