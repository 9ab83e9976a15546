// The end of the display server before the end of the program. Xlib then calls exit() in the middle of the call that found the
// display lost. Destructors of static objects run while other threads still use those objects, and the heap is corrupted.
#pragma once

#include <functional>

namespace headlight::window {

// After this call, the loss of the display ends the process at once, with one line on standard error and exit status 1. Nothing
// is destroyed, because the system takes everything back. Call it before the display is opened. It does nothing if no X11 is
// used.
void end_with_the_display();

// Sets the function that the process calls before this end, on condition that this thread finds the display lost. An empty
// function: there is nothing to save.
void save_before_the_end(std::function<void()> save);

// Says that everything is saved and that the program is ending: the loss of the display is then no error, and the exit status is
// 0.
void display_may_go();

}  // namespace headlight::window
