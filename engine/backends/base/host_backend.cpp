#include "engine/backends/base/host_backend.h"

#include <new>
#include <string>

#include "engine/backends/base/checks.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace headlight::backends {

std::uint64_t physical_memory() {
#if defined(_SC_PHYS_PAGES)
  static const long pages = sysconf(_SC_PHYS_PAGES);  // asked for once: every array that is allocated needs it
  static const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
#endif
  return 0;
}

Result<Buffer> HostBackend::allocate(DType dtype, Shape shape, Axes axes) {
  HL_ASSIGN(const std::uint64_t bytes, checked_bytes(dtype, shape));
  const std::uint64_t memory = physical_memory();
  const auto refusal = [&]() -> Error {
    return failure(ErrorKind::too_large, "an array of shape {} takes {} bytes and the machine has {}", to_string(shape), bytes,
                   memory)
        .mend("use smaller sizes");
  };
  if (memory > 0 && bytes > memory) return refusal();
  try {
    return Buffer{Tensor(dtype, shape, std::move(axes), true), nullptr};
  } catch (const std::bad_alloc&) {
    return refusal();
  }
}

Result<Buffer> HostBackend::upload(const Tensor& tensor) {
  const bool real = tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64;
  try {
    return Buffer{(real ? tensor.as(real_) : tensor).compact(), nullptr};
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for an array of shape {}", to_string(tensor.shape()))
        .mend("use smaller sizes");
  }
}

}  // namespace headlight::backends
