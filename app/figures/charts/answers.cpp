#include "app/figures/charts/answers.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"

namespace headlight::figures {
namespace {

constexpr float kLine = 24, kBars = 28, kMostAnswerBar = 44, kLeastAnswerBar = 24;

}  // namespace

Figure answers(const AnswersInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  float y = 0;
  if (!input.title.empty()) {
    pen.text(0, 12, input.title, 17, Font::words_bold, theme.text, Align::start, width);
    y = 30;
  }
  const auto count = static_cast<float>(input.places.size());
  const float pitch = std::clamp(width / std::max(count, 1.0f), kLeastAnswerBar, kMostAnswerBar);
  const auto a_row = static_cast<std::size_t>(std::max(1.0f, std::floor(width / pitch)));
  std::vector<float> shares;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < input.places.size(); ++i) {
    const AnswersInput::Place& place = input.places[i];
    const std::size_t row = i / a_row;
    const float x = static_cast<float>(i % a_row) * pitch, middle = x + pitch / 2;
    const float top = y + static_cast<float>(row) * (2 * kLine + kBars + 12);
    const Color color = place.is_right ? theme.good : theme.wrong;
    pen.text(middle, top + kLine / 2, place.right, 13, Font::mono, theme.secondary, Align::middle, pitch - 2);
    pen.box({x + 1, top + kLine, pitch - 2, kLine - 2}, with_alpha(color, 0.14f), color, 1, 4);
    pen.text(middle, top + 1.5f * kLine - 1, place.answer, 13, Font::mono, theme.text, Align::middle, pitch - 4,
             {Tag::none, 0, 0, Part::predicted});
    const auto share = static_cast<float>(std::clamp(place.probability, 0.0, 1.0));
    pen.box({x + 1, top + 2 * kLine + 4, pitch - 2, kBars}, theme.raised);
    pen.box({x + 1, top + 2 * kLine + 4 + (1 - share) * kBars, pitch - 2, std::max(1.0f, share * kBars)}, color);
    shares.push_back(share);
    labels.push_back(place.right);
  }
  const std::size_t rows = (input.places.size() + a_row - 1) / a_row;
  figure.height = y + static_cast<float>(std::max<std::size_t>(1, rows)) * (2 * kLine + kBars + 12);
  if (!shares.empty()) {
    const auto n = static_cast<std::int64_t>(shares.size());
    figure.data.push_back({"probability_of_the_right_token", Tensor::of(shares, {n}), {"position"}, {labels}});
  }
  return figure;
}

}  // namespace headlight::figures
