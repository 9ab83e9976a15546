// DOC on the command line: --session FILE, --preset NAME, the Document's fields as options (made from its schema), or several of
// them: a preset changes what the session says, and options given change both.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::cli {

class DocumentOptions {
 public:
  explicit DocumentOptions(Arguments& arguments);
  // The validated document and the session's view. Errors name the option or the file.
  Result<Session> read() const;

 private:
  struct Given {
    std::optional<Option> option;
    std::vector<std::string> texts;
  };
  std::string session_, preset_;
  std::map<std::string, std::unique_ptr<Given>> given_;  // by field id; addresses stay, the parser writes into them
};

}  // namespace headlight::cli
