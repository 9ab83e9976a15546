#include "app/cli/arrays.h"

#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"

namespace headlight::cli {

Error ArrayFile::wrong(std::string_view name, const std::string& is, const std::string& must_be) const {
  return invalid("array '" + std::string(name) + "' " + is, path, must_be);
}

Result<Tensor> ArrayFile::get(std::string_view name) const {
  if (const Tensor* t = find(name)) return *t;
  std::string known;
  for (const auto& [key, tensor] : arrays) known += (known.empty() ? "" : ", ") + key;
  return not_found("there is no array '" + std::string(name) + "'", path,
                   known.empty() ? "the file is empty" : "it holds " + known);
}

Result<Tensor> ArrayFile::real(std::string_view name) const {
  HL_ASSIGN(Tensor t, get(name));
  if (t.dtype() != DType::f32 && t.dtype() != DType::f64) {
    return wrong(name, std::string("holds ") + name_of(t.dtype()), "give floating-point numbers");
  }
  return t;
}

Result<ArrayFile> read_arrays(const std::string& path) {
  HL_ASSIGN(NamedTensors arrays, read_npz(path));
  return ArrayFile{path, std::move(arrays)};
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
  return Error{
      ErrorKind::too_large,
      what + " would take " + std::to_string(total >> 20) + " MiB and the machine has " + std::to_string(memory >> 20) + " MiB",
      {},
      "use smaller sizes"};
}

}  // namespace headlight::cli
