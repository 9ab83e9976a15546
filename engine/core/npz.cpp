// .npz: a zip file of .npy members.
#include <set>

#include "engine/core/files.h"
#include "engine/core/foreign_file.h"
#include "engine/core/npy.h"
#include "engine/core/npy_format.h"
#include "engine/core/whole_file.h"
#include "engine/core/zip.h"

namespace headlight {
namespace {

// Whether compression is worth its time: masks and pruned weights shrink to a fraction, random-looking floats only by a tenth.
// Four blocks spread over the array are compressed to find out.
bool packs_well(std::string_view bytes) {
  constexpr std::size_t kBlock = 4096, kBlocks = 4;
  if (bytes.size() < kBlock) return false;
  std::string sample;
  for (std::size_t i = 0; i < kBlocks; ++i) sample += bytes.substr((bytes.size() - kBlock) / (kBlocks - 1) * i, kBlock);
  const Result<std::string> packed = zip::deflate({}, sample);
  return packed.ok() && packed->size() * 10 < sample.size() * 7;
}

}  // namespace

namespace {

// `stored` and `lone`: see read_npz(); `stored` may be null.
Result<NamedTensors> read_members(const std::filesystem::path& path, std::vector<StoredArray>* stored, std::string_view lone) {
  const std::string where = path.string();
  HL_ASSIGN(const std::string file, read_file(path, std::uint64_t{64} << 30));
  if (const auto foreign = foreign_file(file, where, lone)) return foreign->refused(where, ".npz");
  HL_ASSIGN(const std::vector<zip::Member> members, zip::directory(file, where));
  NamedTensors tensors;
  for (const zip::Member& member : members) {
    if (!member.name.ends_with(".npy")) continue;  // text that was stored with the arrays
    const std::string name = member.name.substr(0, member.name.size() - 4);
    if (find(tensors, name)) return invalid("holds two arrays named '{}'", name).at(where).mend("give every array its own name");
    std::string storage;
    HL_ASSIGN(const std::string_view bytes, zip::unpack(file, member, storage, where));
    if (const auto begin = npy::beginning(bytes)) {
      const std::string type = npy::type_name(begin->descr);
      const bool is_text = type == "str" || type == "bytes";
      if (stored) stored->push_back({name, type, is_text});
      if (is_text) continue;
    }
    auto tensor = read_npy(bytes, where);
    if (!tensor) return std::move(tensor).failure().at("{}, array '{}'", where, name);
    tensors.emplace_back(name, std::move(tensor).value());
  }
  return tensors;
}

}  // namespace

Result<NamedTensors> read_npz(const std::filesystem::path& path) { return read_members(path, nullptr, "weights"); }
Result<NamedTensors> read_npz(const std::filesystem::path& path, std::vector<StoredArray>& stored, std::string_view lone) {
  return read_members(path, &stored, lone);
}

Status write_npz(const std::filesystem::path& path, const NamedTensors& tensors) {
  HL_ASSIGN(NpzWriter writer, NpzWriter::create(path));
  for (const auto& [name, tensor] : tensors) HL_TRY(writer.add(name, tensor));
  return writer.close();
}

struct NpzWriter::State {
  explicit State(WholeFile f) : file(std::move(f)) {}

  Status add(const std::string& name, std::string_view head, std::string_view body) {
    if (!names.insert(name).second) return failure(ErrorKind::internal, "the array '{}' was written twice", name);
    zip::Member member;
    member.name = name;
    member.offset = file.written();
    member.size = head.size() + body.size();
    member.crc = zip::crc32(zip::crc32(0, head), body);
    if (packs_well(body)) {
      HL_ASSIGN(const std::string packed, zip::deflate(head, body));
      member.method = zip::kDeflated;
      member.packed = packed.size();
      HL_TRY(file.write(zip::local_header(member)));
      HL_TRY(file.write(packed));
    } else {
      member.packed = member.size;
      HL_TRY(file.write(zip::local_header(member)));
      HL_TRY(file.write(head));
      HL_TRY(file.write(body));
    }
    members.push_back(std::move(member));
    return {};
  }

  WholeFile file;
  std::vector<zip::Member> members;
  std::set<std::string> names;
};

NpzWriter::NpzWriter() = default;
NpzWriter::NpzWriter(NpzWriter&&) noexcept = default;
NpzWriter& NpzWriter::operator=(NpzWriter&&) noexcept = default;
NpzWriter::~NpzWriter() = default;

Result<NpzWriter> NpzWriter::create(const std::filesystem::path& path) {
  HL_ASSIGN(WholeFile file, WholeFile::create(path));
  NpzWriter writer;
  writer.state_ = std::make_unique<State>(std::move(file));
  return writer;
}

Status NpzWriter::add(const std::string& name, const Tensor& tensor) {
  const Tensor flat = tensor.compact();
  return state_->add(name + ".npy", npy::header(flat), npy::elements(flat));
}

Status NpzWriter::add_text(const std::string& name, std::string_view text) {
  return state_->add(name + ".npy", {}, npy::text_array(text));
}

Status NpzWriter::close() {
  HL_TRY(state_->file.write(zip::central_directory(state_->members, state_->file.written())));
  return state_->file.finish();
}

}  // namespace headlight
