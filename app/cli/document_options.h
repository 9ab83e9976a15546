// The options with which a command is given a document: --session FILE, --preset NAME, and one option for every
// field of the Document's schema. They can be combined: the session is read first, the preset changes it, and the single options
// change the result.
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
  bool gives(const std::string& id) const;  // whether the option of this field was given

 private:
  struct Given {
    std::optional<Option> option;
    std::vector<std::string> texts;
  };
  std::string session_, preset_;
  std::map<std::string, std::unique_ptr<Given>>
      given_;  // by field id; behind pointers, because the parser keeps the address of `texts`
};

}  // namespace headlight::cli
