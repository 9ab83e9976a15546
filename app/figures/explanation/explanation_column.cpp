#include "app/figures/explanation/explanation_column.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "engine/text/utf8.h"

namespace headlight::figures {
namespace {

constexpr float kPlain = 14, kQuiet = 13, kLeading = 1.45f;

// Scripts without spaces between words break between any two characters.
bool breaks_anywhere(char32_t c) { return c >= 0x2E80 && c < 0xFFF0; }

// The value of the largest magnitude in each group and its index; if there is room, all values.
struct Group {
  double value = 0;
  std::int64_t index = 0;
};
std::vector<Group> grouped(const std::vector<double>& values, float width) {
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(width / 3)), n = std::min(values.size(), most);
  std::vector<Group> out(n);
  std::vector<bool> begun(n, false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t g = i * n / values.size();
    const NonFinite kind = non_finite(static_cast<float>(values[i])), best = non_finite(static_cast<float>(out[g].value));
    if (begun[g] && (kind != best ? kind < best : !(std::abs(values[i]) > std::abs(out[g].value)))) continue;
    out[g] = {values[i], static_cast<std::int64_t>(i)};
    begun[g] = true;
  }
  return out;
}

}  // namespace

void WrittenColumn::heading(const std::string& title) {
  y_ += 10;
  const std::string shown = tr(title.c_str());
  pen_.text(0, y_ + 8, shown, kQuiet, Font::words, pen_.theme.secondary);
  const float x = pen_.measure.width(shown, kQuiet, Font::words) + 12;
  if (x < width_) pen_.line({x, y_ + 8}, {width_, y_ + 8}, pen_.theme.line);
  y_ += 24;
}

void WrittenColumn::title(const std::string& name, const std::string& value) {
  std::vector<Atom> atoms;
  split(atoms, name, Font::mono, pen_.theme.selected);
  if (!value.empty()) atoms.push_back({" ", Font::mono, pen_.theme.text, -1});
  if (!value.empty()) atoms.push_back({"= " + value, Font::mono, pen_.theme.text, -1});
  flow(atoms, 16);
}

void WrittenColumn::words(const std::string& text, float size, Font font, Color color) {
  std::vector<Atom> atoms;
  split(atoms, text, font, color);
  flow(atoms, size);
}

Color WrittenColumn::ink(const ExplainLine& line) const {
  using Tone = ExplainLine::Tone;
  const Theme& t = pen_.theme;
  return line.tone == Tone::good ? t.good : line.tone == Tone::wrong ? t.wrong : line.tone == Tone::quiet ? t.secondary : t.text;
}

int WrittenColumn::link_of(const ExplainSpan& span) {
  if (span.at.step.empty()) return -1;
  out_.links.push_back(span.at);
  return static_cast<int>(out_.links.size()) - 1;
}

// Splits text into words and spaces. In a formula, text in brackets stays in one piece: "[h, i, d]".
void WrittenColumn::split(std::vector<Atom>& atoms, std::string_view text, Font font, Color color) const {
  Atom atom{"", font, color, -1};
  bool spaces = false;
  int brackets = 0;
  const auto end = [&] {
    if (!atom.text.empty()) atoms.push_back(atom);
    atom.text.clear();
  };
  text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& point) {
    const char32_t c = point.value;
    if (font == Font::mono && (c == U'(' || c == U'[')) ++brackets;
    const bool space = c == U' ' && brackets == 0, alone = breaks_anywhere(c);
    if (font == Font::mono && (c == U')' || c == U']')) brackets = std::max(0, brackets - 1);
    if (space != spaces || alone) end();
    spaces = space;
    atom.text += text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
    if (alone) end();
  });
  end();
}

void WrittenColumn::underline(float left, float right, float y) const {
  pen_.line({left, y + 8}, {right, y + 8}, pen_.theme.line, 1);
}

