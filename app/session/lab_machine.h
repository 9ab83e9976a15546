// The machine that the job of the Index lab measures: its devices, and a function that opens one. Tests provide another machine.
#pragma once

#include <functional>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {

struct LabMachine {
  std::function<std::vector<backends::Device>()> devices = backends::devices;
  OpenBackend open = backends::open;
  // Multiplies the seconds that a measurement takes. Tests read no times and measure briefly.
  double patience = 1;
};

}  // namespace headlight
