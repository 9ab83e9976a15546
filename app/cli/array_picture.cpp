#include "app/cli/array_picture.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/figure_options.h"
#include "app/cli/interrupt.h"
#include "app/files/data_file.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "engine/pipeline/run.h"
#ifdef HEADLIGHT_APP
#include "app/export/arrange.h"
#include "app/export/array_figure.h"
#include "app/export/attention_figure.h"
#include "app/export/figure_file.h"
#endif

namespace headlight::cli {
namespace {

// The array to draw, and what it is called.
struct Found {
  std::string name;
  Tensor values;
};
Result<Found> read_array(const std::filesystem::path& in, const std::string& wanted) {
  if (in.extension() == ".npy") {
    if (!wanted.empty()) return usage_error("a .npy holds one array").at("--array").mend("leave it out");
    HL_ASSIGN(const std::string bytes, read_file(in));
    HL_ASSIGN(Tensor values, read_npy(bytes, in.string()));
    return Found{in.stem().string(), std::move(values)};
  }
  HL_ASSIGN(const ArrayFile file, read_arrays(in.string()));
  const std::string name = !wanted.empty() ? wanted : file.arrays.size() == 1 ? file.arrays.front().first : "weights";
  HL_ASSIGN(Tensor values, file.get(name));
  return Found{name, std::move(values)};
}

// A label a line; the last line may end without a line end.
Result<std::vector<std::string>> read_labels(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 64 << 20;
  HL_ASSIGN(const std::string text, read_file(path, kMostBytes));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  if (lines.empty()) return usage_error("the file of labels is empty").at(path).mend("write a label a line");
  return lines;
}

// Of rows and of columns: one file is for both, or for that one of them that has as many.
Result<std::pair<std::vector<std::string>, std::vector<std::string>>> labels_of(const ArrayPicture& picture,
                                                                                const Tensor& values) {
  if (picture.labels.size() > 2)
    return usage_error("there are {} files of labels", picture.labels.size())
        .at("--labels")
        .mend("give one for rows and columns, or two");
  std::pair<std::vector<std::string>, std::vector<std::string>> both;
  if (picture.labels.empty() || values.rank() < 2) return both;
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

#ifdef HEADLIGHT_APP
Status draw(const ArrayPicture& picture, const Tensor& values, const figures::ArrayView& array, const std::string& document) {
  HL_ASSIGN(const figures::Theme* chosen, figures::themes().get(picture.theme));
  HL_ASSIGN(const figures::Theme theme, figures::theme_on(*chosen, picture.style.background));
  figures::Arrangement room{900, 820};
  figures::MakeFigure make;
  if (picture.view == "grid") {
    room = {1000, 1000};
    HL_ASSIGN(const figures::GridInput input, figures::array_grid(values, array));
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
    view.range = picture.range.empty() ? "fixed" : picture.range;
    figures::MatrixNature nature = figures::nature_of(values, array);
    // Numbers from 0 on that go beyond 1, and those that are coloured as they are: the array's own range.
    if (nature.kind == figures::MatrixNature::weights && picture.range.empty() && inputs.front().high > 1) view.range = "own";
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
  HL_ASSIGN(const figures::Figure figure, figures::arranged(make, picture.style, room, theme));
  if (interrupt_token().cancelled()) return cancelled();
  return figures::save_figure(picture.out, figure, theme, file);
}

figures::ArrayView array_view(const ArrayPicture& picture, const std::string& name) {
  figures::ArrayView view;
  view.name = name;
  view.first = picture.first;
  view.heads = picture.heads;
  view.colormap = picture.colormap;
  view.transposed = picture.style.transposed;
  return view;
}
#endif

}  // namespace

Status write_array_picture(const ArrayPicture& picture, const std::filesystem::path& in, const std::string& name) {
  if (!is_picture(picture.out))
    return usage_error("arrays of a file are written as pictures")
        .at(picture.out.string())
        .mend("end the name with .png, .svg or .pdf");
  HL_ASSIGN(const Found found, read_array(in, name));
  HL_ASSIGN(const auto labels, labels_of(picture, found.values));
#ifdef HEADLIGHT_APP
  figures::ArrayView view = array_view(picture, found.name);
  view.row_labels = labels.first;
  view.column_labels = labels.second;
  if (found.name == "weights") {  // as sdpa writes them
    view.row_axis = "query (attends)";
    view.column_axis = "key (is attended to)";
  }
  return draw(picture, found.values, view, {});
#else
  return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no pictures")
      .at(picture.out.string())
      .mend("build with HEADLIGHT_APP=ON");
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
  if (picture.first || !picture.heads.empty() || picture.all_heads || picture.view == "grid")
    return usage_error("'{}' is one matrix", name).at(Message::name(picture.first ? "--layer" : "--head")).mend("leave it out");
  HL_ASSIGN(Tensor values, trace->values(name, interrupt_token()));
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
