#include "app/cli/page_export.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "app/cli/array_picture.h"
#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/budget_option.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "app/cli/step_choice.h"
#include "app/cli/window_hooks.h"
#include "engine/core/whole_file.h"
#include "engine/pipeline/run.h"
#include "headlight_version.h"
#ifdef HEADLIGHT_APP
#include "app/export/page/page.h"
#include "app/export/page/page_arrays.h"
#include "app/text/language.h"
#endif

namespace headlight::cli {

bool is_page(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".html" || ending == ".htm";
}

#ifdef HEADLIGHT_APP
namespace {

// A run of the session's document, or of its pinned one: a sentence each.
struct Computed {
  std::shared_ptr<backends::Backend> backend;
  std::shared_ptr<const Trace> trace;
};
Result<Computed> compute(const Document& document, const std::string& budget) {
  Computed computed;
  HL_ASSIGN(computed.backend, open_backend_or_cpu(document.backend));
  RunOptions limits;
  HL_ASSIGN(limits.budget_bytes, budget_from(budget));
  const Waiting waiting("export: computing");
  HL_ASSIGN(computed.trace, run(document, *computed.backend, interrupt_token(), limits));
  return computed;
}

// A page shows every head of everything, so that options that choose a part of it only say what it shows first.
Status check_page(const PageRequest& request, const FigureOptions& figure) {
  if (!request.what.empty() && request.what != "weights")
    return usage_error("a page shows the weights of all heads").at("--what").mend("leave it out");
  for (const auto& [name, value] : {std::pair("--range", request.range), std::pair("--word", request.word)})
    if (!value.empty()) return usage_error("this is not for a page").at(Message::name(name)).mend("leave it out");
  if (request.view == "grid") return usage_error("a page always has all heads").at("--view").mend("leave it out");
  if (request.labels.size() > 2)
    return usage_error("there are {} files of labels", request.labels.size())
        .at("--labels")
        .mend("give one for rows and columns, or two");
  HL_ASSIGN(const FigureStyle style, figure.read(request.out));
  if (!(style == FigureStyle()))
    return usage_error("a page has a form of its own").at(request.out.string()).mend("leave out the options of figures");
  // A folder that cannot be written to is reported before a long computation.
  HL_ASSIGN([[maybe_unused]] const WholeFile probe, WholeFile::create(request.out));
  return {};
}

Result<page::PageOptions> options_of(const PageRequest& request, const FigureOptions& figure,
                                     const std::vector<page::Run>& runs) {
  page::PageOptions options;
  options.version = HEADLIGHT_VERSION;
  options.theme = figure.given_theme();
  options.language = request.language.empty() ? "en" : request.language;
  options.numbers = request.numbers;
  if (!request.colormap.empty()) options.colormap = request.colormap;
  if (request.view == "dots" || request.view == "arcs") options.picture = request.view;
  options.words = request.words;
  options.cancel = interrupt_token();
  std::optional<std::int64_t> head;
  if (!request.head.empty()) {
    HL_ASSIGN(const std::vector<std::int64_t> heads, heads_from(request.head));
    head = heads.front();
  }
  const page::Attention& shown = runs.front().attentions.front();
  for (const auto& [option, given, count] :
       {std::tuple("--sentence", request.sentence, static_cast<std::int64_t>(runs.size())),
        std::tuple("--layer", request.layer, shown.layers), std::tuple("--head", head, shown.heads)})
    if (given && (*given < 0 || *given >= count))
      return usage_error("there is no {} {}", std::string_view(option).substr(2), *given)
          .at(Message::name(option))
          .mend(count == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", count - 1));
  options.layer = request.layer.value_or(0);
  options.head = head.value_or(0);
  options.run = static_cast<std::size_t>(request.sentence.value_or(0));
  return options;
}

Status page_of_session(const PageRequest& request, const FigureOptions& figure, const Session& session) {
  std::vector<Computed> computed;
  for (const Document* document : {&session.document, session.pinned ? &*session.pinned : nullptr}) {
    if (!document) continue;
    HL_ASSIGN(Computed one, compute(*document, request.budget));
    computed.push_back(std::move(one));
  }
  print_remarks(*computed.front().trace);
  NotFinite not_finite;
  for (const Computed& one : computed) {
    std::vector<std::string> weights;
    for (const AttentionSite& site : one.trace->sites()) weights.push_back(one.trace->name_at(site.prefix, Role::weights));
    HL_TRY(not_finite.look_at(*one.trace, weights, interrupt_token()));
  }
  HL_TRY(not_finite.check(request.out.string(), request.strict));
  not_finite.say("export", {});
  std::vector<page::Run> runs;
  for (const Computed& one : computed) {
    HL_ASSIGN(std::vector<page::Run> more, page::runs_of(*one.trace, *one.backend, &one != &computed.front(), interrupt_token()));
    std::move(more.begin(), more.end(), std::back_inserter(runs));
  }
  HL_ASSIGN(page::PageOptions options, options_of(request, figure, runs));
  options.document = to_json(session);
  options.kind = session.view.site;
  options.written = session.view.row_word != "read";
  if (!request.layer) options.layer = session.view.layer;
  if (request.head.empty()) options.head = session.view.head;
  if (!request.sentence) options.run = static_cast<std::size_t>(std::max<std::int64_t>(0, session.view.batch));
  if (request.colormap.empty()) options.colormap = session.view.colormap;
  options.words |= session.view.words_together;
  options.row = session.view.pinned_row;
  options.column = session.view.pinned_column;
  const Waiting waiting("export: writing the page");
  return page::save_page(request.out, runs, options);
}

Status page_of_arrays(const PageRequest& request, const FigureOptions& figure) {
  page::GivenArrays given;
  given.where = request.in;
  HL_ASSIGN(PageArrays read, read_page_arrays(request.in, request.array));
  given.arrays = std::move(read.arrays);
  given.tokens = std::move(read.tokens.queries);
  given.source_tokens = std::move(read.tokens.keys);
  given.model = std::move(read.model);
  NotFinite not_finite;
  for (const auto& [name, values] : given.arrays)
    not_finite.look(name, values, {"layer", "sentence", "head", "row", "column"}, true);
  HL_TRY(not_finite.check(request.in, request.strict));
  not_finite.say("export", request.in);
  if (!request.labels.empty()) {
    HL_ASSIGN(std::vector<std::string> rows, read_labels(request.labels.front()));
    given.tokens = {std::move(rows)};
    given.source_tokens.clear();
  }
  if (request.labels.size() == 2) {
    HL_ASSIGN(std::vector<std::string> columns, read_labels(request.labels.back()));
    given.source_tokens = {std::move(columns)};
  }
  HL_ASSIGN(const std::vector<page::Run> runs, page::runs_of_arrays(given));
  HL_ASSIGN(const page::PageOptions options, options_of(request, figure, runs));
  const Waiting waiting("export: writing the page");
  return page::save_page(request.out, runs, options);
}

}  // namespace

Status write_page(const PageRequest& request, const FigureOptions& figure, const DocumentOptions& document) {
  HL_TRY(check_page(request, figure));
  if (!request.language.empty()) {
    HL_ASSIGN(auto language, load_language(request.language));
    speak(std::move(language));
  }
  if (!request.lesson.empty()) {
    if (!request.in.empty()) return usage_error("a lesson has its own document").at("--in").mend("leave it out");
    if (!window_hooks().write_handout) return no_window(Message("write a lesson's handout"));
    const Waiting waiting("export: playing the lesson");
    return window_hooks().write_handout(
        {request.lesson, request.out, request.language.empty() ? "en" : request.language, HEADLIGHT_VERSION, interrupt_token()});
  }
  if (!request.in.empty()) return page_of_arrays(request, figure);
  if (!request.array.empty() || !request.labels.empty())
    return usage_error("this is for the arrays of a file")
        .at(Message::name(request.array.empty() ? "--labels" : "--array"))
        .mend("give --in FILE.npz");
  HL_ASSIGN(const Session session, document.read_batch());
  return page_of_session(request, figure, session);
}
#else
Status write_page(const PageRequest& request, const FigureOptions&, const DocumentOptions&) {
  return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no pages")
      .at(request.out.string())
      .mend("build with HEADLIGHT_APP=ON, or write .csv, .npy or .npz");
}
#endif

}  // namespace headlight::cli
