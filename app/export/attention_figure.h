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
  StepView step;                    // its head is not read
  std::string range = "fixed";      // how weights are coloured: fixed, own, row, log
  double arc_share = 0;             // as in choose_arcs()
  float width = 900, height = 820;  // the largest size, in points
  std::string title;                // in place of the step's, of one picture; empty: the step's
  MatrixChoices choices;
};

// What a matrix holds: weights from 0 on, or numbers of any sign.
struct MatrixNature {
  enum Kind { weights, numbers } kind = weights;
  std::string words;  // what one number is, where sizes show it: "score q·k"
};

// Heatmaps, dots or arcs of matrices between the same rows and columns, one for each of view.heads. Errors (usage): arcs of
// numbers; a token that is not there; limits that sizes cannot have.
Result<Figure> matrix_figure(std::vector<HeatmapInput> inputs, const MatrixNature& nature, const AttentionView& view,
                             const Theme& theme, const TextMeasure& measure);

// The thumbnails of all heads. Errors as above.
Result<Figure> grid_figure(GridInput input, const MatrixChoices& choices, float width, float height, const Theme& theme,
                           const TextMeasure& measure);

// Errors: those of step_input(); dots and arcs for a step that is not a matrix of heads; arcs for anything but weights.
Result<Figure> attention_figure(const Trace& trace, const std::string& step, const AttentionView& view, const Theme& theme,
                                const TextMeasure& measure);

}  // namespace headlight::figures
