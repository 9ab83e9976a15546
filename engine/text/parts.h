// The places where a long text may be cut, so that long work can be done part by part and stopped in between.
#pragma once

#include <cstdint>
#include <string_view>

namespace headlight::text {

// The end of the part of `text` that begins at byte `begin`: at least `about` bytes further on, or the end of the text. Parts end
// before a newline that follows a visible character, and before ASCII whitespace that follows a visible ASCII character, because
// nothing joins across these places. A text without such a place is one part. If a tokenizer's stage says may_cut(), its results
// for the parts, one after the other, are its result for the whole text. part_end("ab cd", 0, 1) gives 2.
std::int64_t part_end(std::string_view text, std::int64_t begin, std::int64_t about = 1 << 16);

}  // namespace headlight::text
