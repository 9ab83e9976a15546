#include <vector>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/views/next_word/pictures.h"

namespace headlight::figures {

Figure continuations(const ContinuationsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kWords = 13, kChance = 22, kBar = 8, kGap = 4;
  Figure figure = begin_picture("", width, 0, theme);
  const Composer pen{figure, theme, measure};
  const float words = measure.line_height(kWords, Font::mono) + kGap, chance = measure.line_height(kChance, Font::mono) + kGap;
  const Tag predicted{Tag::none, 0, 0, Part::predicted};
  const auto side = [&](const ContinuationsInput::One& one, float x, Align align) {
    pen.text(x, words / 2, one.words, kWords, Font::mono, theme.secondary, align, width / 2, predicted);
    pen.text(x, words + chance / 2, percent(one.chance), kChance, Font::mono, theme.text, align, width / 2);
  };
  side(input.first, 0, Align::start);
  side(input.second, width, Align::end);
  const double sum = input.first.chance + input.second.chance;
  const float y = words + chance, cut = sum > 0 ? width * static_cast<float>(input.first.chance / sum) : width / 2;
  pen.box({0, y, cut, kBar}, theme.info, {0, 0, 0, 0}, 0, 3);
  pen.box({cut, y, width - cut, kBar}, theme.hues[4], {0, 0, 0, 0}, 0, 3);
  figure.height = y + kBar + kGap;
  const std::vector<double> both{input.first.chance, input.second.chance};
  figure.data.push_back({"chance", Tensor::of(both, {2}), {"continuation"}, {{input.first.words, input.second.words}}});
  return figure;
}

}  // namespace headlight::figures
