#include "app/cli/array_picture.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/figure_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/remarks.h"
#include "app/files/data_file.h"
#include "engine/arrays/array_file.h"
#include "engine/arrays/reading.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "engine/core/text_file.h"
#include "engine/insight/rollout.h"
#include "engine/insight/word_groups.h"
#include "engine/insight/word_joins.h"
#include "engine/pipeline/run.h"
#ifdef HEADLIGHT_APP
#include "app/export/arrange.h"
#include "app/export/array_figure.h"
#include "app/export/attention_figure.h"
#include "app/export/figure_file.h"
#include "app/figures/attention/word_axes.h"
#endif

namespace headlight::cli {

// A label a line; the last line may end without a line end.
Result<std::vector<std::string>> read_labels(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 64 << 20;
  HL_ASSIGN(const std::string text, read_text_file(path, kMostBytes));
  std::vector<std::string> lines = lines_of_text(text);
  if (lines.empty()) return usage_error("the file of labels is empty").at(path).mend("write a label a line");
  return lines;
}

namespace {

// The array to draw, and what it is called.
struct Found {
  std::string name;
  Tensor values;
  arrays::TokenLists tokens = {};  // the file's own, if it has some: of each sentence
  // Of one sentence; empty: there are none.
  std::vector<std::string> queries(std::int64_t sentence) const { return list(tokens.queries, sentence); }
  std::vector<std::string> keys(std::int64_t sentence) const {
    return list(tokens.keys.empty() ? tokens.queries : tokens.keys, sentence);
  }

 private:
  static std::vector<std::string> list(const std::vector<std::vector<std::string>>& all, std::int64_t sentence) {
    return sentence < 0 || sentence >= static_cast<std::int64_t>(all.size()) ? std::vector<std::string>{}
                                                                             : all[static_cast<std::size_t>(sentence)];
  }
};
// The content decides, not the name: an .npz may end with anything.
bool begins_with(const std::filesystem::path& in, std::string_view start) {
  std::ifstream file(in, std::ios::binary);
  std::string bytes(start.size(), '\0');
  return file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) && bytes == start;
}
bool begins_as_npy(const std::filesystem::path& in) { return begins_with(in, "\x93NUMPY"); }
bool begins_as_zip(const std::filesystem::path& in) { return begins_with(in, "PK"); }
// The array of this name; without one the only array, else "weights".
Result<const arrays::Array*> array_named(const arrays::File& file, const std::string& wanted) {
  const std::string name = !wanted.empty() ? wanted : file.arrays.size() == 1 ? file.arrays.front().name : "weights";
  std::string known;
  for (const arrays::Array& array : file.arrays) {
    if (array.name == name) return &array;
    known += (known.empty() ? "" : ", ") + array.name;
  }
  return not_found("there is no array '{}'", name)
      .at(file.where)
      .mend(known.empty() ? Message("it holds no array of numbers") : Message("it holds {}", known));
}
// A .safetensors or .json file; what else it may be, the error says.
Result<Found> read_other(const std::filesystem::path& in, const std::string& wanted) {
  const auto opened = arrays::open(in);
  if (!opened) {
    // Of a file that only looks like JSON the other reader knows more.
    const bool meant = in.extension() == ".json" || in.extension() == ".safetensors";
    const auto npz = read_arrays(in.string());
    return meant || npz ? opened.error() : npz.error();
  }
  HL_ASSIGN(const std::shared_ptr<const arrays::File> file, opened);
  HL_ASSIGN(const arrays::Array* const array, array_named(*file, wanted));
  HL_ASSIGN(Tensor values, arrays::whole(*array));
  return Found{array->name, std::move(values), arrays::guessed_tokens(*file)};
}

Result<Found> read_array(const std::filesystem::path& in, const std::string& wanted) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
  if (begins_as_npy(in)) {
    if (!wanted.empty()) return usage_error("a .npy holds one array").at("--array").mend("leave it out");
    HL_ASSIGN(const std::string bytes, read_file(in, kMostBytes));
    HL_ASSIGN(Tensor values, read_npy(bytes, in.string()));
    return Found{in.stem().string(), std::move(values)};
  }
  if (!begins_as_zip(in)) return read_other(in, wanted);
  HL_ASSIGN(const ArrayFile file, read_arrays(in.string()));
  const std::string name = !wanted.empty() ? wanted : file.arrays.size() == 1 ? file.arrays.front().first : "weights";
  HL_ASSIGN(Tensor values, file.get(name));
  Found found{name, std::move(values)};
  if (std::any_of(file.stored.begin(), file.stored.end(), [](const StoredArray& one) { return one.is_text; }))
    if (const auto opened = arrays::open(in)) found.tokens = arrays::guessed_tokens(**opened);
  return found;
}

