// Reading what NumPy writes, refusing damaged files, and writing what NumPy reads.
#include "engine/core/npy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/core/files.h"
#include "engine/core/foreign_file.h"
#include "engine/core/zip.h"
#include "test_data.h"
#include "tests/support/process_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string data(const std::string& name) { return std::string(HEADLIGHT_TEST_DATA "/npy/") + name; }
Result<Tensor> load(const std::string& name) {
  HL_ASSIGN(const std::string bytes, read_file(data(name)));
  return read_npy(bytes, name);
}
fs::path scratch(const std::string& name) { return test::process_folder() / name; }
// An .npy file with this dictionary and this many bytes of elements.
std::string npy_with(const std::string& dictionary, std::size_t bytes) {
  std::string text = dictionary + "\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(text.size() & 255);
  file += static_cast<char>(text.size() >> 8);
  return file + text + std::string(bytes, '\0');
}

TEST(Npy, ReadsEveryNumberTypeThatNumpyWrites) {
  const Tensor f4 = load("f4.npy").value();
  EXPECT_EQ(f4.dtype(), DType::f32);
  EXPECT_EQ(f4.shape(), (Shape{2, 3}));
  EXPECT_EQ(f4.at({1, 2}), 5.25);

  const Tensor big = load("f8_big.npy").value();
  EXPECT_EQ(big.dtype(), DType::f64);
  EXPECT_EQ(big.at({1, 1}), 4.0 / 3);

  const Tensor half = load("f2.npy").value();
  EXPECT_EQ(half.dtype(), DType::f32);
  EXPECT_EQ(half.at({0}), 0.5);
  EXPECT_EQ(half.at({1}), -2);
  EXPECT_EQ(half.at({2}), 65504);
  EXPECT_EQ(half.at({3}), std::ldexp(1.0, -24));
  EXPECT_EQ(half.at({4}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(half.at({5}), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(half.at({6})));
  EXPECT_TRUE(std::signbit(half.at({7})));

  const Tensor truth = load("bool.npy").value();
  EXPECT_EQ(truth.dtype(), DType::u8);
  EXPECT_EQ(truth.at({0, 1}), 1);
  EXPECT_EQ(truth.at({1, 1}), 0);
  EXPECT_EQ(load("u1.npy")->at({1, 2}), 255);
  EXPECT_EQ(load("i1.npy")->dtype(), DType::i32);
  EXPECT_EQ(load("i1.npy")->at({0, 0}), -3);
  EXPECT_EQ(load("i2_big.npy")->at({1, 2}), -5000);
  EXPECT_EQ(load("u4.npy")->at({1, 2}), 5);
  EXPECT_EQ(load("i8.npy")->at({0, 0}), -2147483648.0);
  EXPECT_EQ(load("version2.npy")->at({1, 2}), 5);
}

TEST(Npy, ReadsBfloat16AsItsLibrariesStoreIt) {
  // 1, -2.5, infinity, the least subnormal number; the same bytes in the other order.
  const std::string little("\x80\x3f\x20\xc0\x80\x7f\x01\x00", 8), big("\x3f\x80\xc0\x20\x7f\x80\x00\x01", 8);
  for (const auto& [descr, bits] : {std::pair("'<V2'", &little),
                                    {"'|V2'", &little},
                                    {"'>V2'", &big},
                                    {"'bfloat16'", &little},
                                    {"[('bfloat16', '<u2')]", &little},
                                    {"[('bfloat16', '>u2'),]", &big}}) {
    std::string file = npy_with(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (4,), }", 0);
    const auto read = read_npy(file + *bits, "b.npy");
    ASSERT_TRUE(read.ok()) << descr << ": " << read.error().sentence();
    EXPECT_EQ(read->dtype(), DType::f32);
    EXPECT_EQ(read->at({0}), 1) << descr;
    EXPECT_EQ(read->at({1}), -2.5) << descr;
    EXPECT_EQ(read->at({2}), std::numeric_limits<double>::infinity()) << descr;
    EXPECT_EQ(read->at({3}), std::ldexp(1.0, -133)) << descr;
  }
}

TEST(Npy, NamesTheTypesOfOneByteThatItRefuses) {
  for (const auto& [descr, name] : {std::pair("'<f1'", "holds float8_e5m2"),
                                    {"'<V1'", "holds float8 or another type of one byte"},
                                    {"'|V1'", "holds float8 or"},
                                    {"'float8_e4m3fn'", "holds float8_e4m3fn"},
                                    {"[('e4m3fn', '|u1')]", "holds float8_e4m3fn"},
                                    {"'|O'", "holds Python objects"}}) {
    const auto read =
        read_npy(npy_with(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (4,), }", 4), "x");
    ASSERT_FALSE(read.ok()) << descr;
    EXPECT_NE(read.error().what.english().find(name), std::string::npos) << read.error().what;
  }
}

TEST(Npy, ReadsFortranOrderScalarsAndEmptyArrays) {
  const Tensor fortran = load("f4_fortran.npy").value();
  EXPECT_EQ(fortran.shape(), (Shape{2, 3, 4}));
  EXPECT_TRUE(fortran.contiguous());
  EXPECT_EQ(fortran.at({1, 2, 3}), 23);
  EXPECT_EQ(fortran.at({1, 0, 1}), 13);
  const Tensor scalar = load("scalar.npy").value();
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.count(), 1);
  EXPECT_EQ(scalar.at(std::initializer_list<std::int64_t>{}), 2.5);
  EXPECT_EQ(load("empty.npy")->shape(), (Shape{0, 3}));
}

TEST(Npy, RefusesOtherTypesWithTheConversion) {
  for (const char* name : {"c8.npy", "text.npy"}) {
    const Result<Tensor> r = load(name);
    ASSERT_FALSE(r.ok()) << name;
    EXPECT_NE(r.error().mend.english().find("astype"), std::string::npos);
  }
  ASSERT_FALSE(load("records.npy").ok());
  EXPECT_NE(load("records.npy").error().what.english().find("several fields"), std::string::npos);
}

TEST(Npy, RefusesDamagedAndCutOffFiles) {
  const std::string whole = read_file(data("f4.npy")).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<Tensor> r = read_npy(std::string_view(whole).substr(0, size), "cut.npy");
    ASSERT_FALSE(r.ok()) << size;
    EXPECT_EQ(r.error().kind, ErrorKind::invalid);
    EXPECT_EQ(r.error().where, "cut.npy");
  }
  const auto refused = [](const std::string& dictionary) { return !read_npy(npy_with(dictionary, 64), "x").ok(); };
  EXPECT_FALSE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }"));
  EXPECT_FALSE(refused("{\"shape\": (4L, 4L), 'fortran_order': True, 'descr': '<f4'}"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (17,), }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }"));
  EXPECT_TRUE(refused("{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }"));
  EXPECT_TRUE(refused("{'descr': '<f4x', 'fortran_order': False, 'shape': (1,), }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } more"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1"));
  EXPECT_TRUE(refused("{'descr': '<f4"));
  // Products that exceed 64 bits, also if an axis of size 0 hides them.
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296, 16), }"));
  EXPECT_TRUE(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"));
}

TEST(Npz, ReadsStoredDeflatedAndZip64) {
  for (const char* name : {"stored.npz", "packed.npz", "zip64.npz"}) {
    const Result<NamedTensors> r = read_npz(data(name));
    ASSERT_TRUE(r.ok()) << name << ": " << r.error().sentence();
    ASSERT_GE(r->size(), 2u);
    EXPECT_EQ((*r)[0].first, "q");
    ASSERT_NE(find(*r, "q"), nullptr);
    EXPECT_EQ(find(*r, "q")->at({1, 0}), 3);
    ASSERT_NE(find(*r, "mask"), nullptr);
    EXPECT_EQ(find(*r, "mask")->at({1, 0}), 1);
    EXPECT_EQ(find(*r, "mask")->at({0, 2}), 0);
    EXPECT_EQ(find(*r, "k"), nullptr);
  }
  ASSERT_NE(find(*read_npz(data("packed.npz")), "größe"), nullptr);
}

TEST(Npz, RefusesDamagedFilesWithoutCrashing) {
  for (const char* name : {"stored.npz", "packed.npz", "zip64.npz"}) {
    const std::string whole = read_file(data(name)).value();
    const auto read = [](const std::string& bytes) {
      // write_file would wait for the disk each time.
      std::ofstream(scratch("damaged.npz"), std::ios::binary | std::ios::trunc)
          .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      return read_npz(scratch("damaged.npz"));
    };
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      const Result<NamedTensors> r = read(whole.substr(0, size));
      ASSERT_FALSE(r.ok()) << name << " cut at " << size;
      ASSERT_EQ(r.error().kind, ErrorKind::invalid);
    }
    // Any single damaged byte is either detected or harmless (a date, a comment): it never gives other values under the same
    // name.
    const NamedTensors good = read(whole).value();
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
      const Result<NamedTensors> r = read(bytes);
      if (!r.ok()) continue;
      for (const auto& [key, tensor] : *r) {
        if (const Tensor* original = find(good, key)) {
          const Difference d = difference(tensor, *original);
          EXPECT_TRUE(d.same_shape && d.max_abs == 0) << name << " byte " << at;
        }
      }
    }
  }
  const Result<NamedTensors> single = read_npz(data("f4.npy"));
  ASSERT_FALSE(single.ok());
  EXPECT_NE(single.error().mend.english().find("savez"), std::string::npos);
  EXPECT_EQ(read_npz(data("missing.npz")).error().kind, ErrorKind::not_found);
}

