// How many more tokens does this language need: a line a language, a mark a tokenizer, on a logarithmic scale of tokens against
// the tokenizer's own English.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/views/tokens/cost_picture.h"

namespace headlight::figures {

struct LanguagePlot {
  struct Series {
    std::string name, note;  // "GPT-2", "median 5.3×"
    Mark mark = Mark::disc;
    int hue = 0;                  // -1: grey
    std::vector<double> times;    // of each language: tokens / tokens of the base; below 0: none
    std::vector<double> unknown;  // the share of unknown tokens: above a tenth the mark leaves the scale
    std::vector<double> tokens;   // for the data
  };
  std::vector<std::string> languages, scripts;
  std::string base;  // "English"
  std::vector<Series> series;
  std::vector<std::size_t> order;  // languages from above
  std::int64_t hot = -1;           // a language
  std::int64_t sorted_by = -1;     // a series
};
// Tags: row, a = language; column, a = series. language_plot(input, 800, 700, theme, measure) is 800 points wide; lines are
// closer where 700 points are few for the languages, but never closer than 17 points.
Figure language_plot(const LanguagePlot& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// A word of a language cut by several tokenizers, and how many texts fit into a number of tokens.
struct LanguageCuts {
  struct Row {
    std::string name;
    int hue = -1;
    Mark mark = Mark::disc;
    std::string count;
    struct Piece {
      std::string text;
      std::int64_t start = 0, end = 0;  // bytes of the word
    };
    std::vector<Piece> pieces;
  };
  std::string heading, right;
  std::int64_t bytes = 0;  // of the word
  std::vector<Row> rows;
};
Figure language_cuts(const LanguageCuts& input, float width, const Theme& theme, const TextMeasure& measure);

struct LanguageFits {
  struct Row {
    std::string name;
    int hue = -1;
    Mark mark = Mark::disc;
    std::int64_t fits = 0, base = 0;  // texts of the language, and of the base: the white tick
  };
  std::string heading, right;
  std::int64_t texts = 0;  // of the table
  std::vector<Row> rows;
};
Figure language_fits(const LanguageFits& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
