#include "app/window/shell/shell.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/view.h"
#include "app/window/shell/array_form.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/measure.h"
#include "app/window/shell/opening.h"
#include "app/window/shell/popups.h"
#include "engine/document/stored_model.h"
#include "engine/images/png_picture.h"
#include "engine/pipeline/array_document.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

namespace {
constexpr double kNoticeSeconds = 6;
constexpr float kPresented = 1.6f;                           // enlargement of everything in presentation mode
constexpr ImVec2 kRoom{900, 560}, kPresentedRoom{800, 450};  // points that the views need
constexpr float kLeastOfDisplay = 0.6f;                      // of the display's scale: letters stay readable
// When the left mouse button went down that is held, or was let go in this frame; negative: it is not.
double mouse_press() {
  const bool at_work = ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  return at_work ? ImGui::GetIO().MouseClickedTime[ImGuiMouseButton_Left] : -1;
}

constexpr const char* kRegions[] = {"sentence", "pickers", "rail", "main", "inspector", "lesson", "strip"};
}  // namespace

Shell::Shell(Setup setup)
    : document_(setup.session.document),
      view_(setup.session.view),
      history_(document_),
      wake_(setup.wake ? std::move(setup.wake) : [] {}),
      compute_(setup.compute),
      worker_(std::move(setup.compute), wake_),
      lane_([this] { return worker_.computing(); }, wake_),
      export_lane_([this] { return worker_.computing(); }, wake_),
      derived_([this](BackgroundLane::Job job) { lane_.add(std::move(job)); }),
      models_(wake_),
      translator_([this](BackgroundLane::Job job) { lane_.add(std::move(job)); }, wake_),
      device_check_([this](BackgroundLane::Job job) { lane_.add(std::move(job)); }, wake_,
                    [this] { return worker_.submitted(); }),
      job_host_{[this](BackgroundLane::Job job) { lane_.add(std::move(job)); },
                wake_,
                [this] { return worker_.computing(); },
                [this] { return worker_.submitted(); },
                setup.measure_isdpa,
                setup.measure_roles,
                std::move(setup.lab_machine)},
      published_(worker_.latest()),
      configuration_(setup.configuration),
      saved_configuration_(setup.configuration),
      file_(std::move(setup.file)),
      isdpa_wanted_(setup.measure_isdpa),
      offers_model_(setup.offers_model) {
  if (!setup.autosave.empty()) autosave_ = std::make_unique<Autosave>(std::move(setup.autosave), std::move(setup.on_disk), wake_);
  if (!views::registry().find(view_.tab)) view_.tab = ViewState().tab;
  ui.focus_sentence = !view_.presentation;  // in presentation mode the sentence is shown only on demand
  speak_chosen();
  if (!setup.message.empty()) say(spoken(setup.message), true);
  if (offers_model_) models_.read();  // for the line that offers one, and for Ctrl+P
  waits_ = !setup.opens.empty();
  if (waits_) models_.open_session(setup.opens);
  submit_if_changed();
  if (setup.session.pinned) {
    pinned_ = views::Pinned{std::move(*setup.session.pinned), nullptr};
    compute_pinned();
  }
}

Shell::~Shell() = default;

// Only between two frames: the whole window calls tr() while a frame is built.
void Shell::speak_chosen() {
  if (spoken_ == configuration_.language) return;
  const bool at_start = !spoken_;
  spoken_ = configuration_.language;
  auto chosen = load_language(spoken_->empty() ? system_language() : *spoken_);
  language_ = chosen.ok() ? *chosen : nullptr;
  speak(language_);
  if (!chosen.ok()) say(spoken(chosen.error()), true);
  if (!at_start) derived_.clear();  // pictures kept there contain words
}

bool Shell::follow_translation() {
  if (!view_.translates || !translates(document_)) return true;
  const auto translation = translator_.of(document_);
  if (!translation) return !document_.targets.empty();
  if (translation->error) {
    if (std::exchange(translation_, translation) != translation) say(spoken(*translation->error), true);
    return true;
  }
  if (translation->targets == document_.targets) return true;
  document_.targets = translation->targets;
  history_.amend(document_);
  return true;
}

void Shell::submit_if_changed() {
  if (waits_ || !follow_translation()) return;
  if (submitted_ && *submitted_ == document_) return;
  submitted_ = document_;
  for (const auto& [view, job] : jobs_)
    if (job) job->make_way();
  worker_.submit(document_);
}

Job* Shell::job(std::string_view view) {
  auto at = jobs_.find(view);
  if (at == jobs_.end()) {
    const views::View* entry = views::registry().find(view);
    at = jobs_.emplace(view, entry && entry->job ? entry->job(job_host_) : nullptr).first;
  }
  return at->second.get();
}

