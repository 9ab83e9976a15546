// What a person can do about a file that is not whole; several readers say it.
#pragma once

#include "engine/core/status.h"

namespace headlight::checkpoints {

inline constexpr Phrase<0> kCopyFile = "copy or download the whole file again";
inline constexpr Phrase<0> kCopyFolder = "copy or download the whole folder again";

}  // namespace headlight::checkpoints
