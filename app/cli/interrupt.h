// Ctrl+C in a long command: work stops at its next tile, no partial file is left, and the exit status is 1.
#pragma once

#include "engine/core/cancel.h"

namespace headlight::cli {

// After the first call, SIGINT and SIGTERM set this token; a second signal ends the program at once.
CancelToken interrupt_token();

}  // namespace headlight::cli
