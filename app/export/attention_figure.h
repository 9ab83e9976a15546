// One or several heads of one attention step as a picture in a file: heatmaps side by side, dots or arcs in one picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/export/trace_figure.h"
#include "app/figures/attention/matrix_choices.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

struct AttentionView {
  std::string kind = "heatmap";     // heatmap, dots, arcs
  std::vector<std::int64_t> heads;  // at least one
  StepView step;                    // step.head is ignored: `heads` names the heads
  std::string range = "fixed";      // how weights are coloured: fixed, own, row, log
  double arc_share = 0;             // as in choose_arcs()
  float width = 900, height = 820;  // the largest size, in points
  std::string combined;             // what the one matrix is of, "mean of 8 heads"; empty: view.heads are heads
  std::string title;                // replaces the step's title where there is one picture; empty: the step's title
  MatrixChoices choices;
};

// Whether a matrix holds weights (0 and above) or numbers of any sign.
struct MatrixNature {
  enum Kind { weights, numbers } kind = weights;
  std::string words;  // the name of one number in the legend of sizes: "score q·k"
};

// Heatmaps, dots or arcs of matrices between the same rows and columns; `inputs` holds one matrix for each of view.heads. Errors:
// (invalid) no input; (usage) arcs of numbers, an unknown token, limits that sizes cannot show, a cell size for arcs.
// matrix_figure({input}, {MatrixNature::weights, "weight"}, {.kind = "dots", .heads = {3}}, theme, measure) gives head 3 as dots.
Result<Figure> matrix_figure(std::vector<HeatmapInput> inputs, const MatrixNature& nature, const AttentionView& view,
                             const Theme& theme, const TextMeasure& measure);

// The thumbnails of all heads. Errors (usage): an unknown token, a cell size.
// grid_figure(input, {}, 900, 820, theme, measure) gives the grid in its usual order, at most 900 x 820 points.
Result<Figure> grid_figure(GridInput input, const MatrixChoices& choices, float width, float height, const Theme& theme,
                           const TextMeasure& measure);

// The named step of a trace as one picture. Errors: those of step_input() and matrix_figure(); (usage) dots and arcs of a step
// without queries and keys.
// attention_figure(trace, "layer.0.weights", {.kind = "arcs", .heads = {0, 1}}, theme, measure) gives arcs of two heads.
Result<Figure> attention_figure(const Trace& trace, const std::string& step, const AttentionView& view, const Theme& theme,
                                const TextMeasure& measure);

}  // namespace headlight::figures
