#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/charts/curves.h"
#include "app/text/language.h"
#include "app/views/context/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kProbeBarsSmall = 13, kProbeBarsTick = 12, kProbeBarsHead = 24, kProbeBarsFoot = 20, kProbeBarsLeft = 34,
                kProbeBarsGap = 18;

struct ProbeScale {
  double low = 0, high = 0.1;
  float top = 0, high_px = 1;
  float y(double v) const { return top + high_px * static_cast<float>((high - v) / (high - low)); }
};

ProbeScale probe_scale(const ProbesInput& input, float height) {
  ProbeScale scale;
  for (const auto& probe : input.probes)
    for (const auto& layer : probe.cosine)
      for (const double v : layer)
        if (std::isfinite(v)) {
          scale.low = std::min(scale.low, v);
          scale.high = std::max(scale.high, v);
        }
  const double room = (scale.high - scale.low) * 0.06;
  scale.high += room;
  if (scale.low < 0) scale.low -= room;
  scale.top = kProbeBarsHead;
  scale.high_px = std::max(12.0f, height - kProbeBarsHead - kProbeBarsFoot);
  return scale;
}

void draw_probe(const ProbesInput& input, const ProbesInput::Probe& probe, const ProbeScale& scale, float x, float wide,
                const Composer& pen) {
  const Theme& theme = pen.theme;
  const std::string name = probe.unknown ? fill(tr("{}: not in the vocabulary"), {probe.word}) : probe.word;
  pen.text(x, 9, name, 14, Font::words, probe.unknown ? theme.secondary : theme.text, Align::start, wide);
  const std::size_t layers = probe.cosine.size();
  if (layers == 0) return;
  const float each = wide / static_cast<float>(layers);
  const auto count = static_cast<std::int64_t>(layers);
  const std::vector<std::int64_t> named =
      ticks(0, count, each, pen.measure.width("00", kProbeBarsTick, Font::mono) + 2, input.layer);
  for (std::size_t n = 0; n < layers; ++n) {
    const auto layer = static_cast<std::int64_t>(n);
    const bool current = layer == input.layer;
    const float left = x + each * static_cast<float>(n);
    pen.box({left, kProbeBarsHead - 4, each, scale.high_px + kProbeBarsFoot + 2},
            current ? with_alpha(theme.selected, 0.14f) : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, {Tag::column, layer, 0});
    const std::size_t bars = probe.cosine[n].size();
    const float between = std::min(4.0f, 0.25f * each);  // two layers' bars; of many layers each has a few pixels
    const float bar = std::min(10.0f, (each - between) / static_cast<float>(std::max<std::size_t>(1, bars)));
    const float first = left + (each - bar * static_cast<float>(bars)) / 2;
    for (std::size_t s = 0; s < bars; ++s) {
      const double v = probe.cosine[n][s];
      if (const NonFinite kind = non_finite(v); kind != NonFinite::none) {
        pen.figure.add(gap_mark(kind, {first + bar * static_cast<float>(s), scale.top, std::max(1.0f, bar - 1), scale.high_px}));
        continue;
      }
      const float from = scale.y(std::max(0.0, v)), to = scale.y(std::min(0.0, v));
      const bool quiet = input.sentence >= 0 && static_cast<std::int64_t>(s) != input.sentence;
      pen.box({first + bar * static_cast<float>(s), from, bar > 3 ? bar - 1 : bar, std::max(1.0f, to - from)},
              with_alpha(sentence_color(typed_number(input.numbers, s), theme), quiet ? 0.7f : 1.0f), {0, 0, 0, 0}, 0, 1,
              {Tag::column, layer, 0});
    }
    if (std::find(named.begin(), named.end(), layer) != named.end())
      pen.text(left + each / 2, scale.top + scale.high_px + 11, std::to_string(n), kProbeBarsTick, Font::mono,
               current ? theme.selected : theme.secondary, Align::middle, 0, {Tag::column, layer, 0});
  }
  pen.line({x, scale.y(0)}, {x + wide, scale.y(0)}, theme.secondary, 1);
}

}  // namespace

Figure probe_bars(const ProbesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  if (input.probes.empty()) return figure;
  const ProbeScale scale = probe_scale(input, height);
  const auto count = static_cast<float>(input.probes.size());
  const std::vector<double> numbers = round_ticks(scale.low, scale.high, 4);
  float left = kProbeBarsLeft;
  for (const double v : numbers) left = std::max(left, measure.width(range_number(v), kProbeBarsTick, Font::mono) + 12);
  std::size_t last = 0;
  for (const auto& probe : input.probes) last = std::max(last, probe.cosine.size());
  // The last layer's number stands in the middle of its bars and may be wider.
  const float right = measure.width(std::to_string(last), kProbeBarsTick, Font::mono) / 2;
  const float wide = std::max(24.0f, (width - left - right - kProbeBarsGap * (count - 1)) / count);
  for (const double v : numbers) {
    pen.text(left - 8, scale.y(v), range_number(v), kProbeBarsTick, Font::mono, theme.secondary, Align::end);
    pen.line({left, scale.y(v)}, {width, scale.y(v)}, with_alpha(theme.line, 0.7f), 1);
  }
  std::vector<float> values;
  std::vector<std::string> names;
  std::int64_t layers = 0, sentences = 0;
  for (std::size_t p = 0; p < input.probes.size(); ++p) {
    const ProbesInput::Probe& probe = input.probes[p];
    draw_probe(input, probe, scale, left + static_cast<float>(p) * (wide + kProbeBarsGap), wide, pen);
    names.push_back(probe.word);
    layers = static_cast<std::int64_t>(probe.cosine.size());
    for (const auto& layer : probe.cosine) {
      sentences = static_cast<std::int64_t>(layer.size());
      for (const double v : layer) values.push_back(static_cast<float>(v));
    }
  }
  figure.data.push_back({"probes",
                         Tensor::of(values, {static_cast<std::int64_t>(names.size()), layers, sentences}),
                         {"probe", "layer", "sentence"},
                         {names, {}, {}}});
  return figure;
}

}  // namespace headlight::figures
