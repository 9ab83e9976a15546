#include "engine/backends/cuda/runtime/gpu.h"

#include <cstdio>
#include <cstdlib>

namespace headlight::backends::cuda {
namespace {

std::string amount(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes >= 10'000'000'000 ? "%.0f GB" : "%.1f GB", static_cast<double>(bytes) / 1e9);
  return text;
}
std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

bool is_off(const char* variable) {
  const char* const asked = std::getenv(variable);
  return asked && std::string_view(asked) == "off";
}

constexpr const char* kMend = "everything works on the CPU";

}  // namespace

Result<std::shared_ptr<Gpu>> Gpu::open(const Module& module, int device) {
  const int count = module.count();
  if (count < 0) return Error{ErrorKind::unavailable, std::string("no GPU: ") + module.error(), {}, kMend};
  if (device >= count) {
    return Error{ErrorKind::unavailable,
                 "there is no GPU " + std::to_string(device),
                 {},
                 "this machine has " + std::to_string(count) + ", numbered from 0"};
  }
  Info info{};
  Session* const session = module.open(device, &info);
  if (!session) return Error{ErrorKind::unavailable, std::string("the GPU cannot be used: ") + module.error(), {}, kMend};
  return std::shared_ptr<Gpu>(new Gpu(module, session, info));
}

Gpu::Gpu(const Module& module, Session* session, const Info& info)
    : module_(module),
      session_(session),
      info_(info),
      records_(!is_off("HEADLIGHT_CUDA_GRAPHS")),
      // HEADLIGHT_CUDA_POOL=off allocates every array on its own, so that compute-sanitizer sees where each one ends.
      memory_({[this](std::size_t bytes) { return module_.allocate(session_, bytes); },
               [this](void* memory) { module_.release(session_, memory); }},
              !is_off("HEADLIGHT_CUDA_POOL")),
      pinned_({[this](std::size_t bytes) { return module_.allocate_pinned(session_, bytes); },
               [this](void* memory) { module_.release_pinned(session_, memory); }}),
      recordings_(module, session) {}

Gpu::~Gpu() {
  recordings_.clear();
  memory_.trim();
  pinned_.trim();
  module_.close(session_);
}

std::string Gpu::label() const {
  return std::string(info_.name) + ", " + amount(info_.memory) + ", compute " + std::to_string(info_.major) + "." +
         std::to_string(info_.minor) + ", CUDA " + version(info_.runtime) + ", driver for " + version(info_.driver);
}

Result<std::shared_ptr<void>> Gpu::allocate(std::size_t bytes) {
  HL_TRY(usable());
  void* const memory = memory_.take(bytes);
  if (memory) return std::shared_ptr<void>(memory, GiveBack{shared_from_this(), &memory_, bytes});
  if (module_.failure() != kOutOfMemory) return checked(false).error();
  std::uint64_t left = 0;
  const std::string rest =
      module_.memory_left(session_, &left) ? ", " + amount(left) + " of " + amount(info_.memory) + " are free" : std::string();
  return Error{ErrorKind::too_large, "the GPU's memory is full: " + amount(bytes) + " more wanted" + rest, info_.name,
               "use smaller sizes or --backend cpu"};
}

Result<std::shared_ptr<void>> Gpu::allocate_pinned(std::size_t bytes) {
  HL_TRY(usable());
  if (void* const memory = pinned_.take(bytes))
    return std::shared_ptr<void>(memory, GiveBack{shared_from_this(), &pinned_, bytes});
  return checked(false).error();
}

Status Gpu::checked(bool done) {
  if (done) return {};
  std::string why = module_.error();
  if (module_.failure() == kLost) {
    const std::lock_guard lock(state_);
    lost_ = "the GPU stopped working (" + why + ")";
    return Error{ErrorKind::unavailable, lost_, info_.name, "it is used again when the program is started anew"};
  }
  const ErrorKind kind = module_.failure() == kOutOfMemory ? ErrorKind::too_large : ErrorKind::unavailable;
  return Error{kind, "the GPU refused (" + why + ")", info_.name, "use --backend cpu"};
}

Status Gpu::usable() const {
  const std::lock_guard lock(state_);
  if (lost_.empty()) return {};
  return Error{ErrorKind::unavailable, lost_, info_.name, "it is used again when the program is started anew"};
}

}  // namespace headlight::backends::cuda
