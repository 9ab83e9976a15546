// headlight export DOC --what STEP --out FILE: one step of the trace as a figure (PNG, SVG, PDF) or as data (CSV, NPY, NPZ).
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "app/cli/array_picture.h"
#include "app/cli/asked_words.h"
#include "app/cli/backend_option.h"
#include "app/cli/budget_option.h"
#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/figure_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/page_export.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "app/cli/report_export.h"
#include "app/cli/step_choice.h"
#include "app/cli/view_picture.h"
#include "app/cli/window_hooks.h"
#include "app/files/data_file.h"
#include "app/files/picture_name.h"
#include "app/session/view_fields.h"
#include "engine/core/byte_words.h"
#include "engine/core/whole_file.h"
#include "engine/document/array_source.h"
#include "engine/insight/explain.h"
#include "engine/insight/heads_together.h"
#include "engine/insight/predictions.h"
#include "engine/insight/rollout.h"
#include "engine/insight/word_groups.h"
#include "engine/pipeline/run.h"
#ifdef HEADLIGHT_APP
#include "app/export/arrange.h"
#include "app/export/attention_figure.h"
#include "app/export/figure_file.h"
#include "app/export/trace_figure.h"
#include "app/figures/attention/layouts.h"
#endif

namespace headlight::cli {
namespace {

struct ExportOptions {
  explicit ExportOptions(Arguments& arguments) : document(arguments), figure(arguments) {}
  DocumentOptions document;
  FigureOptions figure;
  std::string what, out, head, view, colormap, range, in, array, word, language, numbers, lesson;
  std::vector<std::string> labels, probes;
  std::optional<std::int64_t> layer, sentence, token;
  bool with_document = false, strict = false, words_together = false;
  std::string budget;
  AskedWords asked;
};

// The request, checked against the document before anything is computed.
struct Request {
  Session session;
  FigureStyle style;
  Step step;
  std::vector<std::string> layers;   // the step in every shown layer: one, or all for a grid
  std::optional<std::int64_t> head;  // none: not given, or several
  std::vector<std::int64_t> heads;   // the heads that a picture shows, if the step has heads
  HeadsAs heads_as = HeadsAs::one;   // mean, max: of all heads
  bool all_heads = false;
  bool rollout = false;  // `step` is the last layer's weights
  bool grid = false;
  std::int64_t batch = 0;
  bool one_batch = false;       // given, or the only one
  bool words = false;           // the pieces of a word are taken together
  std::int64_t step_heads = 0;  // of the step, or of the heads that share its rows; 0: it has none
};

// A step of keys, or of a mask, may have fewer heads than its attention.
std::int64_t heads_of(const Request& r, const std::vector<Step>& steps) {
  if (r.step.shape.size() != 4) return 0;
  const Document& document = r.session.document;
  if (!is_of_arrays(document)) return std::max<std::int64_t>(r.step.shape[1], document.projected ? document.heads : 1);
  const std::string site = r.step.name.substr(0, r.step.name.rfind('.') + 1);
  std::int64_t heads = 1;
  for (const Step& step : steps)
    if (step.shape.size() == 4 && step.name.starts_with(site) && step.name.find('.', site.size()) == std::string::npos)
      heads = std::max(heads, step.shape[1]);
  return heads;
}

Status check_output(const ExportOptions& options) {
  const std::filesystem::path path = options.out;
  if (!is_picture(path) && !data_kind(path)) {
    return usage_error("the ending of the name says no kind of file that is written here")
        .at(options.out)
        .mend("end it with .png, .svg, .pdf, .html, .csv, .npy or .npz");
  }
#ifndef HEADLIGHT_APP
  if (is_picture(path)) {
    return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no pictures")
        .at(options.out)
        .mend("build with HEADLIGHT_APP=ON, or write .csv, .npy or .npz");
  }
#endif
  // Creates the file and removes it again: a folder that cannot be written to is reported before a long computation. Device files
  // are not touched.
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored) ||
      std::filesystem::is_directory(path, ignored)) {
    HL_ASSIGN([[maybe_unused]] const WholeFile probe, WholeFile::create(path));
  }
  return {};
}

