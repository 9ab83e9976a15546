// Going through the Walk-through step by step: by key, by clock, by a button.
#pragma once

#include "app/views/walk/scene.h"

namespace headlight::views::walk {

// To a stop counted from 0; a number beyond the last one goes to the last.
void go(const Context& context, const WalkScene& scene, int stop);
// ... and stops playing.
void jump(const Context& context, const WalkScene& scene, int stop);
// Plays on from here, or from the start if this is the last stop.
void play(const Context& context, const WalkScene& scene, bool on);
void open_box(const Context& context, const WalkScene& scene, int box);
// Whether a step on takes the word into the text, which begins the walk again: behind the last stop.
bool takes(const WalkScene& scene);
void step_on(const Context& context, const WalkScene& scene, int by);

// Once in a frame: keys, what the strip asked for, the clock. The scene then shows the step that the view has now.
void follow_steps(const Context& context, WalkScene& scene);

}  // namespace headlight::views::walk
