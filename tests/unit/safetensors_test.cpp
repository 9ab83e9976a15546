// Reading safetensors files, hand-made and published, refusing lying headers, and writing what is read back.
#include "engine/core/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "engine/core/files.h"
#include "engine/core/float16.h"
#include "engine/core/json.h"
#include "support/parity_data.h"
#include "tests/support/process_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string file_with(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}
fs::path safetensors_scratch(const std::string& name) { return test::process_folder() / name; }

TEST(Float16, EveryNumberSurvivesTheWayThroughFloat32) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_float16(half);
    if (std::isnan(value)) {
      EXPECT_EQ(half & 0x7c00u, 0x7c00u);
      EXPECT_TRUE(std::isnan(from_float16(to_float16(value))));
    } else {
      ASSERT_EQ(to_float16(value), half) << value;
    }
  }
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(from_float16(0x3c00), 1.0f);
  EXPECT_EQ(from_float16(0x0001), 0x1p-24f);
  EXPECT_EQ(from_float16(0x7bff), 65504.0f);
  EXPECT_EQ(to_float16(1.0f + 0x1p-11f), 0x3c00);      // a tie: the even one below
  EXPECT_EQ(to_float16(1.0f + 3 * 0x1p-11f), 0x3c02);  // a tie: the even one above
  EXPECT_EQ(to_float16(1.0f + 0x1.02p-11f), 0x3c01);   // just beyond the tie
  EXPECT_EQ(to_float16(0x1p-25f), 0x0000);             // a tie between 0 and the smallest number
  EXPECT_EQ(to_float16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(to_float16(0x1.ffcp-15f), 0x0400);  // rounds up to the smallest normal number
  EXPECT_EQ(to_float16(-65519.0f), 0xfbff);
  EXPECT_EQ(to_float16(65520.0f), 0x7c00);  // half a step beyond the largest
  EXPECT_EQ(to_float16(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(from_bfloat16(0x3fc0), 1.5f);
  EXPECT_EQ(from_bfloat16(0xff80), -std::numeric_limits<float>::infinity());
}

TEST(Safetensors, ReadsEveryTypeThatItNames) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},)"
      R"("half":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"brain":{"dtype":"BF16","shape":[1,2],"data_offsets":[4,8]},)"
      R"("single":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},"double":{"dtype":"F64","shape":[],"data_offsets":[12,20]},)"
      R"("int":{"dtype":"I32","shape":[1],"data_offsets":[20,24]},"long":{"dtype":"I64","shape":[1],"data_offsets":[24,32]},)"
      R"("byte":{"dtype":"U8","shape":[1],"data_offsets":[32,33]},"truth":{"dtype":"BOOL","shape":[2],"data_offsets":[33,35]},)"
      R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[35,35]}} )";
  const std::string data = bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x3fc0, 0xc000}) + bytes_of<float>({0.1f}) +
                           bytes_of<double>({1.0 / 3}) + bytes_of<std::int32_t>({-7}) + bytes_of<std::int64_t>({-8}) +
                           std::string("\xff\x01\x00", 3);
  const auto file = read_safetensors(file_with(header, data), "here");
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  EXPECT_EQ(file->metadata.at("format"), "pt");
  ASSERT_EQ(file->tensors.size(), 9u);
  const auto get = [&](const char* name) { return *find(file->tensors, name); };
  EXPECT_EQ(get("half").dtype(), DType::f32);
  EXPECT_EQ(get("half").at({1}), -2);
  EXPECT_EQ(get("brain").shape(), (Shape{1, 2}));
  EXPECT_EQ(get("brain").at({0, 0}), 1.5);
  EXPECT_EQ(get("single").at({0}), static_cast<double>(0.1f));
  EXPECT_EQ(get("double").dtype(), DType::f64);
  EXPECT_EQ(get("double").at({}), 1.0 / 3);
  EXPECT_EQ(get("int").at({0}), -7);
  EXPECT_EQ(get("long").dtype(), DType::i32);
  EXPECT_EQ(get("long").at({0}), -8);
  EXPECT_EQ(get("byte").at({0}), 255);
  EXPECT_EQ(get("truth").at({0}), 1);
  EXPECT_EQ(get("none").shape(), (Shape{0, 7}));
}

struct Refused {
  const char* name;
  std::string bytes;
  const char* says;
};

