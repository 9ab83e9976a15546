#include "engine/arrays/array_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "engine/arrays/html_arrays.h"
#include "engine/arrays/json_arrays.h"
#include "engine/checkpoints/mapped_file.h"
#include "engine/checkpoints/sha256.h"
#include "engine/core/byte_words.h"
#include "engine/core/float16.h"
#include "engine/core/foreign_file.h"
#include "engine/core/json.h"
#include "engine/core/npy_format.h"
#include "engine/core/npy_texts.h"
#include "engine/core/safetensors.h"
#include "engine/core/text_file.h"
#include "engine/core/zip.h"

namespace headlight::arrays {
namespace {

struct Kind {
  Element element;
  const char* name;
  std::size_t size;
  char letter;              // of NumPy
  const char* safetensors;  // its name there; null: it has none
};
constexpr std::array kKinds = {Kind{Element::f16, "float16", 2, 'f', "F16"},  Kind{Element::bf16, "bfloat16", 2, 'V', "BF16"},
                               Kind{Element::f32, "float32", 4, 'f', "F32"},  Kind{Element::f64, "float64", 8, 'f', "F64"},
                               Kind{Element::i8, "int8", 1, 'i', "I8"},       Kind{Element::i16, "int16", 2, 'i', "I16"},
                               Kind{Element::i32, "int32", 4, 'i', "I32"},    Kind{Element::i64, "int64", 8, 'i', "I64"},
                               Kind{Element::u8, "uint8", 1, 'u', "U8"},      Kind{Element::u16, "uint16", 2, 'u', "U16"},
                               Kind{Element::u32, "uint32", 4, 'u', "U32"},   Kind{Element::u64, "uint64", 8, 'u', "U64"},
                               Kind{Element::boolean, "bool", 1, 'b', "BOOL"}};
const Kind& kind_of(Element element) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.element == element; });
}

Shape strides_of(const Shape& shape, bool fortran) {
  Shape strides(shape.size(), 1);
  if (fortran)
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
      strides[axis] = strides[axis - 1] * std::max<std::int64_t>(1, shape[axis - 1]);
  else
    for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * std::max<std::int64_t>(1, shape[axis]);
  return strides;
}

template <class Real>
void read(const Array& array, std::int64_t begin, std::int64_t stride, std::int64_t count, Real* out) {
  const auto size = static_cast<std::int64_t>(size_of(array.element));
  const std::byte* from = array.bytes + begin * size;
  const std::int64_t step = stride * size;
  if (!array.swapped && stride == 1 &&
      ((array.element == Element::f32 && sizeof(Real) == 4) || (array.element == Element::f64 && sizeof(Real) == 8))) {
    std::memcpy(out, from, static_cast<std::size_t>(count * size));
    return;
  }
  const auto each = [&](auto bits, auto make) {
    using Bits = decltype(bits);
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = static_cast<Real>(make(npy::loaded_bits<Bits>(from + i * step, array.swapped)));
  };
  switch (array.element) {
    case Element::f16: return each(std::uint16_t{}, from_float16);
    case Element::bf16: return each(std::uint16_t{}, from_bfloat16);
    case Element::f32: return each(std::uint32_t{}, [](std::uint32_t b) { return std::bit_cast<float>(b); });
    case Element::f64: return each(std::uint64_t{}, [](std::uint64_t b) { return std::bit_cast<double>(b); });
    case Element::i8: return each(std::uint8_t{}, [](std::uint8_t b) { return static_cast<std::int8_t>(b); });
    case Element::i16: return each(std::uint16_t{}, [](std::uint16_t b) { return static_cast<std::int16_t>(b); });
    case Element::i32: return each(std::uint32_t{}, [](std::uint32_t b) { return static_cast<std::int32_t>(b); });
    case Element::i64: return each(std::uint64_t{}, [](std::uint64_t b) { return static_cast<std::int64_t>(b); });
    case Element::u8: return each(std::uint8_t{}, [](std::uint8_t b) { return b; });
    case Element::u16: return each(std::uint16_t{}, [](std::uint16_t b) { return b; });
    case Element::u32: return each(std::uint32_t{}, [](std::uint32_t b) { return b; });
    case Element::u64: return each(std::uint64_t{}, [](std::uint64_t b) { return b; });
    case Element::boolean: return each(std::uint8_t{}, [](std::uint8_t b) { return b != 0; });
  }
}

bool begins_as_npy(std::string_view bytes) { return bytes.starts_with(std::string_view("\x93NUMPY", 6)); }

Failure too_much(const std::string& name, std::uint64_t bytes, const std::string& where) {
  return failure(ErrorKind::too_large, "'{}' takes {} unpacked, and at most {} are unpacked", name,
                 byte_words(static_cast<double>(bytes)), byte_words(static_cast<double>(kMostUnpacked)))
      .at(where)
      .mend("save it with numpy.savez, which does not pack: it is then read in place");
}

