// The popups under the pickers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/derived.h"
#include "app/session/model_shelf.h"
#include "app/ui/widgets.h"
#include "engine/backends/base/backend.h"
#include "engine/insight/trace_remarks.h"

namespace headlight::window {

class Shell;

// Whether the document's seed drew any of its weights, as far as is known. False if the document gives all weights as numbers.
bool has_random_weights(const Shell& shell);
// The remarks on the shown trace. Null if they are unknown, or if the trace belongs to another model than the document's.
std::shared_ptr<const TraceRemarks> shown_remarks(Shell& shell);
// "masks, temperature": the names of these fields in the window's language.
std::string field_names(const std::vector<std::string>& ids);
// Draws a line of warning if the document's model was trained with another value of one of these fields.
// draw_untrained(shell, look, {"masks", "temperature"});
void draw_untrained(const Shell& shell, const ui::Look& look, const std::vector<std::string>& ids);
// A bundled model's name, or the last part of a folder's path.
std::string model_label(const std::string& name);
// "opening smollm2, 43 %"; without a share before it is known.
std::string opening_words(const ModelShelf::Progress& opening);
// The names of the sandbox and of all models that the list of models has by now, as a document names them.
std::vector<std::string> model_names(const Shell& shell);
// Makes `name` the document's model, with its tokenizer, positions, masks and sizes. A model that translates begins with its own
// translation if no second sentence was typed; a model that reads one sentence drops the second. A folder or file is opened in
// the background, and take_model_news() makes it the document's. Errors: the model folder's.
// choose_model(shell, "sandbox") returns to random weights.
Status choose_model(Shell& shell, const std::string& name);
// Begins to fetch a model of the catalogue. get_model(shell, "smollm2")
void get_model(Shell& shell, const std::string& name);
// Takes what was opened, fetched or removed since the last frame.
void take_model_news(Shell& shell);
// Says why the document cannot be computed.
void invalid_note(Shell& shell, const ui::Look& look);
// The popups' contents.
// model_popup(shell, look);
void model_popup(Shell& shell, const ui::Look& look);
void tokenizer_popup(Shell& shell, const ui::Look& look);
void position_popup(Shell& shell, const ui::Look& look);
void mask_popup(Shell& shell, const ui::Look& look);
void score_popup(Shell& shell, const ui::Look& look);
void size_popup(Shell& shell, const ui::Look& look);
void backend_popup(Shell& shell, const ui::Look& look);
// The devices of this machine. They are looked up once, in the background, because the look-up opens drivers.
Derived::Answer<std::vector<backends::Device>> devices_here(Shell& shell);
// Draws the lower part of the backend's popup: times and differences of two devices.
// draw_device_check(shell, look, *devices_here(shell).value);
void draw_device_check(Shell& shell, const ui::Look& look, const std::vector<backends::Device>& devices);
void view_popup(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
