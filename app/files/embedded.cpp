#include "app/files/embedded.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <string_view>

#include "app/files/data_file.h"
#include "engine/core/base64.h"
#include "engine/core/files.h"
#include "engine/core/foreign_file.h"
#include "engine/core/npy.h"
#include "engine/core/text_file.h"
#include "engine/core/zip.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostFile = std::uint64_t{1} << 30;
constexpr std::size_t kMostDocument = std::size_t{256} << 20;

// The first line of a CSV that carries its document goes on with this.
constexpr std::string_view kCsvStart = "# headlight-document:";

enum class Kind { none, png, svg, pdf, gif, npz, csv, npy, html };

Kind kind_of(std::string_view bytes) {
  if (bytes.substr(0, 8) == std::string_view("\x89PNG\r\n\x1a\n", 8)) return Kind::png;
  if (bytes.substr(0, 5) == "%PDF-") return Kind::pdf;
  if (bytes.substr(0, 6) == "GIF89a" || bytes.substr(0, 6) == "GIF87a") return Kind::gif;
  if (bytes.substr(0, 4) == std::string_view("PK\3\4", 4)) return Kind::npz;
  if (without_byte_order_mark(bytes).starts_with(kCsvStart)) return Kind::csv;  // spreadsheets write the mark
  if (bytes.substr(0, 6) == std::string_view("\x93NUMPY", 6)) return Kind::npy;
  const std::string_view start = bytes.substr(0, 4096);
  if (start.starts_with("<!doctype html>") &&
      start.find("<meta name=\"generator\" content=\"Headlight ") != std::string_view::npos)
    return Kind::html;
  if (start.find("<svg") != std::string_view::npos && start.find('<') < 8) return Kind::svg;
  return Kind::none;
}

Error none_in(const std::string& where) {
  return not_found("this file carries no Headlight document")
      .at(where)
      .mend("open a figure that Headlight exported, or a session file");
}
Error damaged(const std::string& where) {
  return invalid("the document in this file is damaged").at(where).mend("open another copy of it");
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

// zlib's format, of unknown size.
bool inflate_all(std::string_view packed, std::string& out) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  char piece[16384];
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
    if (out.size() > kMostDocument) return false;
  }
  return state == Z_STREAM_END;
}

// Chunks of length, type, data, CRC; iTXt data: keyword, 0, packed?, method, language, 0, translated keyword, 0, text.
Result<std::string> from_png(std::string_view file, const std::string& where) {
  std::size_t at = 8;
  while (at + 12 <= file.size()) {
    const std::uint32_t size = big_endian(file, at);
    if (size > file.size() - at - 12) return damaged(where);
    const std::string_view type = file.substr(at + 4, 4), data = file.substr(at + 8, size);
    constexpr std::string_view key("headlight\0", 10);
    if (type == "iTXt" && data.substr(0, key.size()) == key) {
      const auto crc = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(file.data() + at + 4), size + 4));
      if (crc != big_endian(file, at + 8 + size) || data.size() < key.size() + 4) return damaged(where);
      const bool packed = data[key.size()] == 1;
      std::size_t text = key.size() + 2;
      for (int i = 0; i < 2; ++i) {
        text = data.find('\0', text);
        if (text == std::string_view::npos) return damaged(where);
        ++text;
      }
      if (!packed) return std::string(data.substr(text));
      std::string out;
      if (!inflate_all(data.substr(text), out)) return damaged(where);
      return out;
    }
    if (type == "IEND") break;
    at += 12 + size;
  }
  return none_in(where);
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

// The entities that we, or a program that saved the file again, may have written.
bool unescape(std::string_view text, std::string& out) {
  while (!text.empty()) {
    if (text.front() != '&') {
      const std::size_t next = std::min(text.find('&'), text.size());
      out += text.substr(0, next);
      text.remove_prefix(next);
      continue;
    }
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos) return false;
    const std::string_view name = text.substr(1, end - 1);
    if (name == "amp") {
      out += '&';
    } else if (name == "lt") {
      out += '<';
    } else if (name == "gt") {
      out += '>';
    } else if (name == "quot") {
      out += '"';
    } else if (name == "apos") {
      out += '\'';
    } else if (name.size() > 1 && name[0] == '#') {
      const bool hex = name[1] == 'x';
      const std::string_view digits = name.substr(hex ? 2 : 1);
      std::uint32_t c = 0;
      const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), c, hex ? 16 : 10);
      if (problem != std::errc() || stop != digits.data() + digits.size() || c > 0x10ffff) return false;
      append_utf8(out, c);
    } else {
      return false;
    }
    text.remove_prefix(end + 1);
  }
  return true;
}

Result<std::string> from_svg(std::string_view file, const std::string& where) {
  const std::size_t tag = file.find("<headlight:document");
  if (tag == std::string_view::npos) return none_in(where);
  const std::size_t begin = file.find('>', tag), end = file.find("</headlight:document>", tag);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return damaged(where);
  std::string out;
  if (!unescape(file.substr(begin + 1, end - begin - 1), out)) return damaged(where);
  return out;
}

// A script element that holds JSON, in which no < stands as itself. A page of arrays has null there.
Result<std::string> from_html(std::string_view file, const std::string& where) {
  constexpr std::string_view kTag = "<script type=\"application/json\" id=\"headlight-document\">";
  const std::size_t tag = file.find(kTag);
  if (tag == std::string_view::npos) return none_in(where);
  const std::size_t begin = tag + kTag.size(), end = file.find("</script>", begin);
  if (end == std::string_view::npos) return damaged(where);
  const std::string_view document = file.substr(begin, end - begin);
  if (document == "null") return none_in(where);
  return std::string(document);
}

