// Grammar: made-up sentences from a text that says how they are made (assets/models/course/grammar.txt explains its form).
// Templates are seen or unseen: a training reads what the seen ones write, and what the unseen ones write is held out.
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
  // Errors name `where` with the line: a line of no known form, a name that is not there or stands for itself, a bracket that is
  // not closed, a row of another number of columns, no template that is seen or none that is unseen.
  static Result<Grammar> parse(std::string_view text, const std::string& where);

  // Paragraph `number`, from 0, of the seen or of the unseen templates. It depends on the grammar and the number alone. Of one
  // that would have more than 10,000 parts, the beginning.
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
    std::size_t line = 0;  // where it stands
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