std::vector<Refused> refused() {
  const auto one = [](const std::string& description, std::size_t data) {
    return file_with("{\"a\":" + description + "}", std::string(data, '\0'));
  };
  const auto two = [](const char* first, const char* second, std::size_t data) {
    return file_with(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(first) +
                         R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                     std::string(data, '\0'));
  };
  const auto length = [](std::uint64_t n) { return bytes_of<std::uint64_t>({n}) + "{}"; };
  return {
      {"nothing", "", "it has 0 bytes"},
      {"seven bytes", "1234567", "it has 7 bytes"},
      {"a header beyond the file", length(3), "its header takes 3 bytes, and 2 follow"},
      {"a giant header", length(100'000'001), "would take 100 MB, and 100 MB are the most"},
      {"the longest number", length(std::numeric_limits<std::uint64_t>::max()), "and 100 MB are the most"},
      {"an empty header", bytes_of<std::uint64_t>({0}), "no JSON object"},
      {"a list", file_with("[]", ""), "no JSON object"},
      {"broken JSON", file_with("{\"a\":", ""), "not JSON from line 1"},
      {"deep JSON", file_with("{\"a\":" + std::string(300, '['), ""), "nested more than 256 deep"},
      {"a name twice", two("[0,4]", "[0,4]", 4).replace(8, 4, "{\"b\"", 4), "'b' stands twice"},
      {"metadata of numbers", file_with(R"({"__metadata__":{"n":1}})", ""), "not an object of texts"},
      {"no description", one("7", 0), "'a' is not described by an object"},
      {"no type", one(R"({"shape":[1],"data_offsets":[0,1]})", 1), "has no \"dtype\""},
      {"another type", one(R"({"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]})", 1), "type 'F8_E4M3', which is not read"},
      {"no shape", one(R"({"dtype":"U8","data_offsets":[0,1]})", 1), "has no \"shape\""},
      {"a negative size", one(R"({"dtype":"U8","shape":[-1],"data_offsets":[0,1]})", 1), "has -1 in its shape"},
      {"half a size", one(R"({"dtype":"U8","shape":[1.5],"data_offsets":[0,1]})", 1), "has 1.5 in its shape"},
      {"a size beyond 63 bits", one(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,1]})", 1), "in its shape"},
      {"an overflowing shape", one(R"({"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]})", 0),
       "larger than any file"},
      {"many axes",
       one(R"({"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]})",
           1),
       "more than 32 axes"},
      {"no place", one(R"({"dtype":"U8","shape":[1]})", 1), "has no \"data_offsets\""},
      {"a place from behind", one(R"({"dtype":"U8","shape":[1],"data_offsets":[1,0]})", 1), "has no \"data_offsets\""},
      {"a negative place", one(R"({"dtype":"U8","shape":[1],"data_offsets":[-1,0]})", 1), "has no \"data_offsets\""},
      {"a place beyond the file", one(R"({"dtype":"U8","shape":[2],"data_offsets":[0,2]})", 1), "said to end at byte 2 of 1"},
      {"another size", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,3]})", 3),
       "takes 3 bytes, and its shape [1] of F32 needs 4"},
      {"an overlap", two("[0,4]", "[3,7]", 7), "'b' overlaps the one before it"},
      {"one place for two", two("[0,4]", "[0,4]", 4), "overlaps the one before it"},
      {"a gap", two("[0,4]", "[5,9]", 9), "leaves 1 bytes before it"},
      {"bytes behind", two("[0,4]", "[4,8]", 10), "2 bytes behind the last tensor"},
      {"bytes of no tensor", file_with("{}", "x"), "1 bytes behind the last tensor"},
      {"a long integer",
       file_with(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", bytes_of<std::int64_t>({1LL << 40})),
       "holds 1099511627776, which does not fit"},
  };
}

TEST(Safetensors, RefusesEveryLyingHeaderWithASentence) {
  for (const Refused& one : refused()) {
    const auto file = read_safetensors(one.bytes, "weights.safetensors");
    ASSERT_FALSE(file.ok()) << one.name;
    const std::string said = file.error().sentence();
    EXPECT_NE(said.find(one.says), std::string::npos) << one.name << ": " << said;
    EXPECT_EQ(said.find("weights.safetensors"), 0u) << said;
    EXPECT_FALSE(file.error().mend.empty()) << one.name;
  }
}

TEST(Safetensors, RefusesEveryBeginningOfAFile) {
  const std::string whole = file_with(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", bytes_of<float>({1, 2}));
  ASSERT_TRUE(read_safetensors(whole, "whole").ok());
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read_safetensors(whole.substr(0, n), "part").ok()) << n;
}

