// The interface of a backend: it prepares an operation once (packed weights, workspaces, tables, captured graphs) and executes it
// on buffers. reference/ runs the operations' plain loops in double; cpu/ has vectorised kernels on threads, and Eigen for
// element-wise ones; cuda/ is a module loaded at run time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/operations/operation.h"

namespace headlight::backends {

// Descriptors are read as backends' own words here and in what includes this.
using namespace operations;
using OpDesc = Operation;

// Values where the backend computes. On the host backends `host` is the tensor itself; a device backend keeps shape and
// dtype in `host` (without values) and the values behind `device`.
struct Buffer {
  Tensor host;
  std::shared_ptr<void> device;
  const Shape& shape() const { return host.shape(); }
};

class Plan {
 public:
  virtual ~Plan() = default;
};

struct Device {
  std::string id;     // "reference", "cpu", "cuda"
  std::string label;  // "CPU, 2 threads, AVX-512"
  bool available = true;
  std::string why;  // when it is not: one sentence
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  virtual DType dtype() const = 0;  // of floating-point buffers: f64 for reference, f32 otherwise
  // Whether it has a way of its own for this operation. What it lacks is computed by the operation's plain loops on the host
  // (host_fallback.h), which the trace says.
  virtual bool supports(const OpDesc& desc) const = 0;

  virtual Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) = 0;
  virtual Result<Buffer> upload(const Tensor& tensor) = 0;  // floats are converted to dtype()
  virtual Result<Tensor> download(const Buffer& buffer) = 0;
  // All of them at once, as a run does at its end: a device waits for its work and transfers in one go.
  virtual Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers);

  virtual Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) = 0;
  // A device may still be computing on return; download and timed wait for it, and report what went wrong meanwhile.
  virtual Status execute(Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) = 0;

  // Waits until all that was asked for is done, and reports what went wrong meanwhile.
  virtual Status finish() { return {}; }
  // How many calls of execute were answered by replaying recorded work so far; 0 where nothing is recorded.
  virtual std::uint64_t replays() const { return 0; }

  // How long `work` takes here, in seconds: by the device's own clock, or the steady clock on the host. A device is kept waiting
  // until all of `work` is queued, so that its time holds none of the host's; where that wait was too short, `work` is asked for
  // once more.
  virtual Result<double> timed(const std::function<Status()>& work);
  // Whether execute may return before the work is done, so that a result is certain only once something was downloaded.
  virtual bool computes_later() const { return false; }
  // A run that is given up calls this after it has let go of its buffers: the backend then drops queued work whose results nobody
  // holds.
  virtual void drop_unused() {}
  // Of the arithmetic: "float32", "float64", or "tf32" and "bf16" where only products are rounded so.
  virtual std::string precision() const { return name_of(dtype()); }

  // Convenience for callers that run an operation once: checks shapes, allocates the outputs, prepares, executes.
  Result<std::vector<Buffer>> apply(const OpDesc& desc, std::span<const Buffer> in, const CancelToken& cancel = {});
};

// operations::check_inputs over buffers.
Status check_inputs(const OpDesc& desc, std::span<const Buffer> in, DType real);

}  // namespace headlight::backends
