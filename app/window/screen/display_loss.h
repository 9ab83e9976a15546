// What happens when the display server ends before the program does. Xlib then calls exit() in the middle of whatever asked it
// for something: destructors of static objects run while other threads still use those objects, and the heap is corrupted.
#pragma once

#include <functional>

namespace headlight::window {

// From here on the loss of the display ends the process at once, with one line on standard error and exit status 1; nothing is
// destroyed, the system takes everything back. Call it before the display is opened. It does nothing where no X11 is used.
void end_with_the_display();

// Called then, before the process ends, if this thread is the one that found the display lost. An empty function: nothing is to
// be saved.
void save_before_the_end(std::function<void()> save);

// Everything is saved and the program is ending: the loss of the display is no error any more, and the exit status is 0.
void display_may_go();

}  // namespace headlight::window
