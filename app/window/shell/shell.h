// The shell: all of the window that needs no OpenGL. It holds the document and its history, the workers and the open dialogs, and
// draws the whole window into the current ImGui frame. The loop sends it events; tests use it with a null renderer.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/non_finite.h"
#include "app/files/configuration.h"
#include "app/gl/figure_view.h"
#include "app/lessons/player.h"
#include "app/lessons/recorder.h"
#include "app/session/autosave.h"
#include "app/session/derived.h"
#include "app/session/device_check.h"
#include "app/session/job.h"
#include "app/session/lane.h"
#include "app/session/model_shelf.h"
#include "app/session/session.h"
#include "app/session/trainer.h"
#include "app/session/translator.h"
#include "app/session/undo.h"
#include "app/session/view_history.h"
#include "app/session/worker.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"
#include "app/window/dialogs/command_palette.h"
#include "app/window/dialogs/export_dialog.h"
#include "app/window/dialogs/export_lane.h"
#include "app/window/dialogs/file_dialog.h"
#include "app/window/shell/guess.h"

namespace headlight::window {

struct Setup {
  Session session;
  std::filesystem::path opens;     // a session file whose models take their time; `session` is what there is to see meanwhile
  std::filesystem::path autosave;  // empty: no autosaving
  std::optional<Session> on_disk;  // the session that this file already contains
  std::filesystem::path file;      // the file that Ctrl+S saves; empty: Ctrl+S asks for one
  Worker::Compute compute;
  std::function<void()> wake;  // thread-safe: asks the window to redraw
  Configuration configuration;
  bool measure_roles = false;  // allows measuring what a model's heads do, in the background
  bool measure_isdpa = false;  // allows timings: the lessons' single one, and the Index lab's
  LabMachine lab_machine;      // ... and the machine that the Index lab measures
  bool offers_model = false;   // offers a published model, unless the configuration says otherwise
  Message message;             // shown in the status bar at the start (a font, a file that could not be read)
};

// The data that one frame needs.
struct Frame {
  const gl::Fonts& fonts;
  gl::FigureView& figures;
  float scale = 1;  // pixels per point
  bool has_gl = true;
  double milliseconds = 0;  // duration of the last frame
};

class Shell final : public lessons::Stage {
 public:
  explicit Shell(Setup setup);
  ~Shell() override;
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Draws the whole window into ImGui's main viewport.
  void draw(const Frame& frame);

  const Document& document() const override { return document_; }
  ViewState& view() override { return view_; }
  const ViewState& view() const { return view_; }
  Session session() const override { return {document_, view_, pinned_ ? std::optional(pinned_->document) : std::nullopt}; }
  void edit(Document document) override;  // recorded for undo, computed again
  void undo();
  void redo();
  void replace(Session session);  // an opened file: recorded for undo
  // The session of this file, whose models have been opened in the background, or why it could not be opened.
  void take_session(const std::filesystem::path& path, Session session);
  void take_session(const std::filesystem::path& path, const Error& error);
  bool waits() const { return waits_; }  // for the models of its first session: nothing is computed or saved yet
  // Shows a text in the status bar; `bad` marks an error. say("saved") shows "saved".
  void say(std::string text, bool bad = false) override;

  // Opens a session, or a picture that contains one. A PNG without a session is shown in Patches, and everything else stays.
  Status open(const std::filesystem::path& path);
  void save();  // to file(), or asks for a file
  Status save_to(const std::filesystem::path& path);
  void ask_open();
  void ask_save();
  void ask_picture();  // a PNG for the Patches view
  // Exports (shell_exports.cpp).
  void ask_export();                               // the open view's picture
  void export_figure(figures::Figure figure);      // exports this picture
  void export_animation(figures::Animation film);  // exports this film
  void ask_page();                                 // the page: all heads in one HTML file for any browser
  void ask_report();                               // the report: everything, on the pages of a PDF
  void copy_shown_numbers();                       // copies the numbers of the open view's picture
  void copy_shown_picture();
  void copy_numbers(const figures::Figure& figure);  // copies the numbers as text with tabs
  void copy_picture(figures::Figure figure);         // copies the picture as PNG, if a program for that is installed
  // Runs `write` in the export lane; the status bar shows the result.
  // begin_export("heads.png", write) reports "heads.png".
  void begin_export(const std::filesystem::path& path, ExportLane::Write write);