// Of rows and of columns: one file is for both, or for that one of them that has as many; without a file, the tokens beside the
// array.
Result<std::pair<std::vector<std::string>, std::vector<std::string>>> labels_of(const ArrayPicture& picture, const Found& found,
                                                                                const Tensor& values) {
  if (picture.labels.size() > 2)
    return usage_error("there are {} files of labels", picture.labels.size())
        .at("--labels")
        .mend("give one for rows and columns, or two");
  std::pair<std::vector<std::string>, std::vector<std::string>> both;
  if (values.rank() < 2) return both;
  if (picture.labels.empty()) {
    const auto fits = [&](const std::vector<std::string>& list, int axis) {
      return static_cast<std::int64_t>(list.size()) == values.dim(axis) ? list : std::vector<std::string>{};
    };
    const std::int64_t sentence = picture.sentence.value_or(0);
    return std::pair(fits(found.queries(sentence), -2), fits(found.keys(sentence), -1));
  }
  HL_ASSIGN(both.first, read_labels(picture.labels.front()));
  if (picture.labels.size() == 2) {
    HL_ASSIGN(both.second, read_labels(picture.labels.back()));
    return both;
  }
  const auto count = static_cast<std::int64_t>(both.first.size());
  const std::int64_t rows = values.dim(values.rank() - 2), columns = values.dim(values.rank() - 1);
  if (columns == count) both.second = both.first;
  if (rows != count && columns == count) both.first.clear();
  return both;
}

// What the options choose of an array.
struct Chosen {
  std::string name, title, shape;  // shape: of the whole array, in words
  Tensor values;
  Axes axes;
};

