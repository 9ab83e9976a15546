#include "app/window/offscreen/pictures.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/export/arrange.h"
#include "app/export/figure_data.h"
#include "app/export/figure_file.h"
#include "app/files/data_file.h"
#include "app/gl/figure_view.h"
#include "app/views/base/view.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::window {
namespace {

constexpr float kPictureWidth = 1000, kPictureHeight = 760;

struct Found {
  const views::View* view = nullptr;
  std::optional<views::Picture> picture;  // none: there is none of this name
};
Found find_picture(const std::string& name) {
  for (const views::View& entry : views::registry().entries())
    for (views::Picture& picture : entry.all_pictures())
      if (picture.id == name) return {&entry, std::move(picture)};
  return {};
}

// Arrays have attention alone. Error: the view reads more than that.
Status has_enough(const Trace& trace, const views::View& view, const std::string& name) {
  if (!is_of_arrays(trace.document())) return {};
  for (const Role role : view.needs) {
    const auto steps = trace.steps();
    if (std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return step.role == role; })) continue;
    if (role == Role::q || role == Role::k || role == Role::v)
      return not_found("'{}' shows q, k or v, and the arrays have none", name).mend("give an array named q, k or v");
    return not_found("'{}' shows what a model computes around its attention, and arrays are attention alone", name)
        .mend("choose a model with --model");
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> view_pictures() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const views::View& entry : views::registry().entries())
    for (const views::Picture& picture : entry.all_pictures()) all.emplace_back(picture.id, picture.label);
  return all;
}

Status write_view_picture(const cli::PictureOptions& options) {
  const Found found = find_picture(options.name);
  if (!found.picture) return not_found("there is no picture '{}'", options.name);
  if (options.trace) HL_TRY(has_enough(*options.trace, *found.view, options.name));
  HL_ASSIGN(const figures::Theme* chosen, figures::themes().get(options.session.view.theme));
  HL_ASSIGN(const figures::Theme theme, figures::theme_on(*chosen, options.style.background));
  gl::FigureView screen;  // draws nothing
  const gl::Fonts fonts;
  Derived derived;  // without a lane it computes everything at once
  views::Hover hover;
  ViewState view = options.session.view;
  views::Transient transient;
  std::optional<views::Pinned> pinned;
  if (options.session.pinned) {
    HL_ASSIGN(auto trace, run_anywhere(*options.session.pinned, {}));
    pinned = views::Pinned{*options.session.pinned, std::move(trace)};
  }
  const figures::MakeFigure make = [&](const figures::MakeInput& in) -> Result<figures::Figure> {
    views::Context context{.document = options.session.document,
                           .trace = options.trace,
                           .view = view,
                           .hover = hover,
                           .theme = in.theme,
                           .fonts = fonts,
                           .figures = screen,
                           .measure = in.measure,
                           .derived = derived,
                           .has_gl = false,
                           .transient = &transient};
    context.pinned = pinned ? &*pinned : nullptr;
    figures::Figure figure = found.picture->figure(context, in.width, in.height);
    if (figure.items.empty())
      return not_found("this model and sentence give nothing to show in '{}'", options.name)
          .at(options.out.string())
          .mend("open the view in the window: it says why");
    return figure;
  };
  figures::Arrangement room{kPictureWidth, kPictureHeight};
  room.fills = false;
  if (figures::file_kind(options.out) == figures::FileKind::png) room.dpi = options.dpi;
  HL_ASSIGN(const figures::Figure figure, figures::arranged(make, options.style, room, theme));
  for (const std::string& remark : figure.remarks) std::fprintf(stderr, "headlight: %s\n", remark.c_str());
  Session restored = options.session;
  restored.view.tab = found.view->id;
  const std::string session = to_json(restored);
  if (!data_kind(options.out))
    return figures::save_figure(options.out, figure, theme, {options.dpi, session, figures::unit_of(options.style)});
  return figures::save_tables(options.out, figures::tables_of(figure), 0, session);
}

}  // namespace headlight::window