Trainer& Shell::trainer() { return job_of<Trainer>(views::view_that(views::Offers::tokenizer_training).id); }

bool Shell::settled() const {
  return std::ranges::all_of(jobs_, [](const auto& job) { return !job.second || job.second->settled(); });
}

void Shell::take_published() {
  auto latest = worker_.latest();
  if (latest == published_) return;
  published_ = std::move(latest);
  if (published_->trace) fit(view_, *published_->trace);
}

void Shell::measure_isdpa(int attempts) {
  lane_.add([this, attempts](const CancelToken& cancel) {
    const std::uint64_t before = worker_.submitted();
    const std::optional<double> ratio = isdpa_ratio(cancel);
    if (cancel.cancelled() || !ratio) return;
    // An edit used the cores meanwhile, so the measured ratio is meaningless.
    if (worker_.submitted() != before) {
      if (attempts > 1) measure_isdpa(attempts - 1);
      return;
    }
    const std::lock_guard lock(mail_->mutex);
    mail_->isdpa_ratio = ratio;
  });
}

void Shell::read_mail() {
  // Only the lessons tell it: nobody else waits for it.
  if (player_.active() && published_->trace && std::exchange(isdpa_wanted_, false)) measure_isdpa(5);
  const std::lock_guard lock(mail_->mutex);
  for (auto& [text, bad] : mail_->lines) say(std::move(text), bad);
  mail_->lines.clear();
  if (mail_->clipboard) ImGui::SetClipboardText(mail_->clipboard->c_str());
  mail_->clipboard.reset();
  if (mail_->isdpa_ratio) ui.isdpa_ratio = mail_->isdpa_ratio;
  if (mail_->pinned && pinned_ && mail_->pinned->document == pinned_->document) pinned_ = std::move(mail_->pinned);
  mail_->pinned.reset();
}

void Shell::edit(Document document) {
  if (document == document_) return;
  document_ = std::move(document);
  // What one drag changes is one step.
  const double press = frame_in_progress ? mouse_press() : -1;
  history_.record(document_, steady_seconds(), press >= 0 && press == edited_press_);
  edited_press_ = press;
  view_history_.edited();
}

// The latest change is taken back first, be it of the document or of a view's settings.
void Shell::undo() {
  const auto set = view_history_.undo_time(), edited = history_.undo_time();
  if (set && set >= edited) return view_history_.undo(view_);
  if (auto before = history_.undo())
    document_ = std::move(*before);
  else
    say(tr("nothing to undo"));
}
void Shell::redo() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double set = view_history_.redo_time().value_or(kNever), edited = history_.redo_time().value_or(kNever);
  if (set < kNever && set <= edited) return view_history_.redo(view_);
  if (auto after = history_.redo())
    document_ = std::move(*after);
  else
    say(tr("nothing to redo"));
}

void Shell::record_view() {
  // A lesson's step sets fields as well; of those only what is dragged is the person's.
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  view_history_.look(view_, steady_seconds(), held, !player_.active() || (held && ImGui::IsAnyItemActive()));
}

void Shell::replace(Session session) {
  view_ = session.view;
  view_history_ = {};
  if (!views::registry().find(view_.tab)) view_.tab = ViewState().tab;
  edit(std::move(session.document));
  // A session without a pinned state keeps the present one, to be compared with what was opened.
  if (session.pinned) {
    pinned_ = views::Pinned{std::move(*session.pinned), nullptr};
    compute_pinned();
  }
}

void Shell::take_session(const std::filesystem::path& path, Session session) {
  const bool first = waits_ && !history_.can_undo();
  waits_ = false;
  if (first) {  // nothing was there before it
    document_ = session.document;
    history_.amend(document_);
  }
  replace(std::move(session));
  if (!first && is_session_file(path)) file_ = path;
  if (file_ == path) saved_in_file_ = this->session();
  if (!first) say(fill(tr("opened {}"), {path.filename().string()}));
}

void Shell::take_session(const std::filesystem::path& path, const Error& error) {
  waits_ = false;
  say(spoken(autosave_ && autosave_->path() == path ? put_aside(path, error) : error.whole()), true);
}

void Shell::say(std::string text, bool bad) {
  ui.notice = std::move(text);
  ui.notice_bad = bad;
  ui.notice_until = steady_seconds() + kNoticeSeconds * (bad ? 2 : 1);
}

