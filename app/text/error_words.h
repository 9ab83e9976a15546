// Says the engine's messages in the interface's language. A Message keeps its text apart from its values: the text, as it stands
// in the source ("d_model {} cannot be divided among {} heads"), has a line in assets/errors.tsv, and the values fill its
// translation.
#pragma once

#include <string>

#include "engine/core/status.h"

namespace headlight {

// A message, or an error's whole sentence "where: what; mend", in the interface's language. A text without a line stays English.
// Can be called from any thread.
std::string spoken(const Message& message);
std::string spoken(const Error& error);
// The same without the advice at its end (Error::mend), for a place with room for one line.
std::string spoken_briefly(const Message& sentence);
// The same without Error::where if that is an option of the command line ("--heads"): the error is shown beside its control.
std::string spoken_in_window(const Error& error);

}  // namespace headlight