  // The panels' context at this moment; `figures` as in draw().
  views::Context context(const Frame& frame);
  // `measure` measures the texts of figures for a file; null: as the screen draws them.
  // context(frame, light_theme, &measure) is the context of a picture on a light page.
  views::Context context(const Frame& frame, const figures::Theme& theme, const figures::TextMeasure* measure = nullptr);
  ExportHost export_host();  // for the export dialog, valid in this frame
  const figures::Theme& theme() const;

  // For the loop.
  double redraw_in(double now) const;  // seconds until something changes without an event; negative: nothing will change
  std::string title() const;
  void quit_cleanly();  // saves session and configuration
  bool wants_quit = false;
  double last_scale = 1;                     // the last frame's, presentation mode's enlargement included
  double display_scale() const;              // the last frame's without the enlargement
  const Frame* frame_in_progress = nullptr;  // valid only during draw()
  // Pixels per point: the person's choice, else the display's. In a window of this size (pixels; 0: any size) the display's scale
  // shrinks so far that the views have room.
  // wanted_scale(2) is 2 if the person has chosen no scale and the mode is not presentation.
  float wanted_scale(float display_scale, float width = 0, float height = 0) const;

  Worker& worker() { return worker_; }
  BackgroundLane& lane() { return lane_; }
  ExportLane& export_lane() { return export_lane_; }
  Derived& derived() { return derived_; }
  const Published& published() const { return *published_; }
  bool nothing_typed() const;  // the sentence is empty: there is nothing to compute, which is no error
  bool stale() const { return published_->generation != worker_.submitted(); }
  Configuration& configuration() { return configuration_; }
  const Configuration& configuration() const { return configuration_; }
  // The job of a view, made when it is first asked for; null: the view has none.
  Job* job(std::string_view view);
  // shell.job_of<LiveTrainer>("train").play(true) goes on with a training.
  template <class J>
  J& job_of(std::string_view view) {
    return dynamic_cast<J&>(*job(view));
  }
  const std::map<std::string, std::unique_ptr<Job>, std::less<>>& jobs() const { return jobs_; }
  bool settled() const;  // no job has something to prepare before its view can be shown
  ModelShelf& models() { return models_; }
  const ModelShelf& models() const { return models_; }
  bool offers_model() const { return offers_model_; }
  Trainer& trainer() override;
  DeviceCheck& device_check() { return device_check_; }
  lessons::Player& player() override { return player_; }
  lessons::Recorder& recorder() override { return recorder_; }
  std::shared_ptr<const Trace> shown_trace() const override { return published_->trace; }
  const std::string& chosen_language() const override { return configuration_.language; }
  void show_part(const std::string& part, double at) override;
  void light_cell(std::int64_t row, std::int64_t column) override;
  bool& inspector_open() { return view_.presentation ? ui.presented_inspector : configuration_.inspector_open; }
  bool autosaves() const override { return autosave_ != nullptr; }
  const Language* language() const { return language_.get(); }  // null: English
  const std::filesystem::path& file() const { return file_; }

