// A GGUF file put together by hand, right or lying.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string raw_text(std::string_view text) { return raw<std::uint64_t>(text.size()) + std::string(text); }

struct GgufBytes {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::vector<std::string> keys;     // each whole: name, type, value
  std::vector<std::string> tensors;  // each whole: name, axes, type, place
  std::string data;
  std::uint64_t claimed_keys = ~std::uint64_t{0}, claimed_tensors = ~std::uint64_t{0};  // else as many as there are

  GgufBytes& key(std::string_view name, std::uint32_t type, const std::string& value) {
    keys.push_back(raw_text(name) + raw(type) + value);
    return *this;
  }
  GgufBytes& text(std::string_view name, std::string_view value) { return key(name, 8, raw_text(value)); }
  GgufBytes& texts(std::string_view name, const std::vector<std::string>& values) {
    std::string all = raw<std::uint32_t>(8) + raw<std::uint64_t>(values.size());
    for (const std::string& value : values) all += raw_text(value);
    return key(name, 9, all);
  }
  template <class T>
  GgufBytes& numbers(std::string_view name, std::uint32_t type, const std::vector<T>& values) {
    std::string all = raw(type) + raw<std::uint64_t>(values.size());
    for (const T value : values) all += raw(value);
    return key(name, 9, all);
  }
  // `sizes` as the file has them: the fastest axis first.
  GgufBytes& tensor(std::string_view name, const std::vector<std::uint64_t>& sizes, std::uint32_t type, std::uint64_t place) {
    std::string all = raw_text(name) + raw(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) all += raw(size);
    tensors.push_back(all + raw(type) + raw(place));
    return *this;
  }
  // A tensor of float32 behind the ones that are there.
  GgufBytes& floats(std::string_view name, const std::vector<std::uint64_t>& sizes, const std::vector<float>& values) {
    data.resize((data.size() + alignment - 1) / alignment * alignment, '\0');
    tensor(name, sizes, 0, data.size());
    for (const float value : values) data += raw(value);
    return *this;
  }
  std::string file() const {
    std::string out = "GGUF" + raw(version) + raw(claimed_tensors + 1 ? claimed_tensors : std::uint64_t{tensors.size()}) +
                      raw(claimed_keys + 1 ? claimed_keys : std::uint64_t{keys.size()});
    for (const std::string& one : keys) out += one;
    for (const std::string& one : tensors) out += one;
    if (!tensors.empty()) out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    return out + data;
  }
};

}  // namespace headlight
