// The words that say, beside a map, that the pieces of a word are taken together.
#pragma once

#include "app/text/language.h"

namespace headlight::figures {

// The names of the axes of queries and keys. `written`: the queries are named by the words that they write.
inline const char* query_words_axis(bool written) {
  return written ? tr("query (word it writes: the mean of its pieces)") : tr("query (word: the mean of its pieces)");
}
inline const char* key_words_axis() { return tr("key (word: the sum of its pieces)"); }

}  // namespace headlight::figures
