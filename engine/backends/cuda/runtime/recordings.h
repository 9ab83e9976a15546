// Recordings: the known runs of launches, and their CUDA graphs. A run is identified by the bytes of its launches' arguments,
// addresses included: equal bytes mean the same work on the same arrays, whatever their present values. A recording keeps no
// memory alive, because only a run that holds the same arrays replays it.
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
  std::uint64_t direct = 0;    // runs whose launches were made one by one, though the run was long enough to be recorded
  std::uint64_t recorded = 0;  // graphs made
  std::uint64_t replayed = 0;  // runs done by launching a graph, including the first launch after recording
  std::uint64_t held = 0;      // launches held back now
};

struct KnownRun {
  std::vector<std::byte> script;  // the launches' arguments, as WorkQueue writes them
  Graph* graph = nullptr;         // null: not recorded
  void* workspace = nullptr;      // memory that the graph's launches use besides the script's arrays
  bool refused = false;           // the driver refused to record the run, which is not tried again
};

// The caller of every function holds the Gpu's turn.
class Recordings {
 public:
  static constexpr std::size_t kFewest = 8;                      // with fewer launches a graph saves too little
  static constexpr std::size_t kGraphs = 8;                      // graphs kept; the least recently used is dropped first
  static constexpr std::size_t kKnown = 32;                      // runs remembered
  static constexpr std::size_t kLongest = std::size_t{1} << 20;  // bytes of a script: about 4,000 launches

  Recordings(const Module& module, Session* session) : module_(module), session_(session) {}
  ~Recordings() { clear(); }
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  // Appends the known runs whose script begins with `first` to `found`, most recently used first.
  // beginning_with(script, found): the runs that the present run may become.
  void beginning_with(std::span<const std::byte> first, std::vector<std::shared_ptr<KnownRun>>& found) const;
  void remember(std::span<const std::byte> script);  // call it after a run whose launches were made one by one
  // Gives a run its graph, and drops the graph that is then one too many. recorded(run, graph, nullptr): without a workspace.
  void recorded(const std::shared_ptr<KnownRun>& run, Graph* graph, void* workspace);
  void used(const std::shared_ptr<KnownRun>& run);  // makes it the most recently used run
  void release(KnownRun& run);                      // releases its graph
  void clear();

  RecordingCounts counts;

 private:
  const Module& module_;
  Session* const session_;
  std::list<std::shared_ptr<KnownRun>> runs_;  // most recently used first
};

}  // namespace headlight::backends::cuda