  // State that the parts of the window share from frame to frame; not saved.
  struct Ui {
    std::string sentence, target;  // the texts in the two fields
    bool focus_sentence = true;
    bool target_had_focus = false;
    bool sentence_shown = false;       // in presentation mode: the person asked for the sentence (Ctrl+L) and is typing in it
    bool presented_inspector = false;  // in presentation mode: the person asked for the inspector (Ctrl+I)
    std::map<std::string, std::string> drafts, draft_errors;  // texts of schema fields that are being edited, by field id
    bool picks_target_tokenizer = false;                      // the tokenizer's popup is for the second sentence
    std::string popup_next;                                   // the picker to open in the next frame
    std::string model_filter;                                 // what was typed over the list of models
    std::uint64_t saved_models = 0;                           // stored models that the list of models knows
    bool offered_is_here = false;                             // the model that was offered was fetched in this window
    std::string lesson_model;                                 // the model that the lesson is to go on with, once it is open
    std::string removing_model;                               // the model of which the list asks whether to remove it
    std::map<std::string, std::string> model_errors;          // why a model could not be fetched or removed, by its name
    // In a window too narrow for a lesson beside the view, the two take turns: the shown one, and the step and tab of the last
    // turn.
    struct LessonTurn {
      std::string lesson, tab;
      std::int64_t step = -1;
      bool reading = true;
    } lesson_turn;
    struct Strip {                            // the strip at the lower edge while presenting (strip.h)
      bool by_key = false, by_mouse = false;  // what keeps it: it is shown if one does
      bool sent_away = false;                 // by Escape or the key, until the mouse has left the lower edge
      float height = 0;                       // pixels; 0: it is not shown
      double next_layer_at = -1;              // while the layers play: steady_seconds() of the next one
    } strip;
    float rail = 0;           // pixels that the rail takes at the left of the window
    bool rail_over = false;   // the rail is shown over the view, in a window without room for it
    int rail_asked = 0;       // a key or a click asked for the rail over the view (1), or for its end (-1)
    float pickers_width = 0;  // pixels of the pickers beside the tokens, in a window too low for a row of their own
    int view_opened = 0;      // how often the View popup was opened
    bool sheet_open = false, sheet_shown = false;  // the list of shortcuts; sheet_shown: in the last frame
    struct GlossaryPage {
      bool open = false, shown = false;  // shown: in the last frame
      std::string sought;
    } glossary;
    int region = 0;            // index in kRegions of the part that had the keyboard focus last
    std::string focus_region;  // the part that gets the focus in the next frame
    std::string notice;
    bool notice_bad = false;
    double notice_until = 0;
    std::array<std::string, 2> compared_devices;  // in the backend's popup; empty: not chosen
    std::vector<std::string> status_words;        // the status bar's texts of the last frame
    struct Counted {                              // what the view drew that is no finite number (counted_line.h)
      figures::NonFiniteParts parts;
      std::string tab;
      const void* trace = nullptr;
      bool shown = false;
    } counted;
    std::optional<double> isdpa_ratio;  // SDPA's time / ISDPA's, measured on this machine
    Guess guess;                        // what a class is to guess
  } ui;
  FileDialog files;
  ExportDialog exports;
  Palette palette;
  views::Hover hover;
  views::Transient transient;
  views::Parts parts;                     // parts of this frame
  void name_part(const std::string& id);  // names the last ImGui item, as views::name_part does
  void frame_in(double seconds);          // requests a frame in this many seconds, because something is moving
  void pin(bool present);                 // true: the present state becomes A of the comparison; false: drops A
  const std::optional<views::Pinned>& pinned() const { return pinned_; }
  void turn_region(int step);                   // F6: moves the keyboard focus to the next part of the window
  bool takes_focus(const std::string& region);  // call before a region's first control: whether it gets the focus

 private:
  // Results of exports, passed from the lane to the UI thread.
  struct Mail {
    std::mutex mutex;
    std::vector<std::pair<std::string, bool>> lines;
    std::optional<double> isdpa_ratio;
    std::optional<std::string> clipboard;  // text for the clipboard
    std::optional<views::Pinned> pinned;   // the computed pinned state
  };