// Whether the pieces of a word are taken together: asked for, or by the session.
Status check_words(const ExportOptions& options, Request& r) {
  const bool weights = r.step.role == Role::weights && r.step.shape.size() == 4;
  r.words = weights && (options.words_together || r.session.view.words_together);
  if (options.words_together && !weights)
    return usage_error("the pieces of a word are taken together in weights, and '{}' holds none", r.step.name)
        .at("--words-together")
        .mend("give --what weights or rollout");
  if (r.words && !r.one_batch && !is_picture(options.out))
    return usage_error("each sentence has words of its own").at("--words-together").mend("give --sentence N");
  return {};
}

Result<Request> check(const ExportOptions& options) {
  HL_TRY(check_output(options));
  Request r;
  HL_ASSIGN(r.style, options.figure.read(options.out));
  if (r.style.low && !options.range.empty())
    return usage_error("limits are a range of their own").at("--range").mend("give --range or --limits");
  HL_ASSIGN(r.session, options.document.read_batch());
  HL_ASSIGN(const Outline planned, outline(r.session.document));
  r.rollout = split_step_name(options.what).rest == "rollout";
  if (r.rollout && (!options.head.empty() || options.view == "grid"))
    return usage_error("a rollout is of all heads together")
        .at(Message::name(options.head.empty() ? "--view" : "--head"))
        .mend("leave it out");
  HL_ASSIGN(const Step* step, r.rollout ? choose_rollout(planned.steps, options.what, options.layer)
                                        : choose_step(planned.steps, options.what, options.layer, r.session.view.layer));
  r.step = *step;

  const auto batches = static_cast<std::int64_t>(r.session.document.texts.size());
  r.batch = options.sentence.value_or(std::min(r.session.view.batch, batches - 1));
  r.one_batch = options.sentence.has_value() || batches == 1;
  if (r.batch < 0 || r.batch >= batches) {
    return usage_error("there is no sentence {}", r.batch)
        .at("--sentence")
        .mend(batches == 1 ? Message("the only one is 0") : Message("sentences go from 0 to {}", batches - 1));
  }

  HL_TRY(check_words(options, r));
  const std::int64_t heads = r.step_heads = heads_of(r, planned.steps);
  const bool has_heads = heads > 0;
  r.grid = options.view == "grid" || (options.head == "all" && options.view.empty());
  r.all_heads = options.head == "all" || r.grid;
  r.heads_as = heads_as_of(options.head);
  const bool together = r.heads_as != HeadsAs::one;
  if (!options.head.empty() && options.head != "all" && !together) {
    HL_ASSIGN(r.heads, heads_from(options.head));
    if (options.view == "grid") return usage_error("a grid shows all heads").at("--head").mend("leave it out, or --view grid");
    for (const std::int64_t head : r.heads)
      if (has_heads && (head < 0 || head >= heads))
        return usage_error("there is no head {}", head)
            .at("--head")
            .mend(heads == 1 ? Message("the only head is 0") : Message("heads go from 0 to {}", heads - 1));
    if (r.heads.size() == 1) r.head = r.heads[0];
    if (r.heads.size() > 1 && !is_picture(options.out))
      return usage_error("data is of one head or of all").at("--head").mend("give one number, or all");
  }
  if (!has_heads && (!r.heads.empty() || r.all_heads || together)) {
    return usage_error("the step '{}' has no heads", r.step.name)
        .at(Message::name(r.grid && options.head.empty() ? "--view" : "--head"))
        .mend("leave it out");
  }
  if (!has_heads && (options.view == "dots" || options.view == "arcs"))
    return usage_error("the step '{}' has no heads, so it is no picture of {}", r.step.name, options.view)
        .at("--view")
        .mend("use heatmap");
  if (options.head == "all" && !r.grid)
    for (std::int64_t head = 0; head < heads; ++head) r.heads.push_back(head);
  const StepName chosen = split_step_name(r.step.name);
  const bool every_layer = r.grid && chosen.layer && !options.layer && !split_step_name(options.what).layer;
  for (const Step& s : planned.steps)
    if (s.name == r.step.name || (every_layer && split_step_name(s.name).kind() == chosen.kind())) r.layers.push_back(s.name);
  return r;
}

