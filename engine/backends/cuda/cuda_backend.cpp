// The CUDA backend as the engine sees it: the module libheadlight_cuda.so, loaded when someone asks for it. The program itself
// needs no CUDA library.
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "engine/backends/checks.h"
#include "engine/backends/cuda/module.h"
#include "engine/backends/host_backend.h"

#if defined(__unix__)
#include <dlfcn.h>
#endif

namespace headlight::backends {
namespace {

using cuda::Module;
using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

struct CudaPlan : Plan {
  explicit CudaPlan(OpDesc d) : desc(std::move(d)) {}
  OpDesc desc;
};

const float* real(const Buffer& buffer) { return static_cast<const float*>(buffer.device.get()); }
float* real(Buffer& buffer) { return static_cast<float*>(buffer.device.get()); }

// A buffer's tensor keeps shape and type alone (its memory is never touched); the values are at `device`, whole.
class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const Module& module) : module_(module) {}

  Device device() const override { return {"cuda", module_.device, true, {}}; }
  DType dtype() const override { return DType::f32; }
  bool supports(const OpDesc& desc) const override { return !std::holds_alternative<Isdpa>(desc); }

  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    HL_ASSIGN(const std::uint64_t bytes, checked_bytes(dtype, shape));
    void* memory = module_.allocate(bytes);
    if (!memory) return Error{ErrorKind::too_large, module_.error(), to_string(shape), "use smaller sizes or --backend cpu"};
    std::shared_ptr<void> owned(memory, module_.release);
    return Buffer{Tensor(dtype, std::move(shape), std::move(axes), true), std::move(owned)};
  }

  Result<Buffer> upload(const Tensor& tensor) override {
    const bool is_real = tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64;
    const Tensor values = (is_real ? tensor.as(DType::f32) : tensor).compact();
    HL_ASSIGN(Buffer buffer, allocate(values.dtype(), values.shape(), values.axes()));
    if (!module_.to_device(buffer.device.get(), values.raw(), values.bytes())) return failed();
    return buffer;
  }

  Result<Tensor> download(const Buffer& buffer) override {
    Tensor values(buffer.host.dtype(), buffer.host.shape(), buffer.host.axes(), true);
    if (!module_.to_host(values.raw(), buffer.device.get(), values.bytes())) return failed();
    return values;
  }

  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override {
    HL_ASSIGN([[maybe_unused]] const Signature s, signature(desc, dtype()));
    if (!supports(desc)) {
      return Error{ErrorKind::unavailable, "the CUDA backend does not compute " + name_of(desc), {}, "use --backend cpu"};
    }
    return std::unique_ptr<Plan>(std::make_unique<CudaPlan>(desc));
  }

  Status execute(Plan& plan, In in, Out out, const CancelToken& cancel) override {
    const OpDesc& desc = static_cast<CudaPlan&>(plan).desc;
    HL_TRY(check_buffers(desc, in, out, dtype()));
    if (cancel.cancelled()) return cancelled();
    return std::visit([&](const auto& op) { return compute(op, in, out); }, desc);
  }

 private:
  Error failed() const { return {ErrorKind::unavailable, module_.error(), "the GPU", "use --backend cpu"}; }
  Status checked(bool done) const { return done ? Status{} : Status{failed()}; }

  Status compute(const Linear& op, In in, Out out) {
    const cuda::LinearCall call{op.rows,
                                op.inner,
                                op.columns,
                                static_cast<int>(op.activation),
                                real(in[0]),
                                real(in[1]),
                                op.bias ? real(in[2]) : nullptr,
                                real(out[0])};
    return checked(module_.linear(call));
  }
  Status compute(const Gather& op, In in, Out out) {
    HL_ASSIGN(const Tensor ids, download(in[1]));
    HL_TRY(check_ids(ids.values<std::int32_t>(), op.table_rows, 0, "gather"));
    cuda::RowsCall call{};
    call.rows = op.rows;
    call.d = op.d;
    call.x = real(in[0]);
    call.ids = static_cast<const std::int32_t*>(in[1].device.get());
    call.y = real(out[0]);
    return checked(module_.gather(call));
  }
  Status compute(const Add& op, In in, Out out) {
    cuda::RowsCall call{};
    call.rows = op.outer;
    call.d = op.inner;
    call.x = real(in[0]);
    call.other = real(in[1]);
    call.repeats = op.b_repeats;
    call.y = real(out[0]);
    return checked(module_.add(call));
  }
  Status compute(const LayerNorm& op, In in, Out out) {
    cuda::RowsCall call{};
    call.rows = op.rows;
    call.d = op.d;
    call.x = real(in[0]);
    call.other = real(in[1]);
    call.more = real(in[2]);
    call.epsilon = static_cast<float>(op.epsilon);
    call.y = real(out[0]);
    return checked(module_.layer_norm(call));
  }
  Status compute(const SplitHeads& op, In in, Out out) {
    return checked(module_.move_heads({op.batch, op.length, op.heads, op.d_k, true, real(in[0]), real(out[0])}));
  }
  Status compute(const MergeHeads& op, In in, Out out) {
    return checked(module_.move_heads({op.batch, op.length, op.heads, op.d_k, false, real(in[0]), real(out[0])}));
  }
  Status compute(const Attention& op, In in, Out out) {
    cuda::AttentionCall call{};
    call.batch = op.batch;
    call.heads = op.heads;
    call.kv_heads = op.kv_heads == 0 ? op.heads : op.kv_heads;
    call.queries = op.queries;
    call.keys = op.keys;
    call.d_k = op.d_k;
    call.d_v = op.d_v;
    call.scale = static_cast<float>(op.scale);
    call.inverse_temperature = static_cast<float>(1 / op.temperature);
    call.fill = op.fill == MaskFill::minus_infinity ? -std::numeric_limits<float>::infinity() : -1e9f;
    call.q = real(in[0]);
    call.k = real(in[1]);
    call.v = real(in[2]);
    if (op.has_mask) {
      const auto steps = mask_strides(in[3].shape());
      for (std::size_t axis = 0; axis < 4; ++axis) call.mask_step[axis] = steps[axis];
      if (op.mask_is_additive) {
        call.bias = real(in[3]);
      } else {
        call.keep = static_cast<const std::uint8_t*>(in[3].device.get());
      }
    }
    std::size_t next = 0;
    call.context = real(out[next++]);
    if (op.keep_scores) call.scores = real(out[next++]);
    if (op.keep_scaled) call.scaled = real(out[next++]);
    if (op.keep_masked) call.masked = real(out[next++]);
    if (op.keep_weights) call.weights = real(out[next++]);
    return checked(module_.attention(call));
  }
  Status compute(const Isdpa&, In, Out) {
    return Error{ErrorKind::unavailable, "the CUDA backend does not compute isdpa", {}, "use --backend cpu"};
  }

  const Module& module_;
};