  void speak_chosen();
  figures::Figure shown_figure(const figures::Theme& theme);  // of the tab; empty: it has none
  void submit_if_changed();
  void record_view();  // a change of the view's settings in this frame, for undo
  void take_published();
  bool follow_translation();  // the second sentence is the model's own; false: it is not there yet, and neither is another
  void read_mail();
  void measure_isdpa(int attempts);
  void compute_pinned();  // in the background lane

  Document document_;
  ViewState view_;
  UndoHistory history_;
  ViewHistory view_history_;
  double edited_press_ = -1;  // when the mouse button went down that the last edit was made with; negative: without one
  std::optional<Document> submitted_;
  std::optional<views::Pinned> pinned_;
  double next_frame_at_ = -1;  // steady_seconds(); negative: only on events
  std::function<void()> wake_;
  std::shared_ptr<Mail> mail_ = std::make_shared<Mail>();
  Worker::Compute compute_;
  Worker worker_;
  BackgroundLane lane_;
  ExportLane export_lane_;
  Derived derived_;
  ModelShelf models_;
  Translator translator_;
  std::shared_ptr<const Translation> translation_;  // the last one whose error was said
  DeviceCheck device_check_;
  JobHost job_host_;
  std::map<std::string, std::unique_ptr<Job>, std::less<>> jobs_;  // by view; null: it has none
  lessons::Player player_;
  lessons::Recorder recorder_;
  std::shared_ptr<const Published> published_;
  std::unique_ptr<Autosave> autosave_;
  Configuration configuration_, saved_configuration_;
  std::optional<std::string> spoken_;  // the configuration's language, which is in use now
  std::shared_ptr<const Language> language_;
  std::filesystem::path file_;
  std::optional<Session> saved_in_file_;

  bool isdpa_wanted_ = false;
  bool offers_model_ = false;
  bool waits_ = false;

  friend void draw_status_bar(Shell&, const ui::Look&, const Frame&);
};

// The parts from top to bottom; each draws at ImGui's cursor.
// draw_top_bar(shell, look);
void draw_top_bar(Shell& shell, const ui::Look& look);
void draw_pickers(Shell& shell, const ui::Look& look);
// The badge about the weights' origin, at the cursor's height. It ends `right` pixels from the window's left side. Returns its
// width in pixels; without `draw` it is only measured.
// draw_badge(shell, look, 1580, false) is the badge's width.
float draw_badge(Shell& shell, const ui::Look& look, float right, bool draw);
// The switch that puts the sentence into the model's chat frame, at the cursor's height; it ends `right` pixels from the window's
// left side. Returns its width with the gap at its right; 0 for a model without a frame.
// draw_chat_switch(shell, look, 1400, true);
float draw_chat_switch(Shell& shell, const ui::Look& look, float right, bool draw);
// A similar badge with the number of active interventions; a click lists them, with buttons to remove them. Returns its width
// with the gap at its right; 0 without interventions.
// draw_interventions_badge(shell, look, 1400, true);
float draw_interventions_badge(Shell& shell, const ui::Look& look, float right, bool draw);
// The badge's words: "2 interventions".
std::string interventions_words(const Document& document);
// The list of interventions, with a button for each that removes it.
// draw_interventions(shell, look);
void draw_interventions(Shell& shell, const ui::Look& look);
void draw_main(Shell& shell, const ui::Look& look, const Frame& frame);
void draw_status_bar(Shell& shell, const ui::Look& look, const Frame& frame);
void handle_shortcuts(Shell& shell);

// A control made from a field of the Document's schema, or from a parameter of a registry entry. Returns true if it changed the
// value.
// draw_field(shell, look, "temperature") edits document.temperature; draw_parameter(shell, look, parameter, value) edits `value`.
bool draw_field(Shell& shell, const ui::Look& look, const char* id);
bool draw_parameter(Shell& shell, const ui::Look& look, const Parameter& parameter, Value& value);

}  // namespace headlight::window
