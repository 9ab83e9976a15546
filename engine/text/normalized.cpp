#include "engine/text/normalized.h"

#include <algorithm>

#include "engine/text/utf8.h"

namespace headlight::text {

Span Normalized::source(std::int64_t start, std::int64_t end) const {
  if (sources_.empty()) return {start, end};
  Span span = sources_[static_cast<std::size_t>(start)];
  if (start == end) span.end = span.start;
  for (std::int64_t i = start; i < end; ++i) {  // reordered marks may lie before their neighbours
    span.start = std::min(span.start, sources_[static_cast<std::size_t>(i)].start);
    span.end = std::max(span.end, sources_[static_cast<std::size_t>(i)].end);
  }
  return span;
}

Normalized Normalized::slice(std::int64_t start, std::int64_t end) const {
  Normalized part(std::string_view(text_).substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
  for (std::int64_t i = start; i < end; ++i) part.sources_.push_back(source(i, i + 1));
  return part;
}

void Normalized::replace(std::string text, std::vector<Span> sources) {
  text_ = std::move(text);
  sources_ = std::move(sources);
}

Rewrite::Rewrite(const Normalized& from) : from_(from) {
  text_.reserve(from.text().size());
  sources_.reserve(from.text().size());
}

void Rewrite::keep(std::int64_t start, std::int64_t end) {
  text_.append(from_.text(), static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
  for (std::int64_t i = start; i < end; ++i) sources_.push_back(from_.source(i, i + 1));
  taken_ = end;
  if (end > start) last_ = from_.source(start, end);
}

Span Rewrite::take() {
  const std::int64_t length = decode_at(from_.text(), taken_).length;
  if (length > 0) last_ = from_.source(taken_, taken_ + length);
  taken_ += length;
  return last_;
}

void Rewrite::change(char32_t c, std::int64_t change) {
  const Span source = change > 0 ? last_ : take();
  for (; change < 0; ++change) take();
  put(to_utf8(c), source);
}

void Rewrite::put(std::string_view text, Span source) {
  text_ += text;
  sources_.resize(text_.size(), source);
}

}  // namespace headlight::text
