#include "engine/core/fingerprint.h"

#include <bit>

namespace headlight {
namespace {

std::uint64_t mix_bits(std::uint64_t x) {  // finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Fingerprint& Fingerprint::add(std::uint64_t x) {
  a = mix_bits(a ^ x) + 0x9e3779b97f4a7c15ULL;
  b = mix_bits(b + x * 0xd1342543de82ef95ULL) ^ 0xcbf29ce484222325ULL;
  return *this;
}

Fingerprint& Fingerprint::add(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return add(h).add(static_cast<std::uint64_t>(text.size()));
}

Fingerprint& Fingerprint::add(double x) { return add(std::bit_cast<std::uint64_t>(x)); }

}  // namespace headlight