// The session that restores what was exported.
Session restored(const Request& r, const ExportOptions& options) {
  Session session = r.session;
  const StepName name = split_step_name(r.step.name);
  session.view.batch = r.batch;
  if (name.layer) session.view.layer = *name.layer;
  if (r.head) session.view.head = *r.head;
  if (!options.figure.given_theme().empty()) session.view.theme = options.figure.given_theme();
  if (r.style.transposed) session.view.transposed = !session.view.transposed;
  session.view.words_together |= r.words;
  if (const Role role = r.step.role; role == Role::weights || role == Role::scores || role == Role::masked_scores) {
    session.view.tab = "heads";
    session.view.shown = own_name(r.step.name);
    session.view.site = place_of(name.kind());
    if (!options.view.empty() && options.view != "grid") set_at(session.view, "heads.picture", options.view);
    if (!options.range.empty()) session.view.range = options.range;
    if (r.rollout) set_at(session.view, "heads.together", "rollout");
    if (r.heads_as != HeadsAs::one && r.step.shape.size() == 4) {
      session.view.chosen_heads.clear();
      for (std::int64_t head = 0; head < r.step.shape[1]; ++head) session.view.chosen_heads.push_back({session.view.layer, head});
      set_at(session.view, "heads.together", r.heads_as == HeadsAs::mean ? "mean" : "max");
    }
    if (r.heads.size() > 1) {
      session.view.chosen_heads.clear();
      for (const std::int64_t head : r.heads) session.view.chosen_heads.push_back({session.view.layer, head});
      session.view.head = r.heads[0];
      set_at(session.view, "heads.together", options.view == "dots" || options.view == "arcs" ? "overlay" : "side");
    }
    if (!options.colormap.empty() && options.colormap != "signed") session.view.colormap = options.colormap;
  }
  return session;
}

// --- data

// The words of the exported weights, all of which are of one sentence.
WordAxes words_of(const Trace& trace, const Request& r) {
  return word_axes(trace, *find_site(trace, place_of(r.step.name)), r.batch, r.session.view.row_word != "read");
}

// The tokens of one sentence along an axis, padded to its length; none for dimensions.
std::vector<std::string> axis_labels(const Trace& trace, const Request& r, std::int64_t batch, const std::string& axis,
                                     std::int64_t size) {
  if (axis != "query" && axis != "key" && axis != "position") return {};
  if (r.words) return axis == "key" ? words_of(trace, r).columns.labels() : words_of(trace, r).rows.labels();
  const AttentionSite* site = axis == "key" ? find_site(trace, place_of(r.step.name)) : nullptr;
  const bool targets = site ? site->columns_are_targets : r.step.of_targets;
  const auto sentences = targets ? trace.targets() : trace.texts();
  if (batch >= static_cast<std::int64_t>(sentences.size())) return {};
  std::vector<std::string> labels = sentences[static_cast<std::size_t>(batch)].labels;
  // As in every picture, a row of cross-attention has the name of the word that it writes.
  const AttentionSite* const rows = axis == "query" ? find_site(trace, place_of(r.step.name)) : nullptr;
  if (rows && writes_words(*rows) && r.session.view.row_word != "read") labels = written_names(trace, batch, std::move(labels));
  labels.resize(static_cast<std::size_t>(size), "[PAD]");
  return labels;
}

// Labels of all axes. If the array has several sentences, rows are labelled with the tokens of their own sentence, and columns
// with numbers, because their tokens differ from sentence to sentence.
void add_labels(DataTable& table, const Trace& trace, const Request& r) {
  const auto batches = static_cast<std::int64_t>(trace.texts().size());
  const bool several = batches > 1 && std::find(table.axes.begin(), table.axes.end(), "batch") != table.axes.end();
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const std::int64_t size = table.values.dim(static_cast<int>(axis));
    table.labels.push_back(several ? std::vector<std::string>{} : axis_labels(trace, r, r.batch, table.axes[axis], size));
    table.labels_by_batch.emplace_back();
    for (std::int64_t b = 0; b < batches && several && axis + 1 < table.axes.size(); ++b)
      if (auto own = axis_labels(trace, r, b, table.axes[axis], size); !own.empty())
        table.labels_by_batch.back().push_back(std::move(own));
  }
}