// Writes atoms one after the other, on as many lines as they need.
void WrittenColumn::flow(const std::vector<Atom>& atoms, float size) {
  const float high = size * kLeading;
  float x = 0, run_x = 0;
  Atom run;
  const auto flush = [&] {
    if (!run.text.empty()) {
      const float right = run_x + pen_.measure.width(run.text, size, run.font);
      Tag tag;
      if (run.link >= 0) tag = {Tag::link, run.link, 0};
      pen_.text(run_x, y_ + high / 2, run.text, size, run.font, run.color, Align::start, 0, tag);
      if (run.link >= 0) underline(run_x, right, y_ + high / 2);
    }
    run = {};
  };
  const auto next_line = [&] {
    flush();
    y_ += high;
    x = run_x = 0;
  };
  for (const Atom& atom : atoms) {
    const bool space = atom.text.find_first_not_of(' ') == std::string::npos;
    if (space && x == 0) continue;
    float wide = pen_.measure.width(atom.text, size, atom.font);
    if (x > 0 && x + wide > width_ + 0.5f) {
      next_line();
      if (space) continue;
    }
    std::vector<std::string> pieces{atom.text};
    if (wide > width_) pieces = wrap(atom.text, width_, size, atom.font, pen_.measure);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (p) next_line();
      if (run.text.empty() || run.link != atom.link || run.link >= 0 || run.font != atom.font || !(run.color == atom.color)) {
        flush();
        run = {"", atom.font, atom.color, atom.link};
        run_x = x;
      }
      run.text += pieces[p];
      wide = pen_.measure.width(pieces[p], size, atom.font);
      x += wide;
    }
  }
  flush();
  y_ += high;
}

void WrittenColumn::line(const ExplainLine& line) {
  using Tone = ExplainLine::Tone;
  const Color color = ink(line);
  const float size = line.tone == Tone::quiet ? kQuiet : kPlain;
  std::vector<Atom> atoms;
  const auto put = [&](const ExplainSpan& span) {
    if (const int link = link_of(span); link >= 0)
      atoms.push_back({span.text, Font::mono, color, link});
    else
      split(atoms, span.text, Font::mono, color);
  };
  if (line.words.empty()) {
    if (line.spans.empty()) split(atoms, line.text, Font::mono, color);
    for (const ExplainSpan& span : line.spans) put(span);
  } else {
    // A translation has its own order of places: {} in turn, or {0}, {1}.
    const std::string_view words = tr(line.words.c_str());
    std::size_t from = 0, next = 0;
    for (std::size_t hole; (hole = words.find('{', from)) != std::string_view::npos;) {
      const std::size_t close = words.find('}', hole);
      if (close == std::string_view::npos) break;
      split(atoms, words.substr(from, hole - from), Font::words, color);
      const std::size_t which = close == hole + 1 ? next++ : static_cast<std::size_t>(words[hole + 1] - '0');
      if (which < line.spans.size()) put(line.spans[which]);
      from = close + 1;
    }
    split(atoms, words.substr(from), Font::words, color);
  }
  flow(atoms, size);
}

void WrittenColumn::number(float right, float y, const ExplainSpan& span, Color color) {
  Tag tag;
  if (const int link = link_of(span); link >= 0) {
    tag = {Tag::link, link, 0};
    underline(right - pen_.measure.width(span.text, kQuiet, Font::mono), right, y);
  }
  pen_.text(right, y, span.text, kQuiet, Font::mono, color, Align::end, 0, tag);
}

// A row of a softmax table: the key's power, a bar, its weight.
void WrittenColumn::share(const ExplainLine& row) {
  const Theme& t = pen_.theme;
  const Color color = row.current ? t.selected : row.tone == ExplainLine::Tone::quiet ? t.faint : t.text;
  const float middle = y_ + 10, weight = pen_.measure.width("0.0000", kQuiet, Font::mono);
  const ExplainSpan& power = row.spans.front();
  const float powers = pen_.measure.width(power.text, kQuiet, Font::mono);
  const float label = width_ * 0.30f, power_right = std::max(width_ * 0.58f, label + powers);
  pen_.text(0, middle, row.label, kQuiet, Font::mono, color, Align::start, label - 8);
  ExplainSpan shown = power;
  if (shown.text == "masked") shown.text = tr("masked");
  number(power_right, middle, shown, color);
  const float bar = width_ - weight - power_right - 20;
  if (bar > 12) pen_.bar({power_right + 10, middle - 4, bar, 8}, row.share, row.current ? t.selected : t.info);
  number(width_, middle, row.spans.back(), color);
  y_ += 21;
}

void WrittenColumn::term(const ExplainLine& row, const Columns& c) {
  const Theme& t = pen_.theme;
  const Color color = row.current ? t.selected : t.text;
  const bool product = row.spans.size() > 2;
  float middle = y_ + 10;
  pen_.text(0, middle, row.label, kQuiet, Font::mono, row.current ? t.selected : t.secondary, Align::start,
            product && c.fits ? c.label : width_ - c.result - 8);
  number(width_, middle, row.spans.back(), color);
  if (product) {
    const float equals = pen_.measure.width(" = ", kQuiet, Font::mono), dot = pen_.measure.width(" · ", kQuiet, Font::mono);
    if (!c.fits) {
      y_ += 20;
      middle += 20;
    }
    const float second = c.fits ? width_ - c.result - equals : width_, first = second - c.second - dot;
    if (c.fits) pen_.text(width_ - c.result - equals / 2, middle, "=", kQuiet, Font::mono, t.secondary, Align::middle);
    number(first, middle, row.spans[0], color);
    pen_.text(first + dot / 2, middle, "·", kQuiet, Font::mono, t.secondary, Align::middle);
    number(second, middle, row.spans[1], color);
  }
  y_ += 21;
}

