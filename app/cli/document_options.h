// DOC on the command line: --session FILE, the Document's fields as options (made from its schema), or both: options given
// change what the session says.
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
  std::string session_;
  std::map<std::string, std::unique_ptr<Given>> given_;  // by field id; addresses stay, the parser writes into them
};

}  // namespace headlight::cli
