// Fingerprint: a key of 128 bits over everything a value depends on. Two different values are likely to share a key only among
// about 2^64 of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace headlight {

struct Fingerprint {
  std::uint64_t a = 0x6a09e667f3bcc908ULL, b = 0xbb67ae8584caa73bULL;
  bool operator==(const Fingerprint&) const = default;

  Fingerprint& add(std::uint64_t x);
  Fingerprint& add(std::string_view text);
  Fingerprint& add(double x);
  Fingerprint& add(const Fingerprint& key) { return add(key.a).add(key.b); }
};
struct FingerprintHash {
  std::size_t operator()(const Fingerprint& key) const {
    return static_cast<std::size_t>(key.a ^ (key.b * 0x9e3779b97f4a7c15ULL));
  }
};

}  // namespace headlight