TEST(Npz, AnImpossibleSizeIsRefusedBeforeItIsAllocated) {
  std::string bytes = read_file(data("packed.npz")).value();
  // The first entry of the directory claims 4,294,967,294 unpacked bytes.
  const std::size_t entry = bytes.find(std::string("PK\x01\x02", 4));
  ASSERT_NE(entry, std::string::npos);
  for (std::size_t i = 0; i < 4; ++i) bytes[entry + 24 + i] = static_cast<char>(i == 0 ? 0xfe : 0xff);
  ASSERT_TRUE(write_file(scratch("bomb.npz"), bytes).ok());
  const Result<NamedTensors> r = read_npz(scratch("bomb.npz"));
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.error().what.english().find("impossible"), std::string::npos) << r.error().what;
}

TEST(Npz, WhatIsWrittenIsReadBack) {
  Tensor zeros(DType::f32, {3, 100, 100});  // compresses well: deflated
  zeros.data<float>()[12345] = 1.5f;
  Tensor noise(DType::f32, {40000});  // does not: stored
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < noise.count(); ++i) {
    state = state * 1664525u + 1013904223u;
    noise.data<float>()[i] = std::bit_cast<float>(state >> 9 | 0x3f800000u);
  }
  const Tensor transposed = Tensor::of<std::int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}).permuted({1, 0});
  const Tensor scalar = Tensor::of<double>({0.1}, {});
  const Tensor bytes = Tensor::of<std::uint8_t>({0, 1, 255}, {3});
  const Tensor nothing(DType::f64, {0, 4});
  const NamedTensors written{{"zeros", zeros},   {"noise", noise}, {"layer.0.q", transposed},
                             {"scalar", scalar}, {"mask", bytes},  {"nothing", nothing}};

  const fs::path path = scratch("written.npz");
  ASSERT_TRUE(write_npz(path, written).ok());
  EXPECT_LT(fs::file_size(path), 40000u * 4 + 20000);
  const NamedTensors back = read_npz(path).value();
  ASSERT_EQ(back.size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(back[i].first, written[i].first);
    EXPECT_EQ(back[i].second.dtype(), written[i].second.dtype());
    const Difference d = difference(back[i].second, written[i].second);
    EXPECT_TRUE(d.same_shape);
    EXPECT_EQ(d.max_abs, 0);
  }
  // The same arrays give the same bytes: no date and no machine name.
  const std::string first = read_file(path).value();
  ASSERT_TRUE(write_npz(path, written).ok());
  EXPECT_EQ(first, read_file(path).value());
}