Status Shell::open(const std::filesystem::path& path) {
  HL_ASSIGN(const bool bare, is_bare_picture(path));
  if (bare) {
    show_picture(view_, path);
    configuration_.last_folder = path.parent_path().string();
    say(fill(tr("opened {}"), {path.filename().string()}));
    return {};
  }
  if (const auto place = place_of_model(path)) {
    std::error_code ignored;
    if (!std::filesystem::exists(*place, ignored)) return open_stored_model(place->string()).error();
    configuration_.last_folder = path.parent_path().string();
    return choose_model(*this, place->string());  // in the background
  }
  if (is_array_file(path)) {
    Session session = this->session();
    HL_TRY(show_arrays(session, path));
    replace(std::move(session));
    ask_reading(*this);
    configuration_.last_folder = path.parent_path().string();
    say(fill(tr("opened {}"), {path.filename().string()}));
    return {};
  }
  if (waits_for_models(path)) {
    configuration_.last_folder = path.parent_path().string();
    models_.open_session(path);
    return {};
  }
  HL_ASSIGN(Session session, load_any(path));
  replace(std::move(session));
  if (is_session_file(path)) {
    file_ = path;
    saved_in_file_ = this->session();
  }
  configuration_.last_folder = path.parent_path().string();
  say(fill(tr("opened {}"), {path.filename().string()}));
  return {};
}

Status Shell::save_to(const std::filesystem::path& path) {
  HL_TRY(save_session(path, session()));
  file_ = path;
  saved_in_file_ = session();
  configuration_.last_folder = path.parent_path().string();
  say(fill(tr("saved {}"), {path.filename().string()}));
  return {};
}

void Shell::save() {
  if (file_.empty()) return ask_save();
  if (const Status status = save_to(file_); !status.ok()) say(spoken(status.error()), true);
}

void Shell::ask_open() {
  files.ask({FileDialog::Mode::open_file,
             tr("Open a session, a picture that carries one, a model, or arrays"),
             {".headlight", ".json", ".png", ".svg", ".pdf", ".gif", ".npz", ".npy", ".gguf", ".safetensors"},
             configuration_.last_folder,
             {},
             [this](const std::filesystem::path& path) { return open(path); }});
}
void Shell::ask_picture() {
  files.ask({FileDialog::Mode::open_file,
             tr("Open a PNG picture to cut into patches"),
             {".png"},
             configuration_.last_folder,
             {},
             [this](const std::filesystem::path& path) -> Status {
               HL_TRY(images::read_png(path));
               show_picture(view_, path);
               configuration_.last_folder = path.parent_path().string();
               return {};
             }});
}
void Shell::ask_save() {
  files.ask({FileDialog::Mode::save_file,
             tr("Save the session"),
             {".headlight", ".json"},
             file_.empty() ? std::filesystem::path(configuration_.last_folder) : file_.parent_path(),
             file_.empty() ? std::filesystem::path("session.headlight") : file_.filename(),
             [this](const std::filesystem::path& path) { return save_to(path); }});
}

const figures::Theme& Shell::theme() const {
  // In presentation mode, the theme of the same brightness with more contrast.
  if (view_.presentation)
    if (const figures::Theme* loud =
            figures::themes().find(view_.theme.find("light") == std::string::npos ? "contrast" : "contrast_light"))
      return *loud;
  if (const figures::Theme* theme = figures::themes().find(view_.theme)) return *theme;
  return figures::themes().entries().front();
}

views::Context Shell::context(const Frame& frame) { return context(frame, theme()); }

views::Context Shell::context(const Frame& frame, const figures::Theme& theme, const figures::TextMeasure* measure) {
  const auto& error = published_->error;
  return {.document = document_,
          .trace = published_->trace,
          .computing = stale(),
          .error = error && error->kind != ErrorKind::cancelled ? &*error : nullptr,
          .view = view_,
          .hover = hover,
          .theme = theme,
          .fonts = frame.fonts,
          .scale = frame.scale,
          .figures = frame.figures,
          .measure = measure ? *measure : frame.figures,
          .derived = derived_,
          .has_gl = frame.has_gl,
          .edit = [this](Document document) { edit(std::move(document)); },
          .export_figure = [this](figures::Figure figure) { export_figure(std::move(figure)); },
          .say = [this](std::string text) { say(std::move(text)); },
          .export_animation = [this](figures::Animation film) { export_animation(std::move(film)); },
          .transient = &transient,
          .parts = &parts,
          .pinned = pinned_ ? &*pinned_ : nullptr,
          .pin = [this](bool present) { pin(present); },
          .frame_in = [this](double seconds) { frame_in(seconds); },
          .now = steady_seconds(),
          .still = configuration_.reduce_motion,
          .job = [this](std::string_view view) { return job(view); },
          .edits = [this] { return worker_.submitted(); },
          .copy_numbers = [this](const figures::Figure& figure) { copy_numbers(figure); },
          .copy_picture = [this](figures::Figure figure) { copy_picture(std::move(figure)); },
          .ask_picture = [this] { ask_picture(); }};
}

void Shell::name_part(const std::string& id) { parts.add_item(id); }