// The values of one layer with the requested axes.
Result<Tensor> layer_values(const Trace& trace, const std::string& step, const Request& r, Axes& axes,
                            const CancelToken& cancel) {
  HL_ASSIGN(Tensor values, trace.values(step, cancel));
  axes = r.step.axes;
  axes.resize(static_cast<std::size_t>(values.rank()));
  const auto drop = [&](int axis, std::int64_t index) {
    values = values.select(axis, std::min(index, values.dim(axis) - 1));
    axes.erase(axes.begin() + axis);
  };
  // Selecting a head also selects a sentence; whole steps keep their batch unless a sentence is given.
  const bool has_batch = !axes.empty() && axes[0] == "batch";
  if (r.words) {
    const Tensor words = words_of_heads(values.select(0, std::min(r.batch, values.dim(0) - 1)), *find_site(trace, place_of(step)),
                                        r.batch, words_of(trace, r));
    values = words.reshaped({1, words.dim(0), words.dim(1), words.dim(2)});
  }
  const bool together = r.heads_as != HeadsAs::one, chosen = r.head || r.all_heads || together;
  if (has_batch && values.rank() == 4 && together) {
    values = axis_together(r.heads_as, values, 1);
    axes.erase(axes.begin() + 1);
  } else if (has_batch && values.rank() == 4 && r.head) {
    drop(1, *r.head);
  }
  if (has_batch && (r.one_batch || chosen) && (chosen || values.rank() < 4)) drop(0, r.batch);
  return values.compact();
}

Status write_data(const Trace& trace, const Request& r, const ExportOptions& options, const CancelToken& cancel) {
  DataTable table;
  if (r.rollout) {
    table.name = "rollout";
    HL_ASSIGN(table.values, attention_rollout(trace, layers_below(trace, r.step.name), r.batch, cancel));
    if (r.words) table.values = words_weights(table.values, {}, words_of(trace, r));
    table.axes = {"query", "key"};
    add_labels(table, trace, r);
    return save_data(options.out, table, to_json(restored(r, options)), options.with_document);
  }
  table.name = r.layers.size() == 1 ? r.step.name : split_step_name(r.step.name).kind();
  if (r.layers.size() == 1) {
    HL_ASSIGN(table.values, layer_values(trace, r.step.name, r, table.axes, cancel));
  } else {
    Axes axes;
    std::int64_t at = 0;
    for (const std::string& name : r.layers) {
      HL_ASSIGN(const Tensor one, layer_values(trace, name, r, axes, cancel));
      if (table.values.empty()) {
        Shape shape = one.shape();
        shape.insert(shape.begin(), static_cast<std::int64_t>(r.layers.size()));
        table.values = Tensor(one.dtype(), shape, {}, true);
      }
      std::copy_n(one.raw(), one.bytes(), table.values.raw() + static_cast<std::size_t>(at++) * one.bytes());
    }
    table.axes = axes;
    table.axes.insert(table.axes.begin(), "layer");
  }
  add_labels(table, trace, r);
  if (cancel.cancelled()) return cancelled();
  return save_data(options.out, table, to_json(restored(r, options)), options.with_document);
}

// --- pictures

// What is not finite in the exported steps; of a rollout, in the weights that it is made of.
Status check_finite_steps(const Trace& trace, const Request& r, const ExportOptions& options, const CancelToken& cancel) {
  std::vector<std::string> names = r.rollout ? std::vector<std::string>() : r.layers;
  for (const AttentionSite* site : r.rollout ? layers_below(trace, r.step.name) : std::vector<const AttentionSite*>())
    names.push_back(trace.name_at(site->prefix, Role::weights));
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(trace, names, cancel, is_picture(options.out) ? NotFinite::kOfPictures : INT64_MAX));
  HL_TRY(not_finite.check(options.out, options.strict));
  not_finite.say("export", {});
  return {};
}

