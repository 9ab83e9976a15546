// Scratch: memory for packed panels and tiles, aligned for the widest registers, grown when needed, reused between calls.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace headlight::backends::cpu {

class Scratch {
 public:
  // At least `count` floats, uninitialised; when the memory grows, its old content is lost. Throws std::bad_alloc.
  float* floats(std::int64_t count) {
    if (count > size_) {
      const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(float) + 63) / 64 * 64;
      data_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
      if (!data_) {
        size_ = 0;
        throw std::bad_alloc();
      }
      size_ = count;
    }
    return data_.get();
  }

  // Gives the memory away, to be kept for longer than a call.
  std::shared_ptr<const float> release() {
    size_ = 0;
    return std::shared_ptr<const float>(std::move(data_));
  }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
  std::int64_t size_ = 0;
};

}  // namespace headlight::backends::cpu
