// Grammar: sentences made up by the rules of a text (assets/models/course/grammar.txt explains its form). Templates are seen or
// unseen: a training reads paragraphs of seen templates, and paragraphs of unseen templates are held out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight::train {

class Grammar {
 public:
  // Errors name `where` with the line: a line of no known form, a name that is not defined or contains itself, a bracket that is
  // not closed, a row with another number of columns, no seen or no unseen template.
  // parse(text, "grammar.txt"): the grammar of the file's text.
  static Result<Grammar> parse(std::string_view text, const std::string& where);

  // Paragraph `number`, from 0, of the seen or of the unseen templates. It depends on the grammar and the number alone. A
  // paragraph of more than 10,000 parts is cut there.
  // paragraph(true, 0): the first paragraph of the training.
  std::string paragraph(bool seen, std::uint64_t number) const;

 private:
  friend class GrammarReader;
  friend class GrammarWriter;

  // A part of a template: text as it is, a name or a table's column, or a choice between sequences of parts.
  struct Part {
    enum class Kind { text, name, choice } kind = Kind::text;
    std::string text;         // as it is; of a name: the name
    std::string tag, column;  // {text#tag.column}
    std::vector<std::vector<Part>> alternatives;
    std::size_t line = 0;  // the part's line in the text
  };
  using Sequence = std::vector<Part>;
  // A name with its alternatives, or a table: then each alternative is a row, and its sequences are the columns.
  struct Name {
    std::vector<std::string> columns;  // empty: no table
    std::vector<std::vector<Sequence>> alternatives;
    std::size_t line = 0;
  };
  struct Topic {
    std::string name;
    std::uint64_t weight = 1;
    std::vector<Sequence> seen, unseen;
  };

  std::uint64_t seed_ = 0;
  std::map<std::string, Name, std::less<>> names_;
  std::vector<Topic> topics_;
};

}  // namespace headlight::train
