// What the lessons act on: the window as they see it. The shell is one; a test may be another. The lessons stand below the window
// and know nothing else of it.
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
  virtual void edit(Document document) = 0;  // recorded for undo, recomputed
  virtual ViewState& view() = 0;
  virtual Session session() const = 0;
  virtual std::shared_ptr<const Trace> shown_trace() const = 0;  // the last one published; null before the first
  virtual Trainer& trainer() = 0;
  virtual Player& player() = 0;
  virtual Recorder& recorder() = 0;

  virtual void say(std::string text, bool bad = false) = 0;  // in the status bar
  virtual bool autosaves() const = 0;                        // whether drafts and the state before a lesson are kept on disk
  virtual const std::string& chosen_language() const = 0;    // "zh"; empty: the system's
  virtual void show_part(const std::string& part,
                         double at) = 0;  // scrolled into sight since `at` (steady_seconds()); empty: none
  virtual void light_cell(std::int64_t row, std::int64_t column) = 0;  // in this frame, unless something is hovered; -1: all
};

}  // namespace headlight::lessons
