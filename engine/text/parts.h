// Where a long text may be cut, so that long work can be done part by part and stopped in between.
#pragma once

#include <cstdint>
#include <string_view>

namespace headlight::text {

// The end of the part of `text` that begins at byte `begin`: at least `about` bytes further on, or the end of the text. Parts end
// before a newline that follows a visible character, and before any ASCII whitespace that follows a visible character of ASCII,
// which nothing joins over it. A text without either is one part. A stage of a tokenizer that says may_cut() gives for these
// parts, one after the other, what it gives for the whole text.
std::int64_t part_end(std::string_view text, std::int64_t begin, std::int64_t about = 1 << 16);

}  // namespace headlight::text
