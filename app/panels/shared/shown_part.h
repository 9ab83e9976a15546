// Under this key of Transient a lesson says which part shall be scrolled into sight (texts), and since when (clocks).
#pragma once

namespace headlight::panels {

inline constexpr const char* kShownPart = "lesson/shown part";

}  // namespace headlight::panels
