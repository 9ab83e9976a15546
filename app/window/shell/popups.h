// The popups under the pickers.
#pragma once

#include <string>
#include <vector>

#include "app/session/derived.h"
#include "app/ui/widgets.h"
#include "engine/backends/base/backend.h"

namespace headlight::window {

class Shell;

// Whether weights of the document were drawn by its seed, as far as is known; false where it gives all in numbers.
bool has_random_weights(const Shell& shell);
// A bundled model's name, or of a folder its last part.
std::string model_label(const std::string& name);
void model_popup(Shell& shell, const ui::Look& look);
void tokenizer_popup(Shell& shell, const ui::Look& look);
void position_popup(Shell& shell, const ui::Look& look);
void mask_popup(Shell& shell, const ui::Look& look);
void score_popup(Shell& shell, const ui::Look& look);
void size_popup(Shell& shell, const ui::Look& look);
void backend_popup(Shell& shell, const ui::Look& look);
// The devices of this machine. They are looked up once, in the background, because that opens drivers.
Derived::Answer<std::vector<backends::Device>> devices_here(Shell& shell);
// The lower part of the backend's popup: times and differences of two devices.
void draw_device_check(Shell& shell, const ui::Look& look, const std::vector<backends::Device>& devices);
void view_popup(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
