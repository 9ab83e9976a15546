// The window for the lessons. The shell implements this interface; a test may implement it, too. The lessons are a floor below
// the window and know nothing else of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/session/trainer.h"
#include "engine/pipeline/trace.h"

namespace headlight::lessons {

class Player;
class Recorder;

class Stage {
 public:
  virtual ~Stage() = default;

  virtual const Document& document() const = 0;
  virtual void edit(Document document) = 0;  // recorded for undo, computed again
  virtual ViewState& view() = 0;
  virtual Session session() const = 0;
  virtual std::shared_ptr<const Trace> shown_trace() const = 0;  // the latest trace; null before the first
  virtual Trainer& trainer() = 0;
  virtual Player& player() = 0;
  virtual Recorder& recorder() = 0;

  virtual void say(std::string text, bool bad = false) = 0;  // shows a text in the status bar; `bad` marks an error
  virtual bool autosaves() const = 0;                        // whether drafts and the state before a lesson are saved on disk
  virtual const std::string& chosen_language() const = 0;    // "zh"; empty: the system's language
  virtual void show_part(const std::string& part,
                         double at) = 0;  // scrolls the part into view; `at`: its step's beginning, steady_seconds()
  // Highlights a cell in this frame, unless the mouse is over another; -1: every row, or every column.
  virtual void light_cell(std::int64_t row, std::int64_t column) = 0;
};

}  // namespace headlight::lessons