#ifdef HEADLIGHT_APP
Status write_picture(const Trace& trace, const Request& r, const ExportOptions& options) {
  Session session = restored(r, options);
  HL_ASSIGN(const figures::Theme* chosen, figures::themes().get(options.figure.theme(r.style, session.view.theme)));
  HL_ASSIGN(const figures::Theme theme, figures::theme_on(*chosen, r.style.background));
  figures::StepView view{r.batch, r.head.value_or(0), options.colormap};
  view.transposed = session.view.transposed;
  view.turned = r.style.transposed;
  view.heads_as = r.heads_as;
  view.names_read = session.view.row_word == "read";
  view.words = r.words;
  figures::Arrangement room{900, 820};
  figures::MakeFigure make;
  figures::AttentionView attention;
  if (r.grid) {
    room = {1000, 1000};
    HL_ASSIGN(const figures::GridInput input, figures::heads_input(trace, r.layers, view));
    make = [input](const figures::MakeInput& in) {
      return figures::grid_figure(input, in.matrix, in.width, in.height, in.theme, in.measure);
    };
  } else {
    attention.kind = options.view.empty() ? "heatmap" : options.view;
    attention.heads = r.heads;
    if (attention.heads.empty()) attention.heads = {r.head.value_or(0)};
    attention.step = view;
    if (r.heads_as != HeadsAs::one) attention.combined = words_of(r.heads_as, r.step.shape[1], 0);
    if (r.rollout) attention.combined = "rollout";
    attention.range = options.range.empty() ? session.view.range : options.range;
    attention.arc_share = value_at(session.view, "heads.arc_share").number();
    std::vector<figures::HeatmapInput> rollout;
    if (r.rollout) {
      HL_ASSIGN(figures::HeatmapInput input,
                figures::rollout_input(trace, layers_below(trace, r.step.name), view, interrupt_token()));
      rollout.push_back(std::move(input));
    }
    make = [&trace, &r, &attention, rollout](const figures::MakeInput& in) {
      attention.width = in.width;
      attention.height = in.height;
      attention.choices = in.matrix;
      if (r.rollout)
        return figures::matrix_figure(rollout, {figures::MatrixNature::weights, "rollout"}, attention, in.theme, in.measure);
      return figures::attention_figure(trace, r.step.name, attention, in.theme, in.measure);
    };
  }
  figures::FileOptions file;
  file.dpi = options.figure.dpi(r.style);
  file.document = to_json(session);
  file.unit = figures::unit_of(r.style);
  if (figures::file_kind(options.out) == figures::FileKind::png) room.dpi = file.dpi;
  room.advises = true;
  HL_ASSIGN(const figures::Figure figure, figures::arranged(make, r.style, room, theme));
  print_remarks(figure);
  if (interrupt_token().cancelled()) return cancelled();  // Ctrl+C during the layout
  return figures::save_figure(options.out, figure, theme, file);
}
#endif

// A picture of a view that --what names.
Status write_picture_of_view(const ExportOptions& options) {
  HL_TRY(check_output(options));
  ViewPicture picture{options.what,
                      options.out,
                      {},
                      options.layer,
                      {},
                      options.sentence,
                      options.token,
                      {},
                      0,
                      options.word,
                      options.probes,
                      options.document.gives("texts"),
                      options.asked,
                      options.strict};
  HL_ASSIGN(picture.style, options.figure.read(options.out));
  picture.dpi = options.figure.dpi(picture.style);
  if (const std::string choice = picture.style.matrix_choice(); !choice.empty())
    return usage_error("this picture has its own form").at(choice).mend("leave it out, or export a step: --what weights");
  HL_ASSIGN(picture.session, options.document.read());
  if (options.words_together && !takes_words_together(options.what))
    return usage_error("this picture has no weights between words").at("--words-together").mend("leave it out");
  picture.session.view.words_together |= options.words_together;
  if (!options.head.empty()) {
    if (heads_as_of(options.head) != HeadsAs::one)
      return usage_error("this picture is of one head").at("--head").mend("give one number");
    HL_ASSIGN(const std::vector<std::int64_t> heads, heads_from(options.head));
    if (heads.size() != 1) return usage_error("this picture is of one head").at("--head").mend("give one number");
    picture.head = heads.front();
  }
  picture.session.view.theme = options.figure.theme(picture.style, picture.session.view.theme);
  for (const auto& [name, value] : {std::pair("--view", options.view), std::pair("--range", options.range)})
    if (!value.empty()) return usage_error("this picture has one form").at(Message::name(name)).mend("leave it out");
  if (!options.colormap.empty() && options.colormap != "signed") picture.session.view.colormap = options.colormap;
  return write_view_picture(std::move(picture));
}

