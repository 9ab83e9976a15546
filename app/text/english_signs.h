// The characters beyond ASCII in the English texts. The window looks for a font that has these characters.
#pragma once

namespace headlight {

inline constexpr const char* kEnglishSigns =
    "\u0120\u00b1\u00b2\u00b7\u00bd\u00d7\u0394\u03a3\u1d40\u201c\u201d\u2016\u2026\u2080\u2081\u2099\u2192\u2202\u2212\u221a"
    "\u221e"
    "\u2264\u2581";

}  // namespace headlight
