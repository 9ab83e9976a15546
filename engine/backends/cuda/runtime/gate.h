// Gate: the time that a device waits before its clock starts, so that all work is queued by then.
#pragma once

#include <algorithm>

namespace headlight::backends::cuda {

class Gate {
 public:
  static constexpr double kLeast = 20e-6, kMost = 2e-3;
  double seconds() const { return seconds_; }
  // Reports that the host took `host` seconds to queue the work. Returns whether the gate was still closed then, or cannot be
  // closed for longer. The next gate is closed for one and a half times the host's time, 150 us after held(100e-6). Its time
  // falls by at most 1 % a call, because different kinds of work take turns.
  bool held(double host) {
    const bool enough = host < seconds_ || seconds_ >= kMost;
    seconds_ = std::clamp(std::max(1.5 * host, 0.99 * seconds_), kLeast, kMost);
    return enough;
  }

 private:
  double seconds_ = kLeast;
};

}  // namespace headlight::backends::cuda
