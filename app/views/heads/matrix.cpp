#include <string>
#include <vector>

#include "app/export/attention_figure.h"
#include "app/views/base/attention_choice.h"
#include "app/views/heads/parts.h"

namespace headlight::views::heads {
namespace {

// The shown heads, if they are of the layer `choice` names; none: they are of several.
std::vector<std::int64_t> heads_of(const ViewState& view, const AttentionChoice& choice) {
  std::vector<std::int64_t> heads;
  for (const HeadRef& head : view.chosen_heads) {
    if (head.layer != choice.site->layer) return {};
    heads.push_back(head.head);
  }
  if (heads.empty()) heads.push_back(choice.head);
  return heads;
}

}  // namespace

figures::MakeFigure matrix_of(const Context& context, const FigureStyle& style, const std::string& title) {
  const ViewState& view = context.view;
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return {};
  figures::AttentionView attention;
  attention.kind = own(view).picture;
  attention.heads = heads_of(view, choice);
  const bool several = attention.heads.size() > 1;
  // A mean, a rollout, and heads laid over each other in one heatmap are no step of the trace.
  const bool of_steps = own(view).together != "rollout" && (!several || own(view).together == "side" ||
                                                            (own(view).together == "overlay" && attention.kind != "heatmap"));
  const Role role = attention.kind == "arcs" ? Role::weights : shown_role(view);
  const std::string step = context.trace->name_at(choice.prefix(), role);
  if ((attention.kind != "heatmap" && attention.kind != "dots" && attention.kind != "arcs") || attention.heads.empty() ||
      !of_steps || step.empty())
    return {};
  attention.step.batch = choice.batch;
  attention.step.transposed = view.transposed != style.transposed;
  attention.step.words = view.words_together;
  if (role == Role::weights) attention.step.colormap = view.colormap == "signed" ? "viridis" : view.colormap;
  attention.title = title;
  attention.range = view.range;
  attention.arc_share = own(view).arc_share;
  return [trace = context.trace, step, attention](const figures::MakeInput& in) {
    figures::AttentionView sized = attention;
    sized.width = in.width;
    sized.height = in.height;
    sized.choices = in.matrix;
    return figures::attention_figure(*trace, step, sized, in.theme, in.measure);
  };
}

}  // namespace headlight::views::heads