// What can be drawn besides steps: arrays of a file, a model's parameters.
Status write_array_of(const ExportOptions& options) {
  HL_TRY(check_output(options));
  if (options.in.empty() && (!options.array.empty() || !options.labels.empty()))
    return usage_error("this is for the arrays of a file")
        .at(Message::name(!options.array.empty() ? "--array" : "--labels"))
        .mend("give --in FILE.npz");
  ArrayPicture picture;
  picture.out = options.out;
  picture.view = options.view.empty() ? "heatmap" : options.view;
  picture.range = options.range;
  picture.colormap = options.colormap;
  picture.labels = options.labels;
  picture.layer = options.layer;
  picture.sentence = options.sentence;
  picture.heads_as = heads_as_of(options.head);
  picture.rollout = !options.in.empty() && options.what == "rollout";
  picture.strict = options.strict;
  picture.words = options.words_together;
  HL_ASSIGN(picture.style, options.figure.read(options.out));
  picture.dpi = options.figure.dpi(picture.style);
  if (!options.head.empty() && options.head != "all" && picture.heads_as == HeadsAs::one) {
    HL_ASSIGN(picture.heads, heads_from(options.head));
  }
  picture.all_heads = options.head == "all";
  if (picture.all_heads && options.view.empty()) picture.view = "grid";
  picture.theme = options.figure.theme(picture.style, options.in.empty() ? "" : "dark");
  if (!options.in.empty()) return write_array(picture, options.in, options.array);
  HL_ASSIGN(const Session session, options.document.read());
  if (picture.theme.empty()) picture.theme = session.view.theme;
  return write_parameter(picture, session, options.what);
}

Status export_it(const ExportOptions& options) {
  if (options.asked.any() && !names_view_picture(options.what))
    return usage_error("only pictures of a predicted word ask about one")
        .at(Message::name(options.asked.option()))
        .mend("leave it out, or give --what why");
  const bool handout = !options.lesson.empty() && std::filesystem::path(options.out).extension() == ".pdf";
  if (is_page(options.out) || handout)
    return write_page({options.out, options.what, options.in, options.array, options.head, options.view, options.range,
                       options.word, options.colormap, options.language, options.numbers, options.budget, options.lesson,
                       options.labels, options.layer, options.sentence, options.strict, options.words_together},
                      options.figure, options.document);
  for (const auto& [name, value] : {std::pair("--language", options.language), std::pair("--page-numbers", options.numbers),
                                    std::pair("--lesson", options.lesson)})
    if (!value.empty()) return usage_error("this is for a page").at(Message::name(name)).mend("end the name of --out with .html");
  if (options.what.empty() == options.in.empty() && options.what != "rollout")
    return usage_error("nothing is named that could be exported")
        .at("--what")
        .mend("give --what STEP, or --in FILE.npz for an array of your own");
  HL_TRY(check_picture_name(options.out));
  if (!options.in.empty() || !options.array.empty() || !options.labels.empty() || options.what.starts_with("parameters."))
    return write_array_of(options);
  if (options.what == "report") {
    if (options.out.ends_with(".pdf")) HL_TRY(check_output(options));
    return write_report({options.out, options.head, options.layer, options.sentence, options.strict, options.words_together},
                        options.figure, options.document);
  }
  if (names_view_picture(options.what)) return write_picture_of_view(options);
  if (options.token) return usage_error("a step is exported with all its tokens").at("--token").mend("leave it out");
  if (!options.word.empty() || !options.probes.empty())
    return usage_error("a step is of no word")
        .at(Message::name(options.word.empty() ? "--probe" : "--word"))
        .mend("leave it out");
  HL_ASSIGN(Request request, check(options));
  const bool picture = is_picture(options.out);
  // A picture of one head needs a head: the session's, if the model has it.
  if (picture && request.step.shape.size() == 4 && request.heads.empty() && !request.all_heads) {
    request.head = request.session.view.head < request.step_heads ? request.session.view.head : 0;
  }
  HL_ASSIGN(const std::shared_ptr<backends::Backend> backend, open_backend_or_cpu(request.session.document.backend));
  const CancelToken cancel = interrupt_token();
  RunOptions limits;
  HL_ASSIGN(limits.budget_bytes, budget_from(options.budget));
  auto waiting = std::make_unique<Waiting>("export: computing");
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(request.session.document, *backend, cancel, limits));
  waiting.reset();
  print_remarks(*trace);
  HL_TRY(check_finite_steps(*trace, request, options, cancel));
#ifdef HEADLIGHT_APP
  if (picture) return write_picture(*trace, request, options);
#endif
  return write_data(*trace, request, options, cancel);
}