TEST(Npz, AWriterThatIsNotClosedLeavesNothing) {
  // A folder of its own, because other tests may run at the same time.
  const fs::path path = scratch("unfinished") / "x.npz";
  fs::remove_all(path.parent_path());
  fs::create_directories(path.parent_path());
  const auto files = [&] { return std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()); };
  const auto before = files();
  {
    NpzWriter writer = NpzWriter::create(path).value();
    ASSERT_TRUE(writer.add("x", Tensor(DType::f32, {10})).ok());
    ASSERT_FALSE(writer.add("x", Tensor(DType::f32, {10})).ok());
    EXPECT_EQ(files(), before + 1);
  }
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(fs::exists(path));
}

TEST(Npz, TextTravelsWithTheArrays) {
  const fs::path path = scratch("text.npz");
  NpzWriter writer = NpzWriter::create(path).value();
  const std::string document = "{\"text\": \"naïve 词元 🦊\"}";
  ASSERT_TRUE(writer.add_text("document.json", document).ok());
  ASSERT_TRUE(writer.add("x", Tensor::of<float>({1, 2}, {2})).ok());
  ASSERT_TRUE(writer.close().ok());
  std::vector<StoredArray> stored;
  const NamedTensors back = read_npz(path, stored).value();
  ASSERT_EQ(back.size(), 1u);
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[0].name, "document.json");
  EXPECT_TRUE(stored[0].is_text);
  EXPECT_EQ(stored[1].type, "float32");
  const std::string file = read_file(path).value();
  const auto members = zip::directory(file, "text.npz").value();
  std::string storage;
  EXPECT_EQ(members[0].name, "document.json.npy");
  const std::string_view member = zip::unpack(file, members[0], storage, "text.npz").value();
  EXPECT_EQ(text_of_npy(member, "text.npz").value(), document);
  EXPECT_FALSE(text_of_npy(member.substr(0, member.size() - 2), "text.npz").ok());
  EXPECT_FALSE(text_of_npy("no array", "text.npz").ok());
}

