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

constexpr Phrase<0> kMend = "everything works on the CPU";

}  // namespace

Message said_by(const Module& module) {
  const Said* const said = module.error();
  std::vector<Message> values;
  for (int i = 0; i < said->count; ++i) values.push_back(Message::term(said->values[i]));
  return Message::of(said->text, std::move(values));
}

Result<std::shared_ptr<Gpu>> Gpu::open(const Module& module, int device) {
  const int count = module.count();
  if (count < 0) return failure(ErrorKind::unavailable, "no GPU: {}", said_by(module)).mend(kMend);
  if (device >= count) {
    return failure(ErrorKind::unavailable, "there is no GPU {}", device).mend("this machine has {}, numbered from 0", count);
  }
  Info info{};
  Session* const session = module.open(device, &info);
  if (!session) return failure(ErrorKind::unavailable, "the GPU cannot be used: {}", said_by(module)).mend(kMend);
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
  return failure(ErrorKind::too_large, module_.memory_left(session_, &left)
                                           ? Message("the GPU's memory is full: {} more wanted, {} of {} are free", amount(bytes),
                                                     amount(left), amount(info_.memory))
                                           : Message("the GPU's memory is full: {} more wanted", amount(bytes)))
      .at(Message::name(info_.name))
      .mend("use smaller sizes or --backend cpu");
}

Result<std::shared_ptr<void>> Gpu::allocate_pinned(std::size_t bytes) {
  HL_TRY(usable());
  if (void* const memory = pinned_.take(bytes))
    return std::shared_ptr<void>(memory, GiveBack{shared_from_this(), &pinned_, bytes});
  return checked(false).error();
}

Status Gpu::checked(bool done) {
  if (done) return {};
  const Message why = said_by(module_);
  if (module_.failure() == kLost) {
    const std::lock_guard lock(state_);
    lost_ = Message("the GPU stopped working ({})", why);
    return failure(ErrorKind::unavailable, lost_)
        .at(Message::name(info_.name))
        .mend("it is used again when the program is started anew");
  }
  const ErrorKind kind = module_.failure() == kOutOfMemory ? ErrorKind::too_large : ErrorKind::unavailable;
  return failure(kind, "the GPU refused ({})", why).at(Message::name(info_.name)).mend("use --backend cpu");
}

Status Gpu::usable() const {
  const std::lock_guard lock(state_);
  if (lost_.empty()) return {};
  return failure(ErrorKind::unavailable, lost_)
      .at(Message::name(info_.name))
      .mend("it is used again when the program is started anew");
}

}  // namespace headlight::backends::cuda