// `bytes` are a whole .npy, kept by `storage`.
Status add_npy(std::string_view bytes, const std::string& name, std::shared_ptr<const void> storage, File& file) {
  const std::string where = file.kind == ".npy" ? file.where : file.where + ", array '" + name + "'";
  if (const auto begin = npy::beginning(bytes)) {
    const std::string type = npy::type_name(begin->descr);
    if (type == "str" || type == "bytes") {
      HL_ASSIGN(std::vector<std::string> all, texts_of_npy(bytes, where));
      Texts texts{name, begin->shape.empty(), {}};
      // The last axis is a sentence's.
      const std::size_t each = begin->shape.empty() ? 1 : static_cast<std::size_t>(begin->shape.back());
      for (std::size_t i = 0; each > 0 && i + each <= all.size(); i += each)
        texts.lists.emplace_back(std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(i)),
                                 std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(i + each)));
      if (texts.lists.size() > 1)  // shorter sentences are filled up with empty texts
        for (auto& list : texts.lists)
          while (!list.empty() && list.back().empty()) list.pop_back();
      file.texts.push_back(std::move(texts));
      return {};
    }
  }
  HL_ASSIGN(const npy::Described header, npy::described(bytes, where));
  Array array;
  array.name = name;
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const Kind& k) { return k.letter == header.letter && k.size == header.size; });
  if (kind == kKinds.end()) return invalid("holds numbers that are not read here").at(where).mend("save it as float32");
  array.element = kind->element;
  array.swapped = header.swapped;
  array.shape = header.shape;
  array.strides = strides_of(array.shape, header.fortran);
  array.bytes = reinterpret_cast<const std::byte*>(bytes.data()) + header.begin;
  array.storage = std::move(storage);
  file.arrays.push_back(std::move(array));
  return {};
}

Status add_npz(std::string_view bytes, const std::shared_ptr<const void>& storage, File& file) {
  constexpr std::uint64_t kChecked = std::uint64_t{32}
                                     << 20;  // a larger member's checksum would take as long as reading all of it
  HL_ASSIGN(const std::vector<zip::Member> members, zip::directory(bytes, file.where));
  std::set<std::string> names;
  for (const zip::Member& member : members) {
    if (!member.name.ends_with(".npy")) continue;
    const std::string name = member.name.substr(0, member.name.size() - 4);
    if (!names.insert(name).second)
      return invalid("holds two arrays named '{}'", name).at(file.where).mend("give every array its own name");
    HL_ASSIGN(const auto in_place, zip::stored(bytes, member, file.where));
    if (in_place && member.size > kChecked) {
      HL_TRY(add_npy(*in_place, name, storage, file));
      continue;
    }
    if (!in_place && file.unpacked + member.size > kMostUnpacked) return too_much(name, file.unpacked + member.size, file.where);
    const auto unpacked = std::make_shared<std::string>();
    HL_ASSIGN(const std::string_view content, zip::unpack(bytes, member, *unpacked, file.where));
    if (!in_place) file.unpacked += content.size();
    HL_TRY(add_npy(content, name, in_place ? storage : unpacked, file));
  }
  return {};
}

// Tokens may stand among a file's notes, whose values are texts: a JSON list, or a sentence.
void add_note(const std::string& name, const std::string& note, File& file) {
  File read;
  if (note.starts_with('[') && read_json(note, read).ok() && read.texts.size() == 1 && !read.texts.front().alone) {
    read.texts.front().name = name;
    file.texts.push_back(std::move(read.texts.front()));
  } else if (name != "format") {  // "pt"
    file.texts.push_back({name, true, {{note}}});
  }
}

Status add_safetensors(std::string_view bytes, const std::shared_ptr<const void>& storage, File& file) {
  HL_ASSIGN(const SafetensorsHeader header, read_safetensors_header(bytes, file.where));
  for (const DescribedTensor& one : header.tensors) {
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.safetensors && one.type == k.safetensors; });
    if (kind == kKinds.end()) {
      file.left_out.push_back(Message("'{}' holds numbers of type {}, which is not read here", one.name, one.type));
      continue;
    }
    Array array;
    array.name = one.name;
    array.element = kind->element;
    array.shape = one.shape;
    array.strides = strides_of(array.shape, false);
    array.bytes = reinterpret_cast<const std::byte*>(bytes.data()) + one.begin;
    array.storage = storage;
    file.arrays.push_back(std::move(array));
  }
  for (const auto& [name, note] : header.metadata) add_note(name, note, file);
  return {};
}