void Shell::show_part(const std::string& part, double at) { transient.shown_part = {part, at}; }

void Shell::light_cell(std::int64_t row, std::int64_t column) {
  if (!(hover.now == views::Hot())) return;
  hover.now.row = row;
  hover.now.column = column;
}

void Shell::frame_in(double seconds) {
  const double at = steady_seconds() + std::max(0.0, seconds);
  if (next_frame_at_ < 0 || at < next_frame_at_) next_frame_at_ = at;
}

bool Shell::nothing_typed() const {
  const auto is_blank = [](const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; };
  return published_->error && std::all_of(document_.texts.begin(), document_.texts.end(), is_blank);
}

void Shell::pin(bool present) {
  if (!present) {
    pinned_.reset();
    return;
  }
  const bool fresh = published_->trace && published_->trace->document() == document_;
  pinned_ = views::Pinned{document_, fresh ? published_->trace : nullptr};
  if (!fresh) compute_pinned();
}

void Shell::compute_pinned() {
  lane_.add([mail = mail_, compute = compute_, pinned = *pinned_](const CancelToken& cancel) mutable {
    auto trace = compute(pinned.document, cancel);
    if (trace.ok())
      pinned.trace = *trace;
    else
      pinned.error = std::make_shared<const Error>(trace.error());
    const std::lock_guard lock(mail->mutex);
    mail->pinned = std::move(pinned);
  });
}

float Shell::wanted_scale(float display_scale, float width, float height) const {
  const float mode = view_.presentation ? kPresented : 1.0f;
  if (view_.ui_scale > 0) return static_cast<float>(std::clamp(view_.ui_scale, 0.5, 4.0)) * mode;
  const float display = std::clamp(display_scale, 0.5f, 4.0f), wanted = display * mode;
  if (width <= 0 || height <= 0) return wanted;
  // In a small window on a dense display everything gets smaller, in steps, so that not every size is made anew while the window
  // is resized. But it does not get too small to read, nor, if the display asks for more, smaller than on a plain display.
  const ImVec2 room = view_.presentation ? kPresentedRoom : kRoom;
  const float fits = std::floor(std::min(width / room.x, height / room.y) * 8) / 8;
  return std::min(wanted, std::max({fits, std::min(wanted, mode), display * kLeastOfDisplay}));
}

double Shell::display_scale() const { return view_.presentation ? last_scale / static_cast<double>(kPresented) : last_scale; }

void Shell::turn_region(int step) {
  constexpr int n = static_cast<int>(std::size(kRegions));
  for (int tried = 0; tried < n; ++tried) {
    ui.region = (ui.region + step + n) % n;
    const std::string name = kRegions[ui.region];
    const bool chrome = name == "sentence" || name == "pickers";
    if ((chrome && view_.presentation) || (name == "rail" && ui.rail <= 0) || (name == "inspector" && !inspector_open()) ||
        (name == "lesson" && !lesson_side::has_column(*this)) || (name == "strip" && ui.strip.height <= 0))
      continue;
    if (name == "sentence")
      ui.focus_sentence = true;
    else
      ui.focus_region = name;
    return;
  }
}

bool Shell::takes_focus(const std::string& region) {
  if (ui.focus_region != region) return false;
  ui.focus_region.clear();
  focus_next_control();
  ImGui::SetNavCursorVisible(true);
  return true;
}

std::string Shell::title() const {
  if (file_.empty()) return "Headlight";
  const bool changed = !saved_in_file_ || !(*saved_in_file_ == session());
  return file_.filename().string() + (changed ? " (changed) - Headlight" : " - Headlight");
}

double Shell::redraw_in(double now) const {
  double soonest = -1;
  const auto at_most = [&](double seconds) {
    if (seconds >= 0 && (soonest < 0 || seconds < soonest)) soonest = seconds;
  };
  if (!ui.notice.empty()) at_most(std::max(0.0, ui.notice_until - now));
  if (autosave_) at_most(autosave_->due_in(now));
  // The old picture is dimmed only when the wait becomes noticeable.
  if (worker_.computing()) at_most(0.16);
  if (next_frame_at_ >= 0) at_most(std::max(0.0, next_frame_at_ - now));
  if (const auto at = jobs_.find(view_.tab); at != jobs_.end() && at->second) at_most(at->second->wake_in());
  return soonest;
}

void Shell::quit_cleanly() {
  recorder_.close(*this);
  if (autosave_ && !waits_) {
    if (const Status status = autosave_->flush(session()); !status.ok())
      std::fprintf(stderr, "headlight: the session could not be saved: %s\n", status.error().sentence().c_str());
  }
  if (!(configuration_ == saved_configuration_)) (void)save_configuration(configuration_path(), configuration_);
}

}  // namespace headlight::window
