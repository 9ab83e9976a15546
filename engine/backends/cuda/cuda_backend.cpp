// The CUDA backend as the engine sees it: the module libheadlight_cuda.so, loaded when it is asked for.
#include "engine/backends/host_backend.h"

namespace headlight::backends {

Result<std::shared_ptr<Backend>> make_cuda() {
  return Error{
      ErrorKind::unavailable, "this build has no CUDA module", {}, "build with HEADLIGHT_CUDA=ON where nvcc is installed"};
}

}  // namespace headlight::backends
