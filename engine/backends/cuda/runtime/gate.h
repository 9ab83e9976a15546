// How long a device is kept waiting before its clock starts, so that all work is queued by then.
#pragma once

#include <algorithm>

namespace headlight::backends::cuda {

class Gate {
 public:
  static constexpr double kLeast = 20e-6, kMost = 2e-3;
  double seconds() const { return seconds_; }
  // The host took so long to ask for the work. Gives whether the gate was closed meanwhile, or could not be closed for longer;
  // the next one is closed half as long again as the host takes, and is shortened slowly, as several kinds of work take turns.
  bool held(double host) {
    const bool enough = host < seconds_ || seconds_ >= kMost;
    seconds_ = std::clamp(std::max(1.5 * host, 0.99 * seconds_), kLeast, kMost);
    return enough;
  }

 private:
  double seconds_ = kLeast;
};

}  // namespace headlight::backends::cuda