// Takes one index of an axis, which the title then names.
Status take(Chosen& chosen, const std::string& axis, std::int64_t index) {
  const auto at = std::find(chosen.axes.begin(), chosen.axes.end(), axis) - chosen.axes.begin();
  const Message option("--" + axis);
  if (at == static_cast<std::ptrdiff_t>(chosen.axes.size()))
    return usage_error("'{}' is {}, without an axis of that name", chosen.name, chosen.shape).at(option).mend("leave it out");
  const std::int64_t size = chosen.values.dim(static_cast<int>(at));
  if (index < 0 || index >= size)
    return usage_error("there is no {} {} in '{}', which is {}", axis, index, chosen.name, chosen.shape)
        .at(option)
        .mend(size == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", size - 1));
  chosen.values = chosen.values.select(static_cast<int>(at), index);
  chosen.axes.erase(chosen.axes.begin() + at);
  if (size > 1) chosen.title += ", " + axis + " " + std::to_string(index);
  return {};
}

bool has_axis(const Chosen& chosen, const std::string& axis) {
  return std::find(chosen.axes.begin(), chosen.axes.end(), axis) != chosen.axes.end();
}

// The array with its axes' names. The first of four is layers if --layer is given or a rollout is asked for, else sentences.
Chosen with_axes(const ArrayPicture& picture, const Found& found) {
  Tensor values = found.values;
  while (values.rank() > 5 && values.dim(0) == 1) values = values.select(0, 0);
  Axes axes{"layer", "sentence", "head", "row", "column"};
  if (values.rank() == 4) axes.erase(axes.begin() + (picture.layer || picture.rollout ? 1 : 0));
  while (static_cast<int>(axes.size()) > values.rank()) axes.erase(axes.begin());
  while (static_cast<int>(axes.size()) < values.rank())
    axes.insert(axes.begin(), "axis " + std::to_string(values.rank() - static_cast<int>(axes.size()) - 1));
  return {found.name, found.name, to_string(found.values.shape()), values, axes};
}

Status roll_out(const ArrayPicture& picture, Chosen& chosen) {
  const bool grid = picture.view == "grid";
  if (grid || !picture.heads.empty() || picture.all_heads || picture.heads_as != HeadsAs::one)
    return usage_error("a rollout is of all heads together").at(Message::name(grid ? "--view" : "--head")).mend("leave it out");
  if (!has_axis(chosen, "layer"))
    return usage_error("a rollout goes over layers, and '{}' is {}", chosen.name, chosen.shape)
        .at("--what")
        .mend("give [layer, head, query, key] or [layer, sentence, head, query, key]");
  if (picture.layer) {
    Chosen checked = chosen;
    HL_TRY(take(checked, "layer", *picture.layer));
    chosen.values = chosen.values.slice(0, 0, *picture.layer + 1);
  }
  const std::int64_t layers = chosen.values.dim(0);
  chosen.title = layers == 1 ? "rollout of layer 0" : "rollout, layers 0 to " + std::to_string(layers - 1);
  if (picture.sentence || has_axis(chosen, "sentence")) HL_TRY(take(chosen, "sentence", picture.sentence.value_or(0)));
  HL_ASSIGN(chosen.values, attention_rollout(chosen.values, interrupt_token()));
  chosen.name = "rollout";
  chosen.axes = {"query", "key"};
  return {};
}

// Data keep the axes that no option chooses; a picture is of one layer and sentence, and a grid of one sentence.
Result<Chosen> choose(const ArrayPicture& picture, const Found& found) {
  Chosen chosen = with_axes(picture, found);
  if (picture.rollout) {
    HL_TRY(roll_out(picture, chosen));
    return chosen;
  }
  const bool drawn = is_picture(picture.out), grid = drawn && picture.view == "grid";
  if (picture.layer) HL_TRY(take(chosen, "layer", *picture.layer));
  if (picture.sentence) HL_TRY(take(chosen, "sentence", *picture.sentence));
  if (drawn && !grid && has_axis(chosen, "layer")) HL_TRY(take(chosen, "layer", 0));
  // A grid of four axes shows the first one, whatever it is.
  if (drawn && has_axis(chosen, "sentence") && (!grid || has_axis(chosen, "layer"))) HL_TRY(take(chosen, "sentence", 0));
  const auto head = std::find(chosen.axes.begin(), chosen.axes.end(), "head");
  const auto axis = static_cast<int>(head - chosen.axes.begin());
  if (picture.heads_as != HeadsAs::one) {
    if (head == chosen.axes.end())
      return usage_error("'{}' is {}, without heads", chosen.name, chosen.shape).at("--head").mend("leave it out");
    chosen.title += ", " + words_of(picture.heads_as, chosen.values.dim(axis), 0);
    chosen.values = axis_together(picture.heads_as, chosen.values, axis);
    if (grid) {  // its columns are heads
      Shape shape = chosen.values.shape();
      shape.insert(shape.begin() + axis, 1);
      chosen.values = chosen.values.compact().reshaped(shape);
    } else {
      chosen.axes.erase(head);
    }
  } else if (!drawn && !picture.heads.empty()) {
    if (picture.heads.size() > 1)
      return usage_error("data is of one head or of all").at("--head").mend("give one number, mean, max, or all");
    HL_TRY(take(chosen, "head", picture.heads.front()));
  }
  return chosen;
}

// The words of an axis's pieces, without their marks; without labels every row or column stands alone.
WordGroups words_of(const std::vector<std::string>& labels, std::int64_t size) {
  if (static_cast<std::int64_t>(labels.size()) != size)
    return word_groups(std::vector<bool>(static_cast<std::size_t>(size), false), {});
  std::vector<std::string> bare;
  for (const std::string& label : labels) bare.push_back(without_word_mark(label));
  return word_groups(joins_by_marks(labels), bare);
}

// Takes the pieces of each word together, in every matrix of the array.
Status join_words(Chosen& chosen, std::pair<std::vector<std::string>, std::vector<std::string>>& labels) {
  const Tensor all = chosen.values.compact();
  const int rank = all.rank();
  if (rank < 2) return {};
  const std::int64_t rows = all.dim(rank - 2), columns = all.dim(rank - 1);
  const WordAxes words{words_of(labels.first, rows), words_of(labels.second, columns)};
  if (!words.joins())
    return usage_error("no label says which pieces are of one word")
        .at("--words-together")
        .mend("give --labels, or tokens in the file, with the marks Ġ, ▁ or ##");
  const Tensor wide = all.as(DType::f64).compact();
  if (std::any_of(wide.data<double>(), wide.data<double>() + wide.count(), [](double w) { return w < 0; }))
    return usage_error("the pieces of a word are taken together in weights, and '{}' has numbers below 0", chosen.name)
        .at("--words-together")
        .mend("leave it out");
  Shape shape = all.shape();
  shape[static_cast<std::size_t>(rank - 2)] = words.rows.size();
  shape[static_cast<std::size_t>(rank - 1)] = words.columns.size();
  const std::int64_t matrices = all.count() / std::max<std::int64_t>(1, rows * columns);
  AttentionSite site;  // without a mask
  chosen.values = words_of_heads(all.reshaped({matrices, rows, columns}), site, 0, words).reshaped(shape);
  labels = {labels.first.empty() ? labels.first : words.rows.labels(),
            labels.second.empty() ? labels.second : words.columns.labels()};
  return {};
}

// Rows and columns of the data have the labels.
Status write_data(const ArrayPicture& picture, const Chosen& chosen,
                  const std::pair<std::vector<std::string>, std::vector<std::string>>& labels) {
  DataTable table;
  table.name = chosen.name;
  table.values = chosen.values.compact();
  table.axes = chosen.axes;
  const std::size_t rank = table.axes.size();
  table.labels.resize(rank);
  for (const auto& [from_end, list] : {std::pair(std::size_t{2}, &labels.first), {std::size_t{1}, &labels.second}})
    if (rank >= from_end && static_cast<std::int64_t>(list->size()) == table.values.dim(-static_cast<int>(from_end)))
      table.labels[rank - from_end] = *list;
  return save_data(picture.out, table, {});
}

#ifdef HEADLIGHT_APP
Status draw(const ArrayPicture& picture, const Tensor& values, const figures::ArrayView& array, const std::string& document) {
  HL_ASSIGN(const figures::Theme* chosen, figures::themes().get(picture.theme));
  HL_ASSIGN(const figures::Theme theme, figures::theme_on(*chosen, picture.style.background));
  figures::Arrangement room{900, 820};
  figures::MakeFigure make;
  if (picture.view == "grid") {
    room = {1000, 1000};
    HL_ASSIGN(figures::GridInput input, figures::array_grid(values, array));
    input.ordered = picture.heads_as != HeadsAs::one;  // there is no axis of heads
    for (std::int64_t i = 0; i < input.layers && input.ordered; ++i) {
      input.order.push_back(i);
      input.names.push_back(values.rank() == 4 ? array.first_axis + " " + std::to_string(i) : "");
    }
    make = [input](const figures::MakeInput& in) {
      return figures::grid_figure(input, in.matrix, in.width, in.height, in.theme, in.measure);
    };
  } else {
    figures::ArrayView one = array;
    if (picture.all_heads && values.rank() >= 3)
      for (std::int64_t head = 0; head < values.dim(values.rank() - 3); ++head) one.heads.push_back(head);
    HL_ASSIGN(const std::vector<figures::HeatmapInput> inputs, figures::array_inputs(values, one));
    figures::AttentionView view;
    view.kind = picture.view;
    view.heads = one.heads.empty() ? std::vector<std::int64_t>{0} : one.heads;
    view.step.transposed = array.transposed;
    if (picture.heads_as != HeadsAs::one || picture.rollout) view.combined = array.title;
    view.range = picture.range.empty() ? "fixed" : picture.range;
    figures::MatrixNature nature = figures::nature_of(values, array);
    // Numbers from 0 on that go beyond 1, and those that are coloured as they are: the array's own range.
    if (nature.kind == figures::MatrixNature::weights && picture.range.empty() &&
        (inputs.front().high > 1 || inputs.front().unit != 1))
      view.range = "own";
    if (picture.view == "heatmap" && picture.range.empty()) nature.kind = figures::MatrixNature::numbers;
    if (!picture.range.empty() && nature.kind == figures::MatrixNature::numbers)
      return usage_error("'{}' holds numbers below 0, and these are ranges of weights", array.name)
          .at("--range")
          .mend("use --limits");
    make = [inputs, view, nature](const figures::MakeInput& in) {
      figures::AttentionView sized = view;
      sized.width = in.width;
      sized.height = in.height;
      sized.choices = in.matrix;
      return figures::matrix_figure(inputs, nature, sized, in.theme, in.measure);
    };
  }
  figures::FileOptions file;
  file.dpi = picture.dpi;
  file.document = document;
  file.unit = figures::unit_of(picture.style);
  if (figures::file_kind(picture.out) == figures::FileKind::png) room.dpi = file.dpi;
  room.advises = true;
  HL_ASSIGN(const figures::Figure figure, figures::arranged(make, picture.style, room, theme));
  print_remarks(figure);
  if (interrupt_token().cancelled()) return cancelled();
  return figures::save_figure(picture.out, figure, theme, file);
}

figures::ArrayView array_view(const ArrayPicture& picture, const std::string& name) {
  figures::ArrayView view;
  view.name = name;
  view.heads = picture.heads;
  view.colormap = picture.colormap;
  view.transposed = picture.style.transposed;
  return view;
}
#endif

}  // namespace

