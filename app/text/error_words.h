// Translates the sentence of an Error into the interface's language. The engine writes its sentences in English, from fixed words
// and values ("d_model 10 cannot be divided among 4 heads"). A line of assets/errors.tsv holds such a sentence with {} for each
// value ("d_model {} cannot be divided among {} heads"), and its translation. The line that matches a sentence translates it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/language.h"
#include "engine/core/status.h"

namespace headlight {

// The lines of assets/errors.tsv in one language.
class ErrorLines {
 public:
  explicit ErrorLines(const Language& language);  // keeps a reference to it

  // The translation of `english`. A line matches if its fixed words make up the sentence from beginning to end, with at least one
  // byte for each {}. If several match, the one with the most fixed words translates. A line with hardly any ("{} is {}") matches
  // only if each of its values is a single word or can be translated itself. Values are translated in the same way, except names,
  // which stand in quotation marks. A sentence of the form "where: what; mend" is translated part by part. Returns nothing if no
  // line matches, or if the sentence has so many parts that trying them all would take long.
  std::optional<std::string> say(std::string_view english) const;

 private:
  struct Line {
    std::vector<std::string> pieces;  // the fixed words around the {}: one more than there are {}
    std::string other;                // the translation, with its own {}
    std::size_t own = 0;              // bytes of all fixed words
  };
  // What stands for the line's {} in the sentence; nothing if the line does not match.
  static std::optional<std::vector<std::string_view>> values_of(const Line& line, std::string_view english);
  // `left` counts down how often the lines may still be searched for this sentence. A sentence of many parts can be taken apart
  // in very many ways. A broken file can put such a text into an error, and the window must not wait for its translation.
  std::optional<std::string> by_line(std::string_view english, int& left) const;
  std::optional<std::string> with_where(std::string_view english, int& left) const;
  std::optional<std::string> say(std::string_view english, int& left) const;
  std::string join(std::string_view with, const std::string& first, const std::string& second) const;

  const Language& language_;
  std::vector<Line> lines_;  // those with the most fixed words first
};

// An error's whole sentence, "where: what; mend", in the interface's language. The second form takes any part of such a sentence,
// or one that was kept as text (why a device cannot be used). A text that no line matches stays English. Can be called from any
// thread, and in every frame: translations are remembered.
std::string spoken(const Error& error);
std::string spoken(std::string_view sentence);
// The same without the advice at its end (Error::mend), for a place with room for one line.
std::string spoken_briefly(std::string_view sentence);
// The same without Error::where if that is an option of the command line ("--heads"): the error is shown beside its control.
std::string spoken_in_window(const Error& error);

}  // namespace headlight
