#include "app/cli/interrupt.h"

#include <csignal>

namespace headlight::cli {
namespace {

CancelSource& source() {
  static CancelSource interrupted;
  return interrupted;
}

// A signal handler may only set a lock-free flag.
extern "C" void stop(int signal) {
  source().cancel();
  std::signal(signal, SIG_DFL);
}

}  // namespace

CancelToken interrupt_token() {
  static const CancelToken token = [] {
    CancelToken t = source().token();
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    return t;
  }();
  return token;
}

}  // namespace headlight::cli
