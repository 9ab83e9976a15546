// The options that give a command its document: --session FILE or --arrays FILE, --preset NAME, and one option for every field of
// the Document's schema. They can be combined: the session is read first, the preset changes it, and the single options change
// the result.
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
  // Like read(), for a command that computes several texts as one batch. Texts from the options are padded, and padding is masked
  // unless --attend-padding or --mask none says otherwise. A line on stderr says so if padding takes part.
  Result<Session> read_batch() const;

  // The preset's remark on a step; empty if it has none, or if no preset was given.
  std::string remark_of(const std::string& step) const;

 private:
  struct Given {
    std::optional<Option> option;
    std::vector<std::string> texts;
  };
  Status add_text_file(Session& session) const;

  std::string session_, arrays_, axes_, preset_, text_file_;
  bool attend_padding_ = false;
  std::map<std::string, std::unique_ptr<Given>>
      given_;  // by field id; behind pointers, because the parser keeps the address of `texts`
};

}  // namespace headlight::cli
