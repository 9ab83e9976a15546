// The saved state of the Index lab: its measurements, and how they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/fields/fields.h"

namespace headlight::views::lab {

struct State {
  std::string word = "apple";
  std::int64_t words = 500, length = 32, vocab = 64, d = 512, heads = 1;
  bool cached = false;                         // the tables are kept between calls
  bool padding = false;                        // symbol 0 is masked
  bool word_lengths = false;                   // words are as long as a text's, filled up with padding
  bool own_positions = false;                  // P has weights of its own, W_P; false: those of the symbols
  bool every_query = false;                    // not pooled: every query's output is kept
  bool log = false;                            // times on a logarithmic axis
  std::string shown;                           // the device whose map, errors and table are shown, of several; empty: the first
  std::vector<std::string> devices;            // "cpu", "cuda", "cuda:1"; empty: the document's, or the CPU
  std::vector<std::string> precisions{"f32"};  // f32, tf32, bf16, for the devices that have them
  // The page beside the times: map, table, errors, notebook; also word and times where there is room for one page only.
  std::string page;
  std::string across = "words", up = "vocab";  // axes of the map: words, length, vocab, d
  std::string against = "fastest";  // fastest (of the methods without an index) or written (the layer as it is usually written)
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::lab
