// The popups under the pickers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/derived.h"
#include "app/ui/widgets.h"
#include "engine/backends/base/backend.h"
#include "engine/insight/trace_remarks.h"

namespace headlight::window {

class Shell;

// Whether weights of the document were drawn by its seed, as far as is known; false where it gives all in numbers.
bool has_random_weights(const Shell& shell);
// What has to be said of the shown trace; null: not known yet, or it is of another model than the document.
std::shared_ptr<const TraceRemarks> shown_remarks(Shell& shell);
// "masks, temperature": the names of these fields in the window's language.
std::string field_names(const std::vector<std::string>& ids);
// Where the document's model was trained with another value of one of these fields, a line that says so.
void draw_untrained(const Shell& shell, const ui::Look& look, const std::vector<std::string>& ids);
// A bundled model's name, or of a folder its last part.
std::string model_label(const std::string& name);
// The sandbox, the bundled models, and the folders of those that were saved in the window.
std::vector<std::string> model_names();
// Makes it the document's model, with its tokenizer, positions, masks and sizes; one that translates begins with its own
// translation where no second sentence was typed, and one that reads one sentence leaves the second out. Errors: of its folder.
Status choose_model(Shell& shell, const std::string& name);
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
