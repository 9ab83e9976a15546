// Output of the window: files and the clipboard.
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/export/clipboard.h"
#include "app/export/figure_data.h"
#include "app/export/figure_file.h"
#include "app/export/page/page.h"
#include "app/export/report.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/view.h"
#include "app/window/shell/shell.h"
#include "engine/backends/backends.h"
#include "headlight_version.h"
#include "imgui.h"

namespace headlight::window {
namespace {

// The size of the view in the window, without its surroundings.
constexpr float kViewWidth = 1000, kViewHeight = 760;
// X11 transfers a selection in one piece; other programs do not accept larger ones.
constexpr std::size_t kMostClipboard = std::size_t{4} << 20;
constexpr std::int64_t kMostNumbers = 400000;  // a text with more numbers exceeds that limit
constexpr int kClipboardDpi = 144;

}  // namespace

figures::Figure Shell::shown_figure(const figures::Theme& theme) {
  const views::View* entry = views::registry().find(view_.tab);
  if (!entry || !frame_in_progress || !published_->trace) return {};
  return views::figure_of_view(context(*frame_in_progress, theme), *entry, kViewWidth, kViewHeight);
}

void Shell::ask_export() {
  figures::Figure figure = shown_figure(theme());
  if (figure.items.empty()) return say(tr("there is nothing to export in this view"));
  exports.ask(std::move(figure), configuration_.last_folder, configuration_.figure, true);
}

void Shell::export_figure(figures::Figure figure) {
  if (figure.items.empty()) return say(tr("there is nothing to export in this view"));
  if (figure.background.a <= 0) figure.background = theme().background;
  // The menu of the view's own picture asks for the same as Ctrl+E.
  const bool of_view = !figure.title.empty() && shown_figure(theme()).title == figure.title;
  exports.ask(std::move(figure), configuration_.last_folder, configuration_.figure, of_view);
}

void Shell::export_animation(figures::Animation film) {
  if (film.frames < 1 || !film.frame) return say(tr("there is no film to export here"));
  exports.ask(std::move(film), configuration_.last_folder);
}

ExportHost Shell::export_host() {
  return {theme(),
          [this] { return to_json(session()); },
          [this](const std::filesystem::path& path, ExportLane::Write write) { begin_export(path, std::move(write)); },
          [this](const std::filesystem::path& folder) { configuration_.last_folder = folder.string(); },
          configuration_.figure,
          [this](const figures::MakeInput& in) -> figures::Figure {
            const views::View* entry = views::registry().find(view_.tab);
            if (!entry || !frame_in_progress || !published_->trace) return {};
            return views::figure_of_view(context(*frame_in_progress, in.theme, &in.measure), *entry, in.width, in.height);
          },
          [this](const FigureStyle& style, const std::string& title) -> figures::MakeFigure {
            const views::View* const view = views::registry().find(view_.tab);
            if (!view || !view->matrix || !frame_in_progress || !published_->trace) return {};
            return view->matrix(context(*frame_in_progress), style, title);
          },
          frame_in_progress && frame_in_progress->has_gl};
}

void Shell::begin_export(const std::filesystem::path& path, ExportLane::Write write) {
  export_lane_.add(path.filename().string(), std::move(write), [mail = mail_, path](const Status& status) {
    const std::lock_guard lock(mail->mutex);
    if (status.ok())
      mail->lines.emplace_back(fill(tr("exported {}"), {path.string()}), false);
    else if (status.error().kind == ErrorKind::cancelled)
      mail->lines.emplace_back(fill(tr("stopped: {} was not written"), {path.filename().string()}), false);
    else
      mail->lines.emplace_back(fill(tr("not exported: {}"), {spoken(status.error())}), true);
  });
}

void Shell::ask_page() {
  if (!published_->trace || published_->trace->sites().empty()) return say(tr("there is no attention to show on a page yet"));
  files.ask(
      {FileDialog::Mode::save_file,
       tr("Save a page"),
       {".html"},
       configuration_.last_folder,
       "attention.html",
       [this](const std::filesystem::path& path) -> Status {
         configuration_.last_folder = path.parent_path().string();
         const std::shared_ptr<const Trace> trace = published_->trace;
         const std::shared_ptr<const Trace> other = pinned_ ? pinned_->trace : nullptr;
         page::PageOptions options;
         options.version = HEADLIGHT_VERSION;
         options.document = to_json(Session{trace->document(), view_, other ? std::optional(other->document()) : std::nullopt});
         options.language = spoken_.value_or("").empty() ? system_language() : *spoken_;
         options.theme = theme().id;
         if (view_.colormap != "signed") options.colormap = view_.colormap;
         options.run = static_cast<std::size_t>(std::max<std::int64_t>(0, view_.batch));
         options.kind = view_.site;
         options.written = view_.row_word != "read";
         options.layer = view_.layer;
         options.head = view_.head;
         options.words = view_.words_together;
         options.row = view_.pinned_row;
         options.column = view_.pinned_column;
         begin_export(path, [path, trace, other, options](const ExportLane::Run& run) -> Status {
           page::PageOptions now = options;
           now.cancel = run.cancel;
           now.progress = run.progress;
           HL_ASSIGN(const auto backend, backends::open("cpu"));
           HL_ASSIGN(std::vector<page::Run> runs, page::runs_of(*trace, *backend, false, run.cancel));
           if (other) {
             HL_ASSIGN(std::vector<page::Run> more, page::runs_of(*other, *backend, true, run.cancel));
             std::move(more.begin(), more.end(), std::back_inserter(runs));
           }
           return page::save_page(path, runs, now);
         });
         return {};
       }});
}

void Shell::ask_report() {
  if (!published_->trace) return say(tr("there is nothing to report yet"));
  files.ask({FileDialog::Mode::save_file,
             tr("Save a report"),
             {".pdf"},
             configuration_.last_folder,
             "report.pdf",
             [this](const std::filesystem::path& path) -> Status {
               configuration_.last_folder = path.parent_path().string();
               // The session of what is shown: the trace's own document.
               Session shown{published_->trace->document(), view_};
               begin_export(path, [path, trace = published_->trace, shown](const ExportLane::Run& run) {
                 return figures::save_report(path, *trace, shown, {HEADLIGHT_VERSION, run.cancel, run.progress});
               });
               return {};
             }});
}

void Shell::copy_shown_numbers() { copy_numbers(shown_figure(theme())); }
void Shell::copy_shown_picture() { copy_picture(shown_figure(theme())); }

void Shell::copy_numbers(const figures::Figure& figure) {
  const std::vector<DataTable> tables = figures::tables_of(figure);
  if (tables.empty()) return say(tr("this picture shows no array of numbers"));
  std::int64_t count = 0;
  for (const DataTable& table : tables) count += table.values.count();
  const std::string text = count <= kMostNumbers ? figures::to_text(tables) : std::string();
  if (text.empty() || text.size() > kMostClipboard)
    return say(fill(tr("{} numbers are too many for the clipboard: export them as CSV or NPY"), {std::to_string(count)}), true);
  ImGui::SetClipboardText(text.c_str());
  say(fill(tr("copied {}"), {tables.size() == 1 ? figures::words_of(tables.front())
                                                : fill(tr("{} arrays of numbers"), {std::to_string(tables.size())})}));
}

void Shell::copy_picture(figures::Figure figure) {
  if (figure.items.empty()) return say(tr("there is nothing to copy in this view"));
  if (const auto program = picture_clipboard(); !program.ok()) return say(spoken(program.error()), true);
  if (figure.background.a <= 0) figure.background = theme().background;
  const auto ended = [mail = mail_](const Status& status) {
    const std::lock_guard lock(mail->mutex);
    mail->lines.emplace_back(status.ok() ? tr("the picture is on the clipboard")
                                         : fill(tr("the picture was not copied: {}"), {spoken(status.error())}),
                             !status.ok());
  };
  export_lane_.add(
      tr("the clipboard"),
      [figure = std::move(figure), theme = &theme(), session = to_json(session())](const ExportLane::Run&) -> Status {
        HL_ASSIGN(const std::string png,
                  figures::encode_figure(figure, figures::FileKind::png, *theme, {kClipboardDpi, session}));
        return copy_png(png);
      },
      ended);
}

}  // namespace headlight::window
