// Runs of launches that are known, and their CUDA graphs. A run is known by its launches' arguments, addresses included: the same
// bytes mean the same work on the same arrays, whatever values stand in them now. A recording keeps no memory: it is replayed
// only by a run that holds the very same arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "engine/backends/cuda/runtime/module.h"

namespace headlight::backends::cuda {

struct RecordingCounts {
  std::uint64_t direct = 0;    // runs launched one by one, of those long enough to be recorded
  std::uint64_t recorded = 0;  // graphs made
  std::uint64_t replayed = 0;  // runs done by launching a graph, the one that follows its recording included
  std::uint64_t held = 0;      // launches that wait now
};

struct KnownRun {
  std::vector<std::byte> script;  // WorkQueue's
  Graph* graph = nullptr;         // null: seen, not recorded
  void* workspace = nullptr;      // what the graph's launches use besides the script's arrays
  bool refused = false;           // the driver would not record it: it is not asked again
};

// Used by who holds the Gpu's turn.
class Recordings {
 public:
  static constexpr std::size_t kFewest = 8;                      // launches below which a graph saves nothing worth keeping
  static constexpr std::size_t kGraphs = 8;                      // recordings kept; the least recently used goes first
  static constexpr std::size_t kKnown = 32;                      // runs remembered
  static constexpr std::size_t kLongest = std::size_t{1} << 20;  // bytes of a script: about 4,000 launches

  Recordings(const Module& module, Session* session) : module_(module), session_(session) {}
  ~Recordings() { clear(); }
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  // Those whose script begins so, most recently used first.
  void beginning_with(std::span<const std::byte> first, std::vector<std::shared_ptr<KnownRun>>& found) const;
  void remember(std::span<const std::byte> script);  // after a run that was launched one by one
  void recorded(const std::shared_ptr<KnownRun>& run, Graph* graph, void* workspace);
  void used(const std::shared_ptr<KnownRun>& run);
  void release(KnownRun& run);
  void clear();

  RecordingCounts counts;

 private:
  const Module& module_;
  Session* const session_;
  std::list<std::shared_ptr<KnownRun>> runs_;  // most recently used first
};

}  // namespace headlight::backends::cuda
