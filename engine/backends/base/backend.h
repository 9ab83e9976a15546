// The interface of a backend: it prepares an operation once (packed weights, workspaces, tables, captured graphs) and executes it
// on buffers. reference/ runs the operations' plain loops in double; cpu/ has vectorised kernels on threads; cuda/ is a module
// loaded at run time.
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

// Backends name the operations' descriptors without their namespace.
using namespace operations;
using OpDesc = Operation;

// An array in the memory where the backend computes. On a host backend `host` is the array itself, and `device` is null. On a
// device backend `host` has the shape and type only, and `device` owns the values.
struct Buffer {
  Tensor host;
  std::shared_ptr<void> device;
  const Shape& shape() const { return host.shape(); }
};

// An operation that a backend has prepared, with the backend's own data.
class Plan {
 public:
  virtual ~Plan() = default;
};

struct Device {
  std::string id;     // "reference", "cpu", "cuda"
  std::string label;  // "CPU, 2 threads, AVX-512"
  bool available = true;
  Message why;  // one sentence, if it is not available
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  virtual DType dtype() const = 0;  // of floating-point buffers: f64 for reference, f32 otherwise
  // Whether the backend has its own code for this operation. It computes any other operation by plain loops on the host
  // (host_fallback.h), and the trace says so.
  virtual bool supports(const OpDesc& desc) const = 0;

  // An uninitialised buffer: allocate(DType::f32, {32, 64}, {"position", "d_model"}). Error: too_large.
  virtual Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) = 0;
  virtual Result<Buffer> upload(const Tensor& tensor) = 0;  // floats are converted to dtype()
  virtual Result<Tensor> download(const Buffer& buffer) = 0;
  // All buffers at once, as at the end of a run: a device waits for its work and transfers them together.
  virtual Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers);

  virtual Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) = 0;
  // Computes `out` from `in`, in the order of the operation's signature. A device may still be computing on return; download and
  // timed wait for the device and report its errors. execute(*plan, {x, w}, {y}, cancel) computes a Linear.
  virtual Status execute(Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) = 0;

  // Waits until all work is done, and reports its errors.
  virtual Status finish() { return {}; }
  // How many calls of execute so far replayed recorded work; 0 for a backend that records nothing.
  virtual std::uint64_t replays() const { return 0; }

  // The time in seconds that `work` takes on this backend, by the device's own clock or the host's steady clock. A device is kept
  // waiting until all of `work` is queued, so that its time excludes the host's; if the wait was too short, `work` is called
  // again.
  virtual Result<double> timed(const std::function<Status()>& work);
  // Whether execute may return before the work is done, so that only a download shows that the work succeeded.
  virtual bool computes_later() const { return false; }
  // Drops queued work whose results nobody holds. A cancelled run calls this after it has released its buffers.
  virtual void drop_unused() {}
  // The precision of the arithmetic: "float32", "float64", or "tf32" and "bf16", to which only operands of products are rounded.
  virtual std::string precision() const { return name_of(dtype()); }

  // Runs an operation once: checks shapes, allocates the outputs, prepares, executes.
  // apply(Linear{32, 64, 16}, {x, w}) gives one buffer [32, 16].
  Result<std::vector<Buffer>> apply(const OpDesc& desc, std::span<const Buffer> in, const CancelToken& cancel = {});
};

// operations::check_inputs for buffers. check_inputs(desc, in, DType::f32) is an error that names the first wrong input.
Status check_inputs(const OpDesc& desc, std::span<const Buffer> in, DType real);

}  // namespace headlight::backends
