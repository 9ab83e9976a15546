#include "engine/core/foreign_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "engine/core/zip.h"

namespace headlight {
namespace {

constexpr std::size_t kLook = 65536;         // bytes of a text that are looked at
constexpr std::size_t kLongLines = 1 << 24;  // the same of its lines
constexpr std::size_t kMostPickle = 1 << 26, kMostNames = 8;

bool begins(std::string_view bytes, std::string_view mark) { return bytes.substr(0, mark.size()) == mark; }

// A text as a literal of Python with double quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

// What a shell hands on as one word.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string python(const std::string& line) { return "python3 -c " + shell_word(line); }

// The parts of a line of Python that depend on the file.
struct Names {
  std::string from;  // the file, as a literal
  std::string npz, npy;
  std::string lone;  // the array's name, or none

  Names(const std::string& path, std::string_view its_lone) : from(quoted(path)), lone(its_lone) {
    npz = quoted(beside(path, ".npz"));
    npy = quoted(beside(path, ".npy"));
  }
  // A file under a wrong name is not overwritten.
  static std::string beside(const std::filesystem::path& path, const char* ending) {
    std::filesystem::path to = path;
    to.replace_extension();
    return to.string() + (path.extension() == ending ? "-arrays" : "") + ending;
  }
  // Writes one array.
  std::string save(const std::string& array) const {
    return lone.empty() ? "numpy.save(" + npy + ", " + array + ")" : "numpy.savez(" + npz + ", " + lone + "=" + array + ")";
  }
  // Writes the arrays of a Python dictionary.
  std::string save_all(const std::string& dictionary) const { return "numpy.savez(" + npz + ", **" + dictionary + ")"; }
};

// --- text

bool is_text(std::string_view bytes) {
  const std::string_view look = bytes.substr(0, kLook);
  std::size_t at = 0;
  while (at < look.size()) {
    const auto c = static_cast<unsigned char>(look[at]);
    if (c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f') return false;
    const std::size_t size = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (size == 0) return false;
    for (std::size_t i = 1; i < size && at + i < look.size(); ++i)
      if ((static_cast<unsigned char>(look[at + i]) & 0xc0) != 0x80) return false;
    at += size;
  }
  return true;
}

// The first lines with something in them that is no comment.
std::vector<std::string_view> first_lines(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  return lines;
}

// The fields of a line of a table; a run of spaces is one separator.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  bool quotes = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quotes = !quotes;
    if (i < line.size() && (quotes || line[i] != separator)) continue;
    if (separator != ' ' || i > begin) fields.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return fields;
}

bool is_number(std::string_view field) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  const std::string text(field);
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  while (*end == ' ') ++end;
  return !field.empty() && end == text.c_str() + text.size();
}

// Lines of numbers with one separator; a first line and first columns may be labels.
std::optional<ForeignFile> table_in(std::string_view text, const Names& names, bool marked) {
  const std::vector<std::string_view> lines = first_lines(text.substr(0, kLongLines), 4);
  if (lines.empty()) return {};
  for (const char separator : {'\t', ',', ';', ' '}) {
    const auto first = fields_of(lines.front(), separator), last = fields_of(lines.back(), separator);
    if (first.size() < 2 || last.size() < 2) continue;
    std::size_t labels = 0;
    while (labels < last.size() && !is_number(last[labels])) ++labels;
    if (labels == last.size() || !std::all_of(last.begin() + static_cast<std::ptrdiff_t>(labels), last.end(), is_number))
      continue;
    const bool header =
        lines.size() > 1 &&
        !std::all_of(first.begin() + static_cast<std::ptrdiff_t>(std::min(labels, first.size())), first.end(), is_number);
    std::string load = "numpy.loadtxt(" + names.from;
    if (separator != ' ') load += std::string(", delimiter=\"") + (separator == '\t' ? "\\t" : std::string(1, separator)) + "\"";
    if (header) load += ", skiprows=1";
    if (labels > 0) load += ", usecols=range(" + std::to_string(labels) + ", " + std::to_string(last.size()) + ")";
    if (text.substr(0, kLook).find('"') != std::string_view::npos) load += ", quotechar=\"\\\"\"";
    if (marked) load += ", encoding=\"utf-8-sig\"";
    load += ", ndmin=2)";
    Message what("is a table of numbers as text, in columns");
    if (separator == ',') what = Message("is a CSV file, a table of numbers as text");
    if (separator == '\t') what = Message("is a TSV file, a table of numbers as text");
    return ForeignFile{what, python("import numpy; " + names.save(load)), {}};
  }
  return {};
}

// The number behind "size " of a Git LFS pointer.
std::uint64_t pointed_size(std::string_view pointer) {
  std::uint64_t size = 0;
  const std::size_t at = pointer.find("\nsize ");
  if (at != std::string_view::npos) std::from_chars(pointer.data() + at + 6, pointer.data() + pointer.size(), size);
  return size;
}

std::optional<ForeignFile> text_file(std::string_view bytes, const Names& names) {
  if (begins(bytes, "\xff\xfe") || begins(bytes, "\xfe\xff"))
    return ForeignFile{Message("is text in UTF-16"), {}, Message("save the arrays with numpy.savez, or the text as UTF-8"), true};
  if (!is_text(bytes)) return {};
  if (begins(bytes, "version https://git-lfs.github.com/spec/"))
    return ForeignFile{Message("is a Git LFS pointer, which stands for a file of {} bytes that is not here", pointed_size(bytes)),
                       {},
                       Message("fetch it with `git lfs pull`, or download the file itself")};
  if (begins(bytes, "/annex/objects/"))
    return ForeignFile{Message("is a git-annex pointer, not the file itself"), {}, Message("fetch it with `git annex get`")};
  const bool marked = begins(bytes, "\xef\xbb\xbf");
  std::string_view text = bytes.substr(marked ? 3 : 0);
  const std::size_t start = text.find_first_not_of(" \r\n\t");
  if (start == std::string_view::npos) return ForeignFile{Message("holds nothing but spaces"), {}, {}, true};
  const std::string_view head = text.substr(start, 200);
  if (head.front() == '<')
    return ForeignFile{Message("is a web page or another XML file, as a download that failed leaves it"),
                       {},
                       Message("download the file itself")};
  // Labels may begin with a bracket, too: "[PAD]".
  const std::size_t second = head.find_first_not_of(" \r\n\t", 1);
  const bool list = head.front() == '[' && second != std::string_view::npos &&
                    std::string_view("[{\"-0123456789]NIntf").find(head[second]) != std::string_view::npos;
  if (head.front() == '{' || list) {
    const std::string open = "json.load(open(" + names.from + (marked ? ", encoding=\"utf-8-sig\"" : "") + "))";
    const std::string line = head.front() == '{' ? names.save_all("{n: numpy.array(a) for n, a in " + open + ".items()}")
                                                 : names.save("numpy.array(" + open + ")");
    return ForeignFile{Message("is a JSON file"), python("import json, numpy; " + line), {}};
  }
  if (auto table = table_in(text, names, marked)) return table;
  return ForeignFile{Message("is a text file"), {}, Message("save arrays of numbers with numpy.savez"), true};
}

// --- binary files

// Whether a pickle begins as a dictionary does; else it is one tensor, or several.
bool pickles_dictionary(std::string_view pickle) {
  const std::string_view first = pickle.substr(std::min<std::size_t>(2, pickle.size()));
  return first.empty() || begins(first, "}") || begins(first, "ccollections\nOrderedDict");
}

ForeignFile torch_file(const Names& names, bool dictionary) {
  const std::string load = "torch.load(" + names.from + ", map_location=\"cpu\", weights_only=True)";
  // NumPy has no bfloat16, so that real numbers become float32.
  const std::string numbers = "(t.float() if t.is_floating_point() else t).detach().numpy()";
  // Several tensors are what a model of transformers returns as `attentions`: one a layer.
  const std::string line =
      dictionary ? names.save_all("{n: " + numbers + " for n, t in " + load + ".items()}")
                 : "t = " + load + "; t = t if torch.is_tensor(t) else torch.stack(list(t)); " + names.save(numbers);
  return {Message("is a PyTorch file (torch.save)"), python("import numpy, torch; " + line), {}};
}

std::optional<ForeignFile> zip_file(std::string_view bytes, const std::string& path, const Names& names) {
  const auto members = zip::directory(bytes, path);
  if (!members.ok()) return {};  // the reader of .npz says what is wrong with it
  const auto ends = [&](std::string_view with) {
    return std::find_if(members->begin(), members->end(), [&](const zip::Member& m) { return m.name.ends_with(with); });
  };
  if (const auto first = ends(".npy"); first != members->end() && names.lone.empty()) {
    std::string all;
    std::size_t count = 0;
    for (const zip::Member& m : *members) {
      if (!m.name.ends_with(".npy") || ++count > kMostNames + 1) continue;
      all += (all.empty() ? "" : ", ") + (count > kMostNames ? "…" : m.name.substr(0, m.name.size() - 4));
    }
    const std::string name = quoted(first->name.substr(0, first->name.size() - 4));
    return ForeignFile{Message("is an .npz file of these arrays: {}", all),
                       python("import numpy; " + names.save("numpy.load(" + names.from + ")[" + name + "]")),
                       {}};
  }
  if (members->empty() || ends(".npy") != members->end()) return {};
  if (const auto data = ends("data.pkl"); data != members->end()) {
    std::string storage;
    if (data->size > kMostPickle) return torch_file(names, true);
    const auto pickle = zip::unpack(bytes, *data, storage, path);
    return torch_file(names, !pickle.ok() || pickles_dictionary(*pickle));
  }
  return ForeignFile{
      Message("is a zip file without arrays: its first member is '{}'", members->front().name), {}, Message("unpack it first")};
}

bool is_safetensors(std::string_view bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < 10) return false;
  for (std::size_t i = 8; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes[i]);
  return bytes[8] == '{' && size >= 2 && size <= bytes.size() - 8;
}

