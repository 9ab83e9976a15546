// What the Index lab measures, and how it shows it.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct IndexLabView {
  std::string word = "apple";
  std::int64_t words = 500, length = 32, vocab = 64, d = 512, heads = 1;
  bool cached = false;                         // tables kept between calls
  bool padding = false;                        // symbol 0 is masked
  bool word_lengths = false;                   // words as long as a text's, filled up with padding
  bool own_positions = false;                  // P is multiplied by weights of its own, W_P; else by those of the symbols
  bool every_query = false;                    // not pooled: every query's output is kept
  bool log = false;                            // times on a logarithmic axis
  std::string shown;                           // of several devices: whose map, errors and table are shown; empty: the first's
  std::vector<std::string> devices;            // "cpu", "cuda", "cuda:1"; empty: the document's, or the CPU
  std::vector<std::string> precisions{"f32"};  // f32, tf32, bf16, of the devices that have them
  // Beside the times: map, table, errors, notebook; word and times too where there is room for one alone.
  std::string page;
  std::string across = "words", up = "vocab";  // axes of the map: words, length, vocab, d
  std::string against = "fastest";             // fastest (without an index) or written (as the layer is usually written)
  bool operator==(const IndexLabView&) const = default;
};
const ViewSchema<IndexLabView>& index_lab_view_schema();

}  // namespace headlight
