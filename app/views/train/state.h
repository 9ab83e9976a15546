// The settings of the Train view, and what it shows of a training.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::training {

struct State {
  std::string task = "induction";
  std::int64_t layers = 2, heads = 4, width = 64;
  bool positions = true;
  std::string compare;  // a second run: "positions", "layers"; empty: none
  double rate = 3e-3;
  std::int64_t seed = 1;
  std::string path;        // the person's text; empty: the sample corpus
  std::int64_t step = -1;  // the shown checkpoint; -1: the newest
  std::int64_t run = 0;    // the run, of two, whose heads are shown
  std::int64_t layer = 1, head = 0;
  std::string name;  // the saved model's name; empty: task and step
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::training