std::optional<ForeignFile> binary_file(std::string_view bytes, const std::string& path, const Names& names) {
  if (is_safetensors(bytes))
    return ForeignFile{Message("is a safetensors file"),
                       python("import numpy, safetensors.torch; " +
                              names.save_all("{n: (t.float() if t.is_floating_point() else t).numpy() for n, t in "
                                             "safetensors.torch.load_file(" +
                                             names.from + ").items()}")),
                       {}};
  if (begins(bytes, "PK\3\4") || begins(bytes, "PK\5\6")) return zip_file(bytes, path, names);
  // The number that torch.save wrote before 2020.
  if (begins(bytes, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")) return torch_file(names, true);
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 && bytes.back() == '.')
    return ForeignFile{
        Message("is a Python pickle, which is not read because it can run code"),
        python("import numpy, pickle; a = pickle.load(open(" + names.from + ", \"rb\")); " + "numpy.savez(" + names.npz +
               ", **(a if isinstance(a, dict) else {" + quoted(names.lone.empty() ? "weights" : names.lone) + ": a}))"),
        {}};
  if (begins(bytes, "GGUF"))
    return ForeignFile{Message("is a GGUF file, the weights of a model"),
                       python("import gguf, numpy; " +
                              names.save_all("{t.name: gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(" +
                                             names.from + ").tensors}")),
                       {}};
  if (begins(bytes, "\x89HDF\r\n\x1a\n"))
    return ForeignFile{
        Message("is an HDF5 file"),
        python("import h5py, numpy; f = h5py.File(" + names.from + "); " + names.save_all("{n: f[n][()] for n in f}")),
        {}};
  if (begins(bytes, "MATLAB 5.0 MAT-file"))
    return ForeignFile{Message("is a MATLAB file"),
                       python("import numpy, scipy.io; " +
                              names.save_all("{n: a for n, a in scipy.io.loadmat(" + names.from + ").items() if n[0] != \"_\"}")),
                       {}};
  for (const auto& [mark, packer] : {std::pair("\x1f\x8b", "gzip"),
                                     {"BZh", "bzip2"},
                                     {"\xfd"
                                      "7zXZ",
                                      "xz"},
                                     {"\x28\xb5\x2f\xfd", "zstd"}})
    if (begins(bytes, mark))
      return ForeignFile{Message("is packed with {}", packer), {}, Message("unpack it first: {}", std::string(packer) + " -d")};
  for (const auto& [mark, picture] : {std::pair("\x89PNG", "PNG"), {"\xff\xd8\xff", "JPEG"}, {"GIF8", "GIF"}, {"%PDF-", "PDF"}})
    if (begins(bytes, mark))
      return ForeignFile{Message("is a picture or document ({})", picture), {}, Message("give the arrays themselves")};
  return {};
}

}  // namespace

Failure ForeignFile::refused(const std::string& where, std::string_view wanted) const {
  Failure failure = invalid("{}, and an {} is wanted", what, wanted).at(where);
  if (!convert.empty()) return std::move(failure).mend("convert it with {}", convert);
  return mend.empty() ? failure : std::move(failure).mend(mend);
}

std::optional<ForeignFile> foreign_file(std::string_view bytes, const std::string& path, std::string_view lone) {
  if (bytes.empty()) return ForeignFile{Message("is empty"), {}, Message("write it again"), true};
  const Names names(path, lone);
  if (begins(bytes, "\x93NUMPY")) {
    if (lone.empty()) return {};
    return ForeignFile{
        Message("is a single .npy array"), python("import numpy; " + names.save("numpy.load(" + names.from + ")")), {}};
  }
  if (auto binary = binary_file(bytes, path, names)) return binary;
  return text_file(bytes, names);
}

}  // namespace headlight