TEST(Safetensors, WritesWhatItReads) {
  Safetensors file;
  file.metadata["format"] = "pt";
  file.tensors.emplace_back("byte", Tensor::of<std::uint8_t>({1, 2, 3}, {3}));
  file.tensors.emplace_back("real", Tensor::of<float>({1.0f, -0.1f, 0, 65504}, {2, 2}));
  file.tensors.emplace_back("turned", Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}).permuted({1, 0}));
  file.tensors.emplace_back("wide", Tensor::of<double>({0.25}, {}));
  file.tensors.emplace_back("whole", Tensor::of<std::int32_t>({-5}, {1}));
  for (const StoredReal real : {StoredReal::f16, StoredReal::f32}) {
    const fs::path path = safetensors_scratch("written.safetensors");
    const Status written = write_safetensors(path, file, real);
    ASSERT_TRUE(written.ok()) << written.error().sentence();
    const auto back = read_safetensors_file(path);
    ASSERT_TRUE(back.ok()) << back.error().sentence();
    EXPECT_EQ(back->metadata, file.metadata);
    ASSERT_EQ(back->tensors.size(), file.tensors.size());
    const Tensor& t = *find(back->tensors, "real");
    EXPECT_EQ(t.at({0, 1}), real == StoredReal::f32 ? static_cast<double>(-0.1f) : from_float16(to_float16(-0.1f)));
    EXPECT_EQ(find(back->tensors, "turned")->shape(), (Shape{3, 2}));
    EXPECT_EQ(find(back->tensors, "turned")->at({2, 0}), 3);
    EXPECT_EQ(find(back->tensors, "wide")->at({}), 0.25);
    EXPECT_EQ(find(back->tensors, "whole")->at({0}), -5);
    EXPECT_EQ(find(back->tensors, "byte")->at({2}), 3);
    const std::string bytes = read_file(path).value();
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0u);  // the tensors begin where wide elements may
  }
}

TEST(Safetensors, WritesNothingThatItCouldNotReadAgain) {
  const fs::path path = safetensors_scratch("kept.safetensors");
  ASSERT_TRUE(write_file(path, "before").ok());
  Safetensors file;
  file.tensors.emplace_back("big", Tensor::of<float>({1, 70000}, {2}));
  const Status big = write_safetensors(path, file, StoredReal::f16);
  ASSERT_FALSE(big.ok());
  EXPECT_NE(big.error().sentence().find("'big' holds 70000.000000 at place 1"), std::string::npos) << big.error().sentence();
  file.tensors = {{"a", Tensor::of<float>({1}, {1})}, {"a", Tensor::of<float>({1}, {1})}};
  EXPECT_FALSE(write_safetensors(path, file, StoredReal::f32).ok());
  file.tensors = {{"\xff", Tensor::of<float>({1}, {1})}};
  EXPECT_FALSE(write_safetensors(path, file, StoredReal::f32).ok());
  EXPECT_EQ(read_file(path).value(), "before");
}

// Of every published file: each tensor that the header names is read, in its shape.
TEST(Safetensors, ReadsPublishedFiles) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  std::size_t files = 0;
  for (const auto& item : fs::recursive_directory_iterator(test::parity_data() / "tiny-models")) {
    if (item.path().extension() != ".safetensors") continue;
    ++files;
    const auto file = read_safetensors_file(item.path());
    ASSERT_TRUE(file.ok()) << file.error().sentence();
    const std::string bytes = test::read_bytes(item.path());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    const Json header = Json::parse(std::string_view(bytes).substr(8, length)).value();
    EXPECT_EQ(file->tensors.size(), header.size() - (header.contains("__metadata__") ? 1 : 0));
    for (const auto& [name, tensor] : file->tensors) {
      std::string shape = header[name]["shape"].dump();
      for (std::size_t at = 0; (at = shape.find(',', at)) != std::string::npos; at += 2) shape.replace(at, 1, ", ");
      EXPECT_EQ(to_string(tensor.shape()), shape) << item.path() << " " << name;
    }
  }
  EXPECT_GE(files, 5u);
  const fs::path folder = test::parity_data() / "tiny-models" / "safetensors-misc";
  const Safetensors four = read_safetensors_file(folder / "tensor-4d-float32.safetensors").value();
  EXPECT_EQ(four.tensors[0].second.at({0, 0, 0, 0}), 11);  // 0x41300000
  EXPECT_EQ(four.tensors[0].second.at({1, 2, 0, 2}), 19);  // 0x41980000
}

}  // namespace
}  // namespace headlight