std::function<int()> define_export(Arguments& arguments) {
  auto o = std::make_shared<ExportOptions>(arguments);
  arguments.option(
      "--what", o->what,
      "The step: weights, scores, masked_scores, q, input, layer.2.weights, decoder.cross.weights, … (headlight trace "
      "--shapes lists them); report: everything on the pages of a PDF; or a picture of a view, of one token: " +
          view_picture_names() +
          "; parameters.layer.0.wq: a matrix of the model (trace --shapes --weights lists them); rollout: the "
          "share of each token after all layers, or up to --layer (Abnar & Zuidema 2020), also of --in");
  arguments.option(
      "--in", o->in,
      "Instead of a step, an array of your own: an .npz (sdpa writes such files), .npy, .safetensors or .json, [row, column] "
      "behind up to three axes: layer, sentence, head; with the file's own tokens");
  arguments.option("--array", o->array, "Of --in: its name [the only one, else weights]").type("NAME");
  arguments
      .option("--labels", o->labels,
              "Of --in: a text file with a token a line, for rows and columns; given twice, for rows and for columns")
      .one_value_each()
      .type("FILE");
  arguments.option("--layer", o->layer, "The layer, from 0 [the session's, else 0; a grid: all]").type("N");
  arguments
      .option(
          "--head", o->head,
          "The head, from 0, several as 0,2,5, or all; mean or max: of all heads, cell by cell [pictures: the session's, else "
          "0; data: the whole array]")
      .type("N|all|mean|max");
  arguments.option("--sentence", o->sentence, "Which of several texts, from 0 [the session's, else 0]").type("N");
  arguments.option("--token", o->token, "Of a view's picture: the token, from 0 [the session's, else the view's own choice]")
      .type("N");
  arguments
      .option("--word", o->word, "Of context and its parts: the word, as it stands in every --text [the session's, else mole]")
      .type("W");
  arguments.option("--probe", o->probes, "Of context and its parts: a word to compare it with; may be given several times")
      .type("P")
      .one_value_each();
  add_asked_words(arguments, o->asked, "Of why and its parts: ");
  arguments
      .option("--view", o->view,
              "heatmap: a coloured cell for each query and key; dots: their area is the weight; arcs: between two columns of "
              "tokens; grid: all heads of all layers (of one with --layer) [heatmap; with --head all: grid]")
      .one_of({"heatmap", "dots", "arcs", "grid"});
  arguments
      .option("--range", o->range,
              "How weights are coloured and sized: fixed (0 to 1), own (to the largest), row (each query by its largest) or log "
              "[the session's, else fixed]")
      .one_of({"fixed", "own", "row", "log"});
  arguments
      .option(
          "--out", o->out,
          "The file; its ending says the kind: .png .svg .pdf (pictures that `headlight open` opens again), .html (a page with "
          "all heads for any browser), .csv .npy .npz (data)")
      .required();
  arguments.flag("--with-document", o->with_document,
                 "CSV: a first line '# headlight-document:…' from which --session and `headlight open` read it again");
  arguments.flag(
      "--words-together", o->words_together,
      "Of weights and of a rollout: the pieces of a word as one, the sum of the weights to them, the mean of those from "
      "them; of --in where --labels mark words with Ġ, ▁ or ##");
  arguments.flag("--strict", o->strict, "NaN or infinity in what is exported is an error, and nothing is written");
  arguments
      .option("--lesson", o->lesson,
              "A lesson's id or file: its steps with their live numbers and pictures, as a page, .html or .pdf")
      .type("NAME");
  arguments.option("--language", o->language, "Of a page: en, zh, or another that the window speaks [en]").type("ID");
  arguments
      .option("--page-numbers", o->numbers,
              "Of a page: how its weights are kept, float16 or bytes (8 bits) [float16; bytes of more than six million]")
      .one_of({"float16", "bytes"});
  add_budget_option(arguments, o->budget);
  arguments.option("--colormap", o->colormap, "viridis, magma, cividis or signed [viridis for weights, signed for the rest]")
      .one_of({"viridis", "magma", "cividis", "signed"});
  return [o] {
    const Status status = export_it(*o);
    return status.ok() ? kDone : fail("export", status.error());
  };
}

}  // namespace

Entry export_command() { return {"export", "One step as a figure or as data", "", "S5, S6, S18", define_export}; }

}  // namespace headlight::cli