Error without_module(const std::string& why) {
  return {ErrorKind::unavailable, why, {}, "everything works on the CPU; build with HEADLIGHT_CUDA=ON where nvcc is installed"};
}

}  // namespace

Result<std::shared_ptr<Backend>> make_cuda() {
#if defined(__unix__)
  // Beside the program in a build tree, in ../lib/headlight where it is installed.
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  const char* name = "libheadlight_cuda.so";
  for (const std::filesystem::path& path : {folder / name, folder / ".." / "lib" / "headlight" / name}) {
    if (!std::filesystem::exists(path, error)) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return without_module(std::string("the CUDA module cannot be loaded: ") + dlerror());
    const auto factory = reinterpret_cast<cuda::Factory>(dlsym(library, cuda::kModuleFactory));
    if (!factory) return without_module("the CUDA module " + path.string() + " is not of this program");
    char why[256] = "";
    const Module* module = factory(why, sizeof(why));
    if (!module) return Error{ErrorKind::unavailable, std::string("no GPU: ") + why, {}, "everything works on the CPU"};
    if (module->version != cuda::kModuleVersion)
      return without_module("the CUDA module " + path.string() + " is of another version");
    return std::shared_ptr<Backend>(std::make_shared<CudaBackend>(*module));
  }
#endif
  return without_module("this build has no CUDA module");
}

}  // namespace headlight::backends
