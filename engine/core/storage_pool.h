// Keeps the memory of released tensors for the next ones. A run replaces the buffers of the run before it, and new pages from the
// system cost about as much time as the arithmetic on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace headlight {

// Gives `size` uninitialised bytes at a multiple of 64 (whole cache lines and AVX-512 registers). Throws std::bad_alloc.
std::shared_ptr<std::byte> allocate_storage(std::size_t size);

// The most free memory that is kept, or as much as is in use, where that is more: a run holds its arrays beside those of the run
// before it, which the next one uses. Blocks under 16 KiB are not kept. Under AddressSanitizer and ThreadSanitizer no block is
// kept: AddressSanitizer finds uses after free only in memory that is really freed.
inline constexpr std::size_t kPoolBytes = std::size_t{128} << 20;
std::size_t pooled_bytes();  // kept now

}  // namespace headlight
