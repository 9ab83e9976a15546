// The saved state of the Tokens tab.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct TokensView {
  std::string picture = "rows";  // in presentation mode, the one picture that is shown: rows, training
  bool operator==(const TokensView&) const = default;
};
const ViewSchema<TokensView>& tokens_view_schema();

}  // namespace headlight
