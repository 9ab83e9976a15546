// The English texts that the exported page's own code says (tr() in assets/page/*.js), which go into it in the spoken language.
#pragma once

#include <span>

namespace headlight::page {

std::span<const char* const> page_words();

}  // namespace headlight::page
