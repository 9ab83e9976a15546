#include "engine/arrays/json_arrays.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace headlight::arrays {
namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[more] | c >> (6 * more));
  for (int i = more; i-- > 0;) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
}

// What a list holds, nested lists included.
struct List {
  Shape shape;                         // while all its lists are as long as each other
  bool uneven = false, other = false;  // other: objects in it, or numbers beside texts
  std::vector<double> numbers;
  std::vector<std::vector<std::string>> texts;  // a list for each innermost list
  bool has_texts = false;
};

class Reader {
 public:
  Reader(std::string_view text, File& file) : text_(text), file_(file) {}

  Status read() {
    HL_TRY(value("", 0));
    space();
    if (at_ != text_.size()) return wrong();
    return {};
  }

 private:
  Status wrong() const {
    std::size_t line = 1, begin = 0;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i)
      if (text_[i] == '\n') {
        ++line;
        begin = i + 1;
      }
    return invalid("stops being JSON at line {}, column {}", line, at_ - begin + 1)
        .at(file_.where)
        .mend("write it again, as json.dump does");
  }
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool next(char c) {
    space();
    return at_ < text_.size() && text_[at_] == c;
  }

  // A number, null, true or false.
  std::optional<double> number() {
    if (take("null")) return kNull;
    if (take("NaN")) return std::numeric_limits<double>::quiet_NaN();
    if (take("true")) return 1.0;
    if (take("false")) return 0.0;
    if (take("Infinity")) return std::numeric_limits<double>::infinity();
    if (take("-Infinity")) return -std::numeric_limits<double>::infinity();
    double n = 0;
    const char* const begin = text_.data() + at_;
    if (at_ == text_.size() || (*begin != '-' && (*begin < '0' || *begin > '9'))) return {};
    const auto [stop, problem] = std::from_chars(begin, text_.data() + text_.size(), n);
    if (problem == std::errc::invalid_argument) return {};
    if (problem == std::errc::result_out_of_range)  // beyond what a double holds
      n = std::strtod(std::string(begin, stop).c_str(), nullptr);
    at_ += static_cast<std::size_t>(stop - begin);
    return n;
  }

  std::optional<std::uint32_t> hex() {
    if (text_.size() - at_ < 4) return {};
    std::uint32_t c = 0;
    const auto [stop, problem] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, c, 16);
    if (problem != std::errc() || stop != text_.data() + at_ + 4) return {};
    at_ += 4;
    return c;
  }
  std::optional<std::string> quoted() {
    if (!next('"')) return {};
    ++at_;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      if (++at_ == text_.size()) return {};
      const char c = text_[at_++];
      constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
      if (const std::size_t known = kNames.find(c); known != std::string_view::npos) {
        out += kMeant[known];
        continue;
      }
      if (c != 'u') return {};
      auto code = hex();
      if (!code) return {};
      if (*code >= 0xd800 && *code < 0xdc00 && take("\\u")) {
        const auto low = hex();
        if (!low) return {};
        code = *low >= 0xdc00 && *low < 0xe000 ? 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00) : 0xfffd;
      }
      append_utf8(out, *code >= 0xd800 && *code < 0xe000 ? 0xfffd : *code);
    }
    if (at_ == text_.size()) return {};
    ++at_;
    return out;
  }

  Status object(const std::string& path, int depth) {
    ++at_;
    if (next('}')) {
      ++at_;
      return {};
    }
    for (;;) {
      auto key = quoted();
      if (!key || !next(':')) return wrong();
      ++at_;
      HL_TRY(value(path.empty() ? *key : path + "." + *key, depth + 1));
      if (next(',')) {
        ++at_;
        continue;
      }
      if (!next('}')) return wrong();
      ++at_;
      return {};
    }
  }

  // Fills `whole`; `shape` becomes that of this list.
  Status list(const std::string& path, int depth, List& whole, Shape& shape) {
    if (depth > kDeepest)
      return invalid("has lists in more than {} levels", kDeepest).at(file_.where).mend("give attention of at most five axes");
    ++at_;
    std::int64_t size = 0;
    Shape inner;
    bool lists = false, leaves = false;
    std::vector<std::string> texts;
    for (; !next(']'); ++size) {
      if (size > 0) {
        if (text_.size() == at_ || text_[at_] != ',') return wrong();
        ++at_;
        space();
      }
      if (at_ == text_.size()) return wrong();
      if (text_[at_] == '[') {
        Shape one;
        HL_TRY(list(path, depth + 1, whole, one));
        if (lists && one != inner) whole.uneven = true;
        if (!lists) inner = std::move(one);
        lists = true;
      } else if (text_[at_] == '{') {  // what is in it may hold arrays, too
        HL_TRY(object(path + "." + std::to_string(size), depth + 1));
        whole.other = true;
      } else if (text_[at_] == '"') {
        auto text = quoted();
        if (!text) return wrong();
        texts.push_back(std::move(*text));
        leaves = true;
      } else {
        const auto n = number();
        if (!n) return wrong();
        whole.numbers.push_back(*n);
        leaves = true;
      }
    }
    ++at_;
    whole.uneven = whole.uneven || (lists && leaves);
    if (!texts.empty()) {
      whole.has_texts = true;
      whole.texts.push_back(std::move(texts));
    }
    shape.assign(1, size);
    shape.insert(shape.end(), inner.begin(), inner.end());
    return {};
  }

  std::string name_of_path(std::string path) const {
    if (path.empty()) return std::filesystem::path(file_.where).stem().string();
    for (const std::string_view ending : {".data", ".values", ".value"})
      if (path.ends_with(ending)) path.resize(path.size() - ending.size());
    return path;
  }

  template <class Real>
  void keep(std::vector<Real> numbers, Array& array) {
    const auto kept = std::make_shared<const std::vector<Real>>(std::move(numbers));
    array.bytes = reinterpret_cast<const std::byte*>(kept->data());
    array.storage = kept;
    file_.unpacked += kept->size() * sizeof(Real);
  }

  Status value(const std::string& path, int depth) {
    if (depth > kDeepest) return invalid("has objects in more than {} levels", kDeepest).at(file_.where);
    space();
    if (at_ == text_.size()) return wrong();
    if (text_[at_] == '{') return object(path, depth);
    if (text_[at_] == '"') {
      auto text = quoted();
      if (!text) return wrong();
      file_.texts.push_back({name_of_path(path), true, {{std::move(*text)}}});
      return {};
    }
    if (text_[at_] != '[') {
      if (!number()) return wrong();
      return {};
    }
    List found;
    HL_TRY(list(path, depth, found, found.shape));
    const std::string name = name_of_path(path);
    if (found.has_texts) {
      if (found.numbers.empty() && !found.other) file_.texts.push_back({name, false, std::move(found.texts)});
      return {};
    }
    if (found.other || found.numbers.empty()) return {};
    if (found.uneven) {
      file_.left_out.push_back(Message("'{}' holds lists of different lengths", name));
      return {};
    }
    Array array;
    array.name = name;
    array.element = Element::f64;
    array.shape = found.shape;
    array.strides.assign(array.shape.size(), 1);
    for (std::size_t axis = array.shape.size() - 1; axis-- > 0;)
      array.strides[axis] = array.strides[axis + 1] * array.shape[axis + 1];
    const bool floats = std::all_of(found.numbers.begin(), found.numbers.end(),
                                    [](double n) { return std::isnan(n) || static_cast<double>(static_cast<float>(n)) == n; });
    if (floats) {  // they were written from float32
      array.element = Element::f32;
      keep(std::vector<float>(found.numbers.begin(), found.numbers.end()), array);
    } else {
      keep(std::move(found.numbers), array);
    }
    file_.arrays.push_back(std::move(array));
    return {};
  }

  std::string_view text_;
  File& file_;
  std::size_t at_ = 0;
};

}  // namespace

Status read_json(std::string_view text, File& file) { return Reader(text, file).read(); }

}  // namespace headlight::arrays
