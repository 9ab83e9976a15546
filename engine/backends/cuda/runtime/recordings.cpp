#include "engine/backends/cuda/runtime/recordings.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace headlight::backends::cuda {

void Recordings::beginning_with(std::span<const std::byte> first, std::vector<std::shared_ptr<KnownRun>>& found) const {
  for (const auto& run : runs_)
    if (run->script.size() >= first.size() && std::memcmp(run->script.data(), first.data(), first.size()) == 0)
      found.push_back(run);
}

void Recordings::remember(std::span<const std::byte> script) {
  ++counts.direct;
  const auto known =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return std::ranges::equal(run->script, script); });
  if (known != runs_.end()) {
    used(*known);
    return;
  }
  auto run = std::make_shared<KnownRun>();
  run->script.assign(script.begin(), script.end());
  runs_.push_front(std::move(run));
  if (runs_.size() <= kKnown) return;
  release(*runs_.back());
  runs_.pop_back();
}

void Recordings::recorded(const std::shared_ptr<KnownRun>& run, Graph* graph, void* workspace) {
  release(*run);
  run->graph = graph;
  run->workspace = workspace;
  ++counts.recorded;
  used(run);
  std::size_t graphs = 0;
  for (const auto& one : runs_)
    if (one->graph && ++graphs > kGraphs) release(*one);
}

void Recordings::used(const std::shared_ptr<KnownRun>& run) {
  const auto at = std::find(runs_.begin(), runs_.end(), run);
  if (at == runs_.end()) {
    runs_.push_front(run);  // it was dropped from the list while a queue followed it
  } else {
    runs_.splice(runs_.begin(), runs_, at);
  }
}

void Recordings::release(KnownRun& run) {
  if (run.graph) module_.release_graph(session_, run.graph);
  run.graph = nullptr;
}

void Recordings::clear() {
  for (const auto& run : runs_) release(*run);
  runs_.clear();
}

}  // namespace headlight::backends::cuda