// Cairo writes the Info dictionary as plain objects and the keywords, being ASCII, as a literal string.
Result<std::string> from_pdf(std::string_view file, const std::string& where) {
  const std::size_t mark = file.rfind(kDocumentMark);
  if (mark == std::string_view::npos) return none_in(where);
  std::string digits;
  for (std::size_t i = mark + std::string_view(kDocumentMark).size();; ++i) {
    if (i >= file.size()) return damaged(where);
    const char c = file[i];
    if (c == ')') break;
    if (c != '\\' && c != '\n' && c != '\r') digits += c;  // a long string may be broken over lines
  }
  std::optional<std::string> document = from_base64(digits);
  if (!document) return damaged(where);
  return *document;
}

// Blocks: a descriptor with its palette, extensions made of sub-blocks, images; the document is in a comment.
Result<std::string> from_gif(std::string_view file, const std::string& where) {
  const auto byte = [&](std::size_t i) { return i < file.size() ? static_cast<unsigned char>(file[i]) : 0; };
  const auto palette = [&](std::size_t flags) { return byte(flags) & 0x80 ? std::size_t{3} << ((byte(flags) & 7) + 1) : 0; };
  std::size_t at = 13 + palette(10);
  // Joins the bytes of the sub-blocks from `at`; `at` then is behind them, or beyond the end of a truncated file.
  const auto joined = [&](bool keep) {
    std::string out;
    while (at < file.size()) {
      const std::size_t size = byte(at++);
      if (size == 0) return out;
      if (keep) out += file.substr(at, size);
      at += size;
    }
    at = file.size() + 1;
    return out;
  };
  while (at < file.size()) {
    const int kind = byte(at);
    if (kind == 0x21) {  // an extension
      const bool comment = byte(at + 1) == 0xfe;
      at += 2;
      const std::string text = joined(comment);
      if (!text.starts_with(kDocumentMark)) continue;
      if (at > file.size()) return damaged(where);
      std::optional<std::string> document = from_base64(text.substr(std::string_view(kDocumentMark).size()));
      if (!document) return damaged(where);
      return *document;
    }
    if (kind != 0x2c) break;  // the end
    at += 10 + palette(at + 9) + 1;
    joined(false);
  }
  return none_in(where);
}

Result<std::string> from_npz(std::string_view file, const std::string& where) {
  HL_ASSIGN(const std::vector<zip::Member> members, zip::directory(file, where));
  for (const zip::Member& member : members) {
    const bool is_array = member.name == "document.json.npy";
    if (!is_array && member.name != "document.json") continue;  // the latter in older files
    if (member.size > kMostDocument) return damaged(where);
    std::string storage;
    HL_ASSIGN(const std::string_view document, zip::unpack(file, member, storage, where));
    return is_array ? text_of_npy(document, where) : Result<std::string>(std::string(document));
  }
  return no_document_in(file, where);
}

Result<std::string> from_csv(std::string_view file, const std::string& where) {
  std::string_view line = without_byte_order_mark(file.substr(0, file.find('\n')));
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::optional<std::string> document = from_base64(line.substr(kCsvStart.size()));
  if (!document) return damaged(where);
  return *document;
}

}  // namespace

Error no_document_in(std::string_view file, const std::filesystem::path& path) {
  const bool npy = kind_of(file) == Kind::npy;
  const auto foreign = npy ? std::nullopt : foreign_file(file, path.string(), "weights");
  const Message draw("draw an array with `headlight export --in`");
  if (npy || data_kind(path) == DataKind::csv) {
    const Message open("open a picture or an .npz that Headlight wrote, a CSV exported with --with-document, or a session");
    Failure numbers = not_found("this file holds numbers alone, not the document that made them").at(path.string());
    if (!foreign || foreign->convert.empty()) return std::move(numbers).mend("{}; {}", open, draw);
    return std::move(numbers).mend("{}; {} after {}", open, draw, foreign->convert);
  }
  if (!foreign || foreign->plain) {
    if (kind_of(file) != Kind::npz) return none_in(path.string());
    return not_found("this file holds arrays and carries no Headlight document").at(path.string()).mend(draw);
  }
  Failure other = not_found("{}, and carries no Headlight document", foreign->what).at(path.string());
  if (!foreign->convert.empty()) return std::move(other).mend("{} after {}", draw, foreign->convert);
  return foreign->mend.empty() ? other : std::move(other).mend(foreign->mend);
}

std::string csv_with_document(const std::string& csv, const std::string& document) {
  return std::string(kCsvStart) + to_base64(document) + "\n" + csv;
}

Result<std::string> embedded_document(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string file, read_file(path, kMostFile));
  switch (kind_of(file)) {
    case Kind::png: return from_png(file, path.string());
    case Kind::svg: return from_svg(file, path.string());
    case Kind::pdf: return from_pdf(file, path.string());
    case Kind::gif: return from_gif(file, path.string());
    case Kind::npz: return from_npz(file, path.string());
    case Kind::csv: return from_csv(file, path.string());
    case Kind::npy: return no_document_in(file, path);
    case Kind::html: return from_html(file, path.string());
    case Kind::none: break;
  }
  return none_in(path.string());
}

bool may_embed_document(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4096, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return kind_of(start) != Kind::none;
}

}  // namespace headlight