// By their content: a name may end with anything.
Status add_all(std::string_view bytes, const std::shared_ptr<const void>& storage, File& file) {
  file.bytes = bytes.size();
  if (begins_as_npy(bytes)) {
    file.kind = ".npy";
    return add_npy(bytes, std::filesystem::path(file.where).stem().string(), storage, file);
  }
  if (bytes.starts_with("PK")) {
    file.kind = ".npz";
    if (const auto foreign = foreign_file(bytes, file.where, "weights")) return foreign->refused(file.where, ".npz");
    return add_npz(bytes, storage, file);
  }
  if (bytes.size() > 9 && bytes[8] == '{' && static_cast<unsigned char>(bytes[7]) == 0 &&
      static_cast<unsigned char>(bytes[6]) == 0) {
    file.kind = ".safetensors";
    return add_safetensors(bytes, storage, file);
  }
  const std::string_view text = without_byte_order_mark(bytes);
  const std::size_t first = text.find_first_not_of(" \r\n\t");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    file.kind = ".json";
    if (bytes.size() > kMostJson)
      return failure(ErrorKind::too_large, "is {} of JSON, and at most {} are read",
                     byte_words(static_cast<double>(bytes.size())), byte_words(static_cast<double>(kMostJson)))
          .at(file.where)
          .mend("save the arrays with numpy.savez: they are then read in place");
    return read_json(text, file);
  }
  if (begins_as_page(text)) {
    file.kind = ".html";
    return read_page(text, file);
  }
  if (const auto foreign = foreign_file(bytes, file.where, "weights")) return foreign->refused(file.where, ".npz");
  return invalid("is no file of arrays")
      .at(file.where)
      .mend("give .npz, .npy, .safetensors, .json, or a page that Headlight exported");
}

Result<std::shared_ptr<const File>> opened(std::string_view bytes, const std::shared_ptr<const void>& storage,
                                           const std::string& where) {
  const auto file = std::make_shared<File>();
  file->where = where;
  file->storage = storage;
  try {
    HL_TRY(add_all(bytes, storage, *file));
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "its arrays do not fit in memory").at(where).mend("save them with numpy.savez");
  }
  return std::shared_ptr<const File>(file);
}

}  // namespace

const char* name_of(Element element) { return kind_of(element).name; }
std::size_t size_of(Element element) { return kind_of(element).size; }

DType real_of(Element element) {
  switch (element) {
    case Element::f64:
    case Element::i32:
    case Element::i64:
    case Element::u32:
    case Element::u64: return DType::f64;
    default: return DType::f32;
  }
}

Result<Tensor> whole(const Array& array) {
  const DType real = real_of(array.element);
  try {
    Tensor all(real, array.shape, {}, true);
    const auto fill = [&](auto* out) {
      // The runs along the last axis, by the place of each in the others.
      const std::size_t rank = array.shape.size();
      const std::int64_t run = rank == 0 ? 1 : array.shape.back(), stride = rank == 0 ? 1 : array.strides.back();
      for (std::int64_t at = 0; at < array.count(); at += run) {
        std::int64_t begin = 0, rest = run == 0 ? 0 : at / run;
        for (std::size_t axis = rank; axis-- > 0;) {
          if (axis + 1 == rank) continue;
          begin += rest % array.shape[axis] * array.strides[axis];
          rest /= array.shape[axis];
        }
        read_run(array, begin, stride, run, out + at);
        for (std::int64_t i = at; i < at + run; ++i)
          if (is_null(static_cast<double>(out[i]))) out[i] = -std::numeric_limits<std::decay_t<decltype(*out)>>::infinity();
      }
    };
    real == DType::f64 ? fill(all.data<double>()) : fill(all.data<float>());
    return all;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "its arrays do not fit in memory").at(array.name);
  }
}

void read_run(const Array& array, std::int64_t begin, std::int64_t stride, std::int64_t count, float* out) {
  read(array, begin, stride, count, out);
}
void read_run(const Array& array, std::int64_t begin, std::int64_t stride, std::int64_t count, double* out) {
  read(array, begin, stride, count, out);
}

const Texts* File::text(std::string_view name) const {
  for (const Texts& one : texts)
    if (one.name == name) return &one;
  return nullptr;
}

Result<std::shared_ptr<const File>> open(const std::filesystem::path& path) {
  HL_ASSIGN(const auto mapped, checkpoints::MappedFile::open(path));
  HL_ASSIGN(const auto file, opened(mapped->text(), mapped, path.string()));
  std::const_pointer_cast<File>(file)->intact = [mapped] { return mapped->intact(); };
  return file;
}

Result<std::shared_ptr<const File>> open(std::shared_ptr<const std::string> bytes, const std::string& where) {
  const std::string_view all = *bytes;
  return opened(all, std::move(bytes), where);
}

Result<std::string> checksum(const std::filesystem::path& path) {
  constexpr std::uint64_t kWhole = std::uint64_t{16} << 20, kBlock = std::uint64_t{64} << 10, kBlocks = 256;
  HL_ASSIGN(const auto mapped, checkpoints::MappedFile::open(path));
  const std::string_view bytes = mapped->text();
  checkpoints::Sha256 sum;
  if (bytes.size() <= kWhole) {
    sum.add(bytes);
    return "sha256:" + sum.hex();
  }
  sum.add(std::to_string(bytes.size()));
  for (std::uint64_t i = 0; i < kBlocks; ++i)
    sum.add(bytes.substr(static_cast<std::size_t>((bytes.size() - kBlock) / (kBlocks - 1) * i), kBlock));
  return "sha256-of-blocks:" + sum.hex();
}

}  // namespace headlight::arrays
