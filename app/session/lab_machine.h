// What the Index lab measures on: this machine's devices and a function that opens one. Tests provide others.
#pragma once

#include <functional>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {

struct LabMachine {
  std::function<std::vector<backends::Device>()> devices = backends::devices;
  OpenBackend open = backends::open;
  // Factor of the seconds that a measurement takes: tests, which read no times, measure briefly.
  double patience = 1;
};

}  // namespace headlight