Result<PageArrays> read_page_arrays(const std::filesystem::path& in, const std::string& wanted) {
  const auto opened = arrays::open(in);
  if (!opened) {
    const auto found = read_array(in, wanted);  // which knows more of what a file is
    return found ? opened.error() : found.error();
  }
  const arrays::File& file = **opened;
  PageArrays read;
  read.tokens = arrays::guessed_tokens(file);
  if (const arrays::Texts* model = file.text("model"); model && model->lists.size() == 1 && model->lists.front().size() == 1)
    read.model = model->lists.front().front();
  const auto take = [&](arrays::Array array) -> Status {
    if (array.element == arrays::Element::u16) array.element = arrays::Element::bf16;
    HL_ASSIGN(Tensor values, arrays::whole(array));
    read.arrays.emplace_back(array.name, std::move(values));
    return {};
  };
  for (const char* part : {"encoder", "decoder", "cross"})
    for (const char* ending : {"", "_attentions", "_attention"})
      for (const arrays::Array& array : file.arrays)
        if (wanted.empty() && array.name == std::string(part) + ending) HL_TRY(take(array));
  if (!read.arrays.empty()) return read;
  HL_ASSIGN(const arrays::Array* const array, array_named(file, wanted));
  HL_TRY(take(*array));
  return read;
}