TEST(Npz, NumpyReadsWhatIsWritten) {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0 &&
      std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "NumPy is not installed";
  }
  const std::string python = std::system("python3 -c 'import numpy' 2>/dev/null") == 0 ? "python3" : "/usr/bin/python3";
  const fs::path path = scratch("for_numpy.npz");
  ASSERT_TRUE(write_npz(path, {{"weights", Tensor::of<float>({0, 0.5f, 1, 2}, {1, 2, 2})},
                               {"zeros", Tensor(DType::f64, {200, 200})},
                               {"ids", Tensor::of<std::int32_t>({7, 8, 9}, {3})}})
                  .ok());
  const std::string program = "import numpy as n; f=n.load(\"" + path.string() +
                              "\"); w=f[\"weights\"]; assert w.dtype==n.float32 and w.shape==(1,2,2) and w[0,0,1]==0.5;"
                              "assert f[\"zeros\"].shape==(200,200) and f[\"zeros\"].dtype==n.float64 and not f[\"zeros\"].any();"
                              "assert f[\"ids\"].dtype==n.int32 and list(f[\"ids\"])==[7,8,9]";
  EXPECT_EQ(std::system((python + " -c '" + program + "'").c_str()), 0);
}

// --- files of other formats

std::string foreign_words(std::string_view bytes, const std::string& path = "x.npz", std::string_view lone = "scores") {
  const auto foreign = foreign_file(bytes, path, lone);
  return foreign ? foreign->refused(path, lone.empty() ? ".npy" : ".npz").error().sentence() : "";
}
std::string conversion(std::string_view bytes, const std::string& path, std::string_view lone = "scores") {
  const auto foreign = foreign_file(bytes, path, lone);
  return foreign ? foreign->convert : "";
}