void WrittenColumn::terms(const std::vector<const ExplainLine*>& rows) {
  Columns c;
  const auto wide = [&](const std::string& text) { return pen_.measure.width(text, kQuiet, Font::mono); };
  for (const ExplainLine* row : rows) {
    c.result = std::max(c.result, wide(row->spans.back().text));
    if (row->spans.size() < 3) continue;
    c.label = std::max(c.label, wide(row->label));
    c.factor = std::max(c.factor, wide(row->spans[0].text));
    c.second = std::max(c.second, wide(row->spans[1].text));
  }
  const float numbers = c.factor + c.second + c.result + wide(" · ") + wide(" = ");
  const float room = width_ - numbers - 10;
  c.fits = room >= std::min(c.label, 44.0f);
  c.label = std::min(c.label, room);
  for (const ExplainLine* row : rows) std::isnan(row->share) ? term(*row, c) : share(*row);
}

void WrittenColumn::picture(const ExplainLine& line) {
  const bool bars = line.kind == ExplainLine::Kind::bars;
  const float height = bars ? 52.0f : 16.0f;
  const std::vector<Group> shown = grouped(line.values, width_);
  const auto which = static_cast<std::int64_t>(out_.pictures.size());
  out_.pictures.push_back(&line);
  double largest = 0;
  for (const double v : line.values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  y_ += 4;
  const float step = width_ / static_cast<float>(std::max<std::size_t>(shown.size(), 1));
  const float middle = y_ + height / 2;
  if (bars)
    pen_.line({0, middle}, {width_, middle}, pen_.theme.line);
  else
    pen_.box({0, y_, width_, height}, pen_.theme.raised);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const NonFinite kind = non_finite(static_cast<float>(shown[i].value));
    const double value = kind == NonFinite::none ? shown[i].value : 0.0;
    const float part = largest > 0 ? static_cast<float>(std::abs(value) / largest) : 0.0f, x = static_cast<float>(i) * step;
    const Color color = value >= 0 ? pen_.theme.signed_high : pen_.theme.signed_low;
    if (kind != NonFinite::none) {
      pen_.figure.add(gap_mark(kind, {x, y_, std::max(step - (step > 3 ? 1.0f : 0.0f), 1.0f), height}));
    } else if (bars) {
      const float bar = std::max(1.0f, std::min(step - 1, 12.0f)), tall = part * height / 2;
      pen_.box({x, value >= 0 ? middle - tall : middle, bar, std::max(tall, 0.5f)}, color);
    } else {
      pen_.box({x, y_, std::max(step - (step > 3 ? 1.0f : 0.0f), 1.0f), height}, with_alpha(color, part));
    }
    // The whole height responds to the mouse, even for a small value.
    pen_.box({x, y_, step, height}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::bar, which, shown[i].index});
  }
  y_ += height + 2;
  if (line.values.empty()) return;
  const std::string last = std::to_string(line.values.size() - 1);
  pen_.text(0, y_ + 8, std::string(tr(line.axis.c_str())) + " 0.." + last, kQuiet, Font::mono, pen_.theme.secondary);
  pen_.text(width_, y_ + 8, "±" + number_text(largest), kQuiet, Font::mono, pen_.theme.secondary, Align::end);
  y_ += 22;
}

void WrittenColumn::section(const ExplainSection& section) {
  using Kind = ExplainLine::Kind;
  heading(section.title);
  for (std::size_t i = 0; i < section.lines.size(); ++i) {
    const ExplainLine& next = section.lines[i];
    if (next.kind == Kind::bars || next.kind == Kind::strip) {
      picture(next);
    } else if (next.kind == Kind::term) {
      // The rows of one table have common columns.
      std::vector<const ExplainLine*> rows;
      for (; i < section.lines.size() && section.lines[i].kind == Kind::term; ++i) rows.push_back(&section.lines[i]);
      --i;
      terms(rows);
    } else {
      line(next);
    }
  }
}

}  // namespace headlight::figures