Status write_array(const ArrayPicture& picture, const std::filesystem::path& in, const std::string& name) {
  HL_ASSIGN(const Found found, read_array(in, name));
  NotFinite not_finite;
  not_finite.look(found.name, found.values, {"layer", "sentence", "head", "row", "column"}, true);
  HL_ASSIGN(Chosen chosen, choose(picture, found));
  HL_ASSIGN(auto labels, labels_of(picture, found, chosen.values));
  if (picture.words) HL_TRY(join_words(chosen, labels));
  HL_TRY(not_finite.check(in.string(), picture.strict));
  not_finite.say("export", in.string());
  if (!is_picture(picture.out)) return write_data(picture, chosen, labels);
#ifdef HEADLIGHT_APP
  figures::ArrayView view = array_view(picture, chosen.name);
  view.title = chosen.title;
  if (chosen.axes.size() == 4) view.first_axis = chosen.axes.front();
  view.row_labels = labels.first;
  view.column_labels = labels.second;
  if (picture.words) {
    view.row_axis = figures::query_words_axis(false);
    view.column_axis = figures::key_words_axis();
  } else if (chosen.name == "weights" || picture.rollout) {  // as sdpa writes them
    view.row_axis = "query (attends)";
    view.column_axis = "key (is attended to)";
  }
  return draw(picture, chosen.values, view, {});
#else
  return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no pictures")
      .at(picture.out.string())
      .mend("build with HEADLIGHT_APP=ON, or write .csv, .npy or .npz");
#endif
}

Status write_parameter(const ArrayPicture& picture, const Session& session, const std::string& name) {
  HL_ASSIGN(const auto backend, open_backend_or_cpu(session.document.backend));
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(session.document, *backend, interrupt_token()));
  const auto all = trace->parameters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedParameter& p) { return p.name == name; });
  if (found == all.end())
    return not_found("there is no matrix '{}'", name)
        .at("--what")
        .mend("see `headlight trace --shapes --weights` for their names");
  if (picture.words) return usage_error("'{}' holds no weights between words", name).at("--words-together").mend("leave it out");
  const bool placed = picture.layer || picture.sentence;
  if (placed || !picture.heads.empty() || picture.all_heads || picture.heads_as != HeadsAs::one || picture.view == "grid")
    return usage_error("'{}' is one matrix", name).at(Message::name(placed ? "--layer" : "--head")).mend("leave it out");
  HL_ASSIGN(Tensor values, trace->values(name, interrupt_token()));
  NotFinite not_finite;
  not_finite.look_at_step(*trace, name, values);
  HL_TRY(not_finite.check(picture.out.string(), picture.strict));
  not_finite.say("export", {});
  if (!is_picture(picture.out)) {
    DataTable table;
    table.name = name;
    table.values = values;
    table.axes = found->axes;
    return save_data(picture.out, table, to_json(session));
  }
#ifdef HEADLIGHT_APP
  Axes axes = found->axes;
  if (values.rank() == 1) {
    values = values.compact().reshaped({1, values.dim(0)});
    axes.insert(axes.begin(), "");
  }
  figures::ArrayView view = array_view(picture, name.substr(name.find('.') + 1));
  view.row_axis = axes.empty() ? "" : axes.front();
  view.column_axis = axes.size() < 2 ? "" : axes[1];
  if (view.colormap.empty()) view.colormap = "signed";
  if (found->origin == Origin::random) view.note = "random weights, seed " + std::to_string(session.document.seed);
  return draw(picture, values, view, to_json(session));
#else
  return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no pictures")
      .at(picture.out.string())
      .mend("build with HEADLIGHT_APP=ON, or write .csv, .npy or .npz");
#endif
}

}  // namespace headlight::cli