TEST(ForeignFile, ATablesCommandSaysHowItIsWritten) {
  EXPECT_EQ(conversion("1,2\n3,4\n", "m.csv"),
            R"(python3 -c 'import numpy; numpy.savez("m.npz", scores=numpy.loadtxt("m.csv", delimiter=",", ndmin=2))')");
  EXPECT_EQ(conversion("1,2\n3,4\n", "m.csv", ""),
            R"(python3 -c 'import numpy; numpy.save("m.npy", numpy.loadtxt("m.csv", delimiter=",", ndmin=2))')");
  EXPECT_NE(conversion("1\t2\n", "m.tsv").find(R"(delimiter="\t")"), std::string::npos);
  EXPECT_NE(conversion("1;2\n3;4\n", "m").find(R"(savez("m.npz", scores=numpy.loadtxt("m", delimiter=";")"), std::string::npos);
  EXPECT_EQ(conversion(" 1 2\n 3  4\n", "m").find("delimiter"), std::string::npos);
  // Labels of rows and columns, texts in quotes, a comment, a mark at the start.
  const std::string labelled =
      conversion("\xef\xbb\xbf# made by hand\nquery,\"a, b\",c\n\"the, old\",1,2\nmole,3,nan\n", "m.csv");
  EXPECT_NE(labelled.find(R"(skiprows=1, usecols=range(1, 3), quotechar="\"", encoding="utf-8-sig")"), std::string::npos)
      << labelled;
  EXPECT_EQ(foreign_words("a,b\nc,d\n"), "x.npz: is a text file, and an .npz is wanted; save arrays of numbers with numpy.savez");
}

TEST(ForeignFile, NamesAreQuotedForPythonAndForTheShell) {
  const std::string odd = conversion("[[1]]", "it's \"a\".json");
  EXPECT_NE(odd.find("open(\"it'\\''s \\\"a\\\".json\")"), std::string::npos) << odd;
  // A file under a wrong name is not overwritten.
  EXPECT_NE(conversion("[[1]]", "a/b.npz").find("savez(\"a/b-arrays.npz\","), std::string::npos);
}

TEST(ForeignFile, TellsFormatsByTheirBytes) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string safetensors(8, '\0');
  safetensors[0] = static_cast<char>(header.size());
  EXPECT_NE(foreign_words(safetensors + header + "1234").find("is a safetensors file"), std::string::npos);
  EXPECT_NE(foreign_words("{\"q\": [[1]]}").find("is a JSON file"), std::string::npos);
  EXPECT_NE(foreign_words("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 123456\n").find("123456 bytes"),
            std::string::npos);
  EXPECT_NE(foreign_words("\x80\x04}.").find("pickle"), std::string::npos);
  EXPECT_NE(foreign_words(std::string_view("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15)).find("PyTorch"),
            std::string::npos);
  EXPECT_NE(foreign_words("GGUF\3").find("GGUF"), std::string::npos);
  EXPECT_NE(foreign_words("\x1f\x8b\x08").find("gzip -d"), std::string::npos);
  EXPECT_NE(foreign_words("\n<html>").find("web page"), std::string::npos);
  EXPECT_NE(foreign_words("\xff\xfe"
                          "1")
                .find("UTF-16"),
            std::string::npos);
  EXPECT_EQ(foreign_words(""), "x.npz: is empty, and an .npz is wanted; write it again");
  EXPECT_EQ(foreign_words("[PAD]\n[CLS]\n").find("JSON"), std::string::npos) << "labels";
  EXPECT_EQ(foreign_words(std::string_view("\x7f"
                                           "ELF\0\1\2",
                                           7)),
            "")
      << "nothing is known of it";
  EXPECT_EQ(foreign_words("PK\3\4 cut off"), "") << "the reader of .npz says what is wrong with it";
}

TEST(ForeignFile, FilesThatAreCutOffAnywhereAreLookedAtSafely) {
  const std::string path = scratch("cut.npz").string();
  for (const char* const pickle : {"", "\x80", "\x80\x02}q.", "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n"}) {
    // A zip as torch.save writes it, but for its one member.
    zip::Member member;
    member.name = "archive/data.pkl";
    member.size = member.packed = std::string_view(pickle).size();
    member.crc = zip::crc32(0, pickle);
    const std::string local = zip::local_header(member) + pickle;
    const std::string whole = local + zip::central_directory({member}, local.size());
    EXPECT_NE(foreign_words(whole).find("PyTorch"), std::string::npos);
    for (std::size_t size = 0; size < whole.size(); ++size) foreign_words(std::string_view(whole).substr(0, size));
  }
  const std::string table = "\xef\xbb\xbfquery,\"a, b\"\n\"the\",1\nmole,2\n";
  for (std::size_t size = 0; size < table.size(); ++size) foreign_words(std::string_view(table).substr(0, size));
  NamedTensors many;
  for (int i = 0; i < 20; ++i) many.emplace_back("a" + std::to_string(i), Tensor::of<float>({1}, {1}));
  ASSERT_TRUE(write_npz(path, many).ok());
  EXPECT_NE(foreign_words(read_file(path).value(), path, "").find("a6, a7, …, and an .npy"), std::string::npos);
}

TEST(ForeignFile, AnArrayAndAFileOfArraysAreNoSubstituteForEachOther) {
  const std::string npy = write_npy(Tensor::of<float>({1, 2}, {1, 2}));
  EXPECT_EQ(foreign_words(npy, "x.npy", ""), "");
  EXPECT_EQ(conversion(npy, "x.npy"), R"(python3 -c 'import numpy; numpy.savez("x.npz", scores=numpy.load("x.npy"))')");
  const std::string path = scratch("two.npz").string();
  ASSERT_TRUE(write_npz(path, {{"q", Tensor::of<float>({1}, {1})}, {"k", Tensor::of<float>({1}, {1})}}).ok());
  EXPECT_EQ(read_npz(path)->size(), 2u);
  const std::string bytes = read_file(path).value();
  EXPECT_EQ(foreign_words(bytes, path), "");
  const auto read = read_npy(bytes, "two.npz");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().sentence(),
            "two.npz: is an .npz file of these arrays: q, k, and an .npy is wanted; convert it with python3 -c 'import numpy; "
            "numpy.save(\"two.npy\", numpy.load(\"two.npz\")[\"q\"])'");
}

}  // namespace
}  // namespace headlight
