#include "app/cli/arrays.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/cli/not_finite.h"
#include "app/cli/unexpected.h"
#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"

namespace headlight::cli {
namespace {

// The known name that is meant: the same in other case ("Q"), or the longest that the name contains ("attn_mask") or differs
// little from; else none.
std::string nearest_known(std::string name, const std::vector<std::string>& known) {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  name = lower(std::move(name));
  std::string best;
  for (const std::string& one : known) {
    if (name == lower(one)) return one;
    const bool resembles = one.size() > 1 && (name.find(lower(one)) != std::string::npos ||
                                              3 * static_cast<std::size_t>(edit_distance(name, lower(one))) <= one.size());
    if (resembles && one.size() > best.size()) best = one;
  }
  return best;
}

// Whether every integer of the array is a float32, too.
bool exact_in_float32(const Tensor& integers) {
  const Tensor all = integers.as(DType::i32).compact();
  const auto numbers = all.values<std::int32_t>();
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t n) { return n >= -kMost && n <= kMost; });
}

}  // namespace

Error ArrayFile::wrong(std::string_view name, const Message& is, const Message& must_be) const {
  return invalid("array '{}' {}", name, is).at(path).mend(must_be);
}

Result<Tensor> ArrayFile::get(std::string_view name) const {
  if (const Tensor* t = find(name)) return *t;
  std::string known;
  for (const auto& [key, tensor] : arrays) known += (known.empty() ? "" : ", ") + key;
  return not_found("there is no array '{}'", name)
      .at(path)
      .mend(known.empty() ? Message("the file is empty") : Message("it holds {}", known));
}

Result<Tensor> ArrayFile::real(std::string_view name) const {
  HL_ASSIGN(Tensor t, get(name));
  if (t.dtype() == DType::i32 || t.dtype() == DType::u8) return t.as(exact_in_float32(t) ? DType::f32 : DType::f64);
  return t;
}

bool ArrayFile::stores_integers(std::string_view name) const {
  return std::any_of(stored.begin(), stored.end(), [&](const StoredArray& one) {
    return one.name == name && (one.type.starts_with("int") || one.type.starts_with("uint"));
  });
}

Result<ArrayFile> read_arrays(const std::string& path, std::string_view lone) {
  ArrayFile file{path, {}, {}};
  HL_ASSIGN(file.arrays, read_npz(path, file.stored, lone));
  return file;
}

Result<ArrayFile> read_arrays(const std::string& command, const std::string& path, const std::vector<std::string>& known,
                              std::string_view lone) {
  HL_ASSIGN(ArrayFile file, read_arrays(path, lone));
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  for (const StoredArray& one : file.stored) {
    if (one.is_text) {
      if (one.name != "document.json")  // Headlight's own
        std::fprintf(stderr, "headlight %s: %s: array '%s' holds text and is not read\n", command.c_str(), path.c_str(),
                     one.name.c_str());
      continue;
    }
    if (std::find(known.begin(), known.end(), one.name) != known.end()) continue;
    const std::string nearest = nearest_known(one.name, known);
    return file.wrong(one.name,
                      nearest.empty() ? Message("is not known here") : Message("is not known here; the nearest is '{}'", nearest),
                      Message("known are {}; leave out or rename the others", all));
  }
  return file;
}

Status check_precision(const std::string& command, const ArrayFile& file, const std::vector<std::string>& used, DType precision) {
  if (precision != DType::f32) return {};
  std::string doubles, integers;
  for (const std::string& name : used) {
    const Tensor* t = file.find(name);
    if (t && t->dtype() == DType::i32 && !exact_in_float32(*t)) integers += (integers.empty() ? "" : ", ") + name;
    if (!t || t->dtype() != DType::f64) continue;
    std::string& list = file.stores_integers(name) ? integers : doubles;
    list += (list.empty() ? "" : ", ") + name;
    const Tensor flat = t->compact();
    for (std::int64_t i = 0; i < flat.count(); ++i) {
      const double x = flat.data<double>()[i];
      if (!std::isfinite(x) || std::abs(x) <= std::numeric_limits<float>::max()) continue;
      char number[32];
      std::snprintf(number, sizeof number, "%g", x);
      return file.wrong(name, Message("holds {} at place {}, which is beyond float32", number, i),
                        Message("scale the numbers down, or compute in double with --backend reference"));
    }
  }
  for (const auto& [what, names] : {std::pair("float64", &doubles), {"integers beyond 2^24", &integers}})
    if (!names->empty())
      std::fprintf(stderr, "headlight %s: %s (%s) %s rounded and computed in float32; --backend reference computes in double\n",
                   command.c_str(), what, names->c_str(), names == &doubles ? "is" : "are");
  return {};
}

Status check_finite(const std::string& name, const Tensor& result) {
  NotFinite found;
  found.look(name, result, {});
  if (found.empty()) return {};
  return invalid("the numbers are too large to compute with: '{}' has values that are infinite or no numbers", name)
      .mend("scale the arrays down");
}

Status check_memory(const std::string& what, const std::vector<std::pair<DType, Shape>>& arrays) {
  std::uint64_t total = 0;
  for (const auto& [dtype, shape] : arrays) {
    HL_ASSIGN(const std::uint64_t bytes, backends::checked_bytes(dtype, shape));
    total += bytes;
    if (total > (std::uint64_t{1} << 62)) break;
  }
  const std::uint64_t memory = backends::physical_memory();
  if (memory == 0 || total <= memory) return {};
  return failure(ErrorKind::too_large, "{} would take {} MiB and the machine has {} MiB", what, total >> 20, memory >> 20)
      .mend("use smaller sizes");
}

}  // namespace headlight::cli
