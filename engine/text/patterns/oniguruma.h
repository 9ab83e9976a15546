// Regular expressions in Oniguruma's syntax (Ruby's), as published tokenizers write them, in that of PCRE2.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight::text {

// The expression for PCRE2 with UTF, UCP and multiline; what matches is the same. Of "[a-z&&[^e]]+" it makes
// "(?:(?=[a-z])[^e])+". Errors (invalid): what PCRE2 cannot do, such as \G.
Result<std::string> from_oniguruma(std::string_view expression);

}  // namespace headlight::text
