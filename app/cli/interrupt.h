// Ctrl+C in a long command: work stops at its next tile and leaves no partial file. The program then dies by the signal, so that
// a shell's loop around it ends, too (status 130 as shells show it).
#pragma once

#include "engine/core/cancel.h"

namespace headlight::cli {

// The time that a signal allows. `nothing`: work that has not stopped by itself after most of a second is cut off. `saving`: the
// work first saves its results, however long that takes.
enum class TimeFor { nothing, saving };

// After the first call, SIGINT and SIGTERM set this token. A second signal ends the program at once; temporary files are removed.
CancelToken interrupt_token(TimeFor time = TimeFor::nothing);

// Call it when a command has ended: the program dies by the signal that it received, if any. A later signal has its default
// effect again.
void die_if_interrupted();

}  // namespace headlight::cli
