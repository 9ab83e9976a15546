#include "gpu/emulation/emulated_module.h"

namespace headlight::backends::cuda {
const Module& module();  // session.cu
}  // namespace headlight::backends::cuda

namespace headlight::emulation {

const backends::cuda::Module& module() { return backends::cuda::module(); }

}  // namespace headlight::emulation
