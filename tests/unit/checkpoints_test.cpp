// Published checkpoints' tensors: GGUF and safetensors as they lie in files, whole, split, and lying.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/checkpoints/finite.h"
#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/tensor_file.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "engine/core/rng.h"
#include "engine/core/safetensors.h"
#include "headlight_version.h"
#include "support/gguf_bytes.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(HEADLIGHT_SOURCE_DIR) / "tests" / "data" / "checkpoints";

fs::path empty_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("headlight-checkpoints-" + std::to_string(::getpid())) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}
fs::path written(const fs::path& file, const std::string& bytes) {
  EXPECT_TRUE(write_file(file, bytes).ok());
  return file;
}
std::string refusal(const fs::path& path) {
  const auto file = TensorFile::open(path);
  return file.ok() ? "opened" : file.error().sentence();
}
std::vector<float> values_of(const TensorFile& file, const std::string& name) {
  const StoredTensor* const tensor = file.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  if (!tensor) return {};
  std::vector<float> out(static_cast<std::size_t>(element_count(tensor->shape)));
  EXPECT_TRUE(widen(*tensor, 0, static_cast<std::int64_t>(out.size()), out.data()).ok());
  return out;
}
bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

TEST(StoredTypes, BlocksOfEveryTypeEqualThoseOfThePythonPackageToTheBit) {
  const auto file = TensorFile::open(kFixtures / "blocks.gguf");
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  const auto expected = read_npz(kFixtures / "blocks.npz");
  ASSERT_TRUE(expected.ok()) << expected.error().sentence();
  ASSERT_EQ(expected->size(), 13u);
  for (const auto& [name, bits] : *expected) {
    const StoredTensor* const tensor = (*file)->find(name);
    ASSERT_NE(tensor, nullptr) << name;
    ASSERT_EQ(tensor->shape, bits.shape()) << name;
    const std::vector<float> got = values_of(**file, name);
    const auto wanted = bits.values<std::int32_t>();
    std::size_t finite = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float want = std::bit_cast<float>(wanted[i]);
      // Which of two NaNs a product keeps is the processor's choice, in NumPy too.
      ASSERT_TRUE(same_bits(got[i], want) || (got[i] != got[i] && want != want))
          << name << " " << i << ": " << got[i] << " " << want;
      finite += std::abs(want) <= std::numeric_limits<float>::max();
    }
    EXPECT_GT(finite, got.size() / 3) << name;
    // Any range gives the same numbers as the whole.
    const std::int64_t n = bits.count();
    for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{1, 30}, {17, n - 20}, {n - 1, 1}, {n, 0}, {33, 1}}) {
      std::vector<float> part(static_cast<std::size_t>(count));
      ASSERT_TRUE(widen(*tensor, first, count, part.data()).ok());
      ASSERT_EQ(std::memcmp(part.data(), got.data() + first, part.size() * 4), 0) << name << " from " << first;
    }
  }
}

// Of blocks with any bytes: what is found in the scales is what is found in the numbers.
TEST(StoredTypes, NumbersThatAreNoneAreFoundWithoutWidening) {
  for (const StoredTypeEntry& entry : stored_types()) {
    if (!can_widen(entry.type)) continue;
    const std::int64_t blocks = entry.block == 1 ? 37 : 3;
    const Rng rng(7, entry.name);
    int finite = 0;
    for (std::uint64_t round = 0; round < 3000; ++round) {
      std::string bytes(static_cast<std::size_t>(blocks) * entry.bytes, '\0');
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(rng.bits(round, i));
      // Exponents of floats are all ones so rarely that one is put there in half of the rounds.
      if (entry.type == StoredType::f32 && round % 2 == 0) std::memcpy(bytes.data() + 4 * (round % 37), "\x01\x00\x80\x7f", 4);
      // Most exponents of float64 are beyond float32's.
      if (entry.type == StoredType::f64 && round % 2 == 0)
        for (std::size_t i = 7; i < bytes.size(); i += 8) bytes[i] = '\x3f';
      const auto* const from = reinterpret_cast<const std::byte*>(bytes.data());
      std::vector<float> wide(static_cast<std::size_t>(blocks) * entry.block);
      widen_blocks(entry.type, from, blocks, wide.data());
      const bool all = std::all_of(wide.begin(), wide.end(), [](float x) { return std::isfinite(x); });
      ASSERT_EQ(are_finite(entry.type, from, blocks), all) << entry.name << " " << round;
      finite += all;
    }
    EXPECT_GT(finite, 300) << entry.name;
    EXPECT_LT(finite, 2990) << entry.name;
  }
}

TEST(StoredTypes, OnesThatAreNotReadAreRefusedByName) {
  const std::string bytes(64, '\0');
  StoredTensor tensor{"mask", StoredType::boolean, {64}, {reinterpret_cast<const std::byte*>(bytes.data()), 64}, 0};
  float out[64];
  EXPECT_EQ(widen(tensor, 0, 64, out).error().sentence(),
            "the tensor 'mask' holds BOOL numbers, which are not read here; take a file with one of F32, F16, BF16, Q4_0, Q4_1, "
            "Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, F64");
  tensor.type = StoredType::f32;
  tensor.shape = {16};
  EXPECT_FALSE(widen(tensor, 10, 7, out).ok());
  EXPECT_FALSE(widen(tensor, -1, 1, out).ok());
  EXPECT_FALSE(widen(tensor, 1, std::numeric_limits<std::int64_t>::max(), out).ok());
  for (const StoredTypeEntry& entry : stored_types()) {
    EXPECT_EQ(gguf_type(static_cast<std::uint32_t>(entry.gguf)), entry.gguf < 0 ? nullptr : &entry) << entry.name;
    EXPECT_EQ(safetensors_type(entry.name), entry.safetensors ? &entry : nullptr) << entry.name;
  }
}

TEST(Gguf, MetadataOfEveryTypeAsThePythonPackageWritesIt) {
  const auto file = TensorFile::open(kFixtures / "blocks.gguf");
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  const GgufMetadata& of = (*file)->metadata();
  EXPECT_EQ(of.text("general.architecture"), "llama");
  EXPECT_EQ(of.integer("k.u8"), 200);
  EXPECT_EQ(of.integer("k.i8"), -100);
  EXPECT_EQ(of.integer("k.u16"), 60000);
  EXPECT_EQ(of.integer("k.i16"), -30000);
  EXPECT_EQ(of.integer("k.u32"), 4'000'000'000);
  EXPECT_EQ(of.integer("k.i32"), -2'000'000'000);
  EXPECT_EQ(of.integer("k.u64"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(of.integer("k.i64"), -(std::int64_t{1} << 62));
  EXPECT_EQ(of.real("k.f32"), static_cast<double>(0.1f));
  EXPECT_EQ(of.real("k.f64"), 1.0 / 3);
  EXPECT_EQ(of.real("k.i8"), -100);
  EXPECT_EQ(of.boolean("k.bool"), true);
  EXPECT_EQ(of.text("k.text"), "große Köpfe");
  EXPECT_EQ(of.texts("k.texts"), (std::vector<std::string>{"a", "", "Ġb"}));
  EXPECT_EQ(of.integers("k.integers"), (std::vector<std::int64_t>{-1, 2, 3}));
  EXPECT_EQ(of.reals("k.reals"), (std::vector<double>{0.5, -1.25}));
  // Of another kind, or not there.
  EXPECT_EQ(of.integer("k.bool"), std::nullopt);
  EXPECT_EQ(of.integer("k.f32"), std::nullopt);
  EXPECT_EQ(of.text("k.texts"), std::nullopt);
  EXPECT_EQ(of.integers("k.u8"), (std::vector<std::int64_t>{200}));
  EXPECT_TRUE(of.texts("absent").empty());
}

TEST(Gguf, ShapesAreTurnedAndTensorsFoundByName) {
  const fs::path folder = empty_folder("gguf");
  GgufBytes gguf;
  gguf.version = 2;
  gguf.text("general.architecture", "gpt2")
      .floats("b", {3, 2}, {1, 2, 3, 4, 5, 6})
      .floats("a", {}, {7})
      .floats("none", {0, 4}, {});
  const auto file = TensorFile::open(written(folder / "model.gguf", gguf.file()));
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  EXPECT_EQ((*file)->format(), TensorFile::Format::gguf);
  ASSERT_EQ((*file)->tensors().size(), 3u);
  EXPECT_EQ((*file)->tensors()[0].name, "a");
  EXPECT_EQ((*file)->find("b")->shape, (Shape{2, 3}));
  EXPECT_EQ(values_of(**file, "b"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(**file, "a"), (std::vector<float>{7}));
  EXPECT_EQ(values_of(**file, "none"), std::vector<float>{});
  EXPECT_EQ((*file)->find("c"), nullptr);
  EXPECT_EQ((*file)->bytes(), gguf.file().size());
  // The folder with this one file is the same model, whatever its name.
  const auto again = TensorFile::open(folder);
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_EQ((*again)->identity(), (*file)->identity());
  gguf.data[0] ^= 1;
  const auto changed = TensorFile::open(written(folder / "model.gguf", gguf.file()));
  EXPECT_NE((*changed)->identity(), (*file)->identity());
}

TEST(Gguf, LyingHeadersAreRefusedWithTheirReason) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* reason;
  };
  const auto good = [] { return GgufBytes().text("general.architecture", "llama").floats("w", {4}, {1, 2, 3, 4}); };
  std::vector<Case> cases;
  GgufBytes g = good();
  g.claimed_tensors = 1'000'000'000;
  cases.push_back({"a billion tensors", g.file(), "claims 1000000000 tensors, more than a file of"});
  g = good();
  g.claimed_keys = std::uint64_t{1} << 60;
  cases.push_back({"keys without end", g.file(), "claims 1152921504606846976 keys"});
  g = good();
  g.version = 1;
  cases.push_back({"version 1", g.file(), "of version 1, and versions 2 and 3 are read"});
  g.version = 0x03000000;
  cases.push_back({"big-endian", g.file(), "of a big-endian machine"});
  cases.push_back({"cut in the header", good().file().substr(0, 100), "is cut off in the tensor 'w'"});
  cases.push_back({"cut in the tensors", good().file().substr(0, good().file().size() - 1),
                   "the tensor 'w' takes 16 bytes from byte 0 on, and the file has 15"});
  cases.push_back(
      {"outside", GgufBytes().tensor("w", {4}, 0, std::uint64_t{1} << 40).file(), "the tensor 'w' takes 16 bytes from"});
  cases.push_back(
      {"wraps around", GgufBytes().tensor("w", {4}, 0, ~std::uint64_t{31}).file(), "the tensor 'w' takes 16 bytes from"});
  cases.push_back({"overlap", good().tensor("v", {4}, 0, 0).file(), "overlaps the one before it"});
  cases.push_back({"unaligned", good().tensor("v", {1}, 0, 4).file(), "begins at byte 4, no multiple of 32"});
  cases.push_back({"a shape that overflows", good().tensor("v", {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, 0, 32).file(),
                   "the tensor 'v' has a shape larger than any file"});
  cases.push_back({"five axes", good().tensor("v", {1, 1, 1, 1, 1}, 0, 32).file(), "has 5 axes, and 4 are the most"});
  cases.push_back({"no whole blocks", good().tensor("v", {33, 1}, 3, 32).file(),
                   "has rows of 33 numbers, which Q4_1 does not divide into blocks of 32"});
  cases.push_back({"an unknown type", good().tensor("v", {32}, 99, 32).file(),
                   "the tensor 'v' is stored as type 99 of GGUF, which is not known here; take a file with one of F32"});
  cases.push_back({"a name twice", good().floats("w", {1}, {1}).file(), "the tensor 'w' is there twice"});
  cases.push_back({"no name", good().tensor("", {1}, 0, 32).file(), "has 0 bytes"});
  cases.push_back({"a key twice", GgufBytes().text("a", "1").text("a", "2").file(), "has a key twice"});
  cases.push_back(
      {"an unknown kind of value", GgufBytes().key("a", 13, "12345678").file(), "the key 'a' has the unknown type 13"});
  cases.push_back({"an array without end", GgufBytes().key("a", 9, raw<std::uint32_t>(0) + raw(~std::uint64_t{0})).file(),
                   "the key 'a' claims 18446744073709551615 elements"});
  cases.push_back({"an array's type", GgufBytes().key("a", 9, raw<std::uint32_t>(77) + raw(std::uint64_t{1}) + "x").file(),
                   "is an array of the unknown type 77"});
  cases.push_back({"a text without end", GgufBytes().key("a", 8, raw(~std::uint64_t{7})).file(), "is cut off in the key 'a'"});
  cases.push_back(
      {"an alignment of 0", GgufBytes().key("general.alignment", 4, raw<std::uint32_t>(0)).file(), "is no power of two"});
  std::string nested;  // an array in an array in an array …
  for (int i = 0; i < 5000; ++i) nested += raw<std::uint32_t>(9) + raw<std::uint64_t>(1);
  cases.push_back({"nested", GgufBytes().key("a", 9, nested).file(), "the key 'a' is nested more than 4 deep"});
  const fs::path folder = empty_folder("lies");
  for (const Case& one : cases) {
    const std::string sentence = refusal(written(folder / "model.gguf", one.bytes));
    EXPECT_NE(sentence.find(one.reason), std::string::npos) << one.name << ": " << sentence;
    EXPECT_NE(sentence.find("model.gguf"), std::string::npos) << one.name << ": " << sentence;
  }
  // Cut anywhere: a sentence, never a crash.
  const std::string whole = good().file();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(read_gguf_header(std::string_view(whole).substr(0, length), "here").ok()) << length;
}

TEST(Gguf, TheFirstKeysAreReadWithoutTheVocabulary) {
  const std::string file =
      GgufBytes().text("general.architecture", "llama").texts("tokenizer.ggml.tokens", {"a", "b"}).text("z", "").file();
  // Cut behind the first key: nothing after it is needed.
  const auto first = read_gguf_metadata(std::string_view(file).substr(0, 100), "here", "tokenizer.");
  ASSERT_TRUE(first.ok()) << first.error().sentence();
  EXPECT_EQ(first->all().size(), 1u);
  EXPECT_EQ(read_gguf_metadata(file, "here", "")->all().size(), 3u);
}

TEST(Gguf, SplitFilesAreOneModelAndAMissingPartIsNamed) {
  const fs::path folder = empty_folder("splits");
  const auto part = [](std::uint16_t number, std::uint16_t count, const std::string& tensor) {
    GgufBytes g;
    g.key("split.no", 2, raw(number)).key("split.count", 2, raw(count)).key("split.tensors.count", 5, raw<std::int32_t>(2));
    if (number == 0) g.text("general.architecture", "qwen2");
    return g.floats(tensor, {1}, {number + 1.0f}).file();
  };
  const fs::path first = written(folder / "m-00001-of-00002.gguf", part(0, 2, "a"));
  const std::string missing = refusal(first);
  EXPECT_NE(missing.find("m-00002-of-00002.gguf: the file is missing: part 2 of 2"), std::string::npos) << missing;
  const fs::path second = written(folder / "m-00002-of-00002.gguf", part(1, 2, "b"));
  for (const fs::path& path : {first, second, folder}) {
    const auto file = TensorFile::open(path);
    ASSERT_TRUE(file.ok()) << file.error().sentence();
    EXPECT_EQ((*file)->files().size(), 2u);
    EXPECT_EQ(values_of(**file, "b"), (std::vector<float>{2}));
    EXPECT_EQ((*file)->metadata().text("general.architecture"), "qwen2");
  }
  written(second, part(1, 2, "a"));
  EXPECT_NE(refusal(first).find("the tensor 'a' is there twice"), std::string::npos) << refusal(first);
  written(second, part(0, 2, "b"));
  EXPECT_NE(refusal(first).find("is part 1 of 2 by its metadata, and part 2 of 2 by its name"), std::string::npos)
      << refusal(first);
  EXPECT_NE(refusal(written(folder / "alone.gguf", part(0, 2, "a"))).find("is part 1 of 2 by its metadata, and part 1 of 1"),
            std::string::npos);
}

void write_shard(const fs::path& file, const std::string& name, const std::vector<float>& values) {
  ASSERT_TRUE(write_safetensors(file, {{{name, Tensor::of<float>(values, {static_cast<std::int64_t>(values.size())})}}, {}},
                                StoredReal::f32)
                  .ok());
}

TEST(CheckpointFiles, ShardsAreFoundThroughTheirIndex) {
  const fs::path folder = empty_folder("shards");
  write_shard(folder / "model-00001-of-00002.safetensors", "a", {1, 2});
  const std::string index =
      R"({"metadata":{"total_size":12},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}})";
  written(folder / "model.safetensors.index.json", index);
  EXPECT_NE(refusal(folder).find("the file model-00002-of-00002.safetensors is missing"), std::string::npos) << refusal(folder);
  write_shard(folder / "model-00002-of-00002.safetensors", "b", {3});
  for (const fs::path& path : {folder, folder / "model.safetensors.index.json", folder / "model-00002-of-00002.safetensors"}) {
    const auto file = TensorFile::open(path);
    ASSERT_TRUE(file.ok()) << file.error().sentence();
    EXPECT_EQ(values_of(**file, "a"), (std::vector<float>{1, 2}));
    EXPECT_EQ(values_of(**file, "b"), (std::vector<float>{3}));
  }
  // A shard that is cut off, and one that lacks what the index says.
  const std::string whole = *read_file(folder / "model-00002-of-00002.safetensors");
  written(folder / "model-00002-of-00002.safetensors", whole.substr(0, whole.size() - 1));
  EXPECT_NE(refusal(folder).find("model-00002-of-00002.safetensors: the tensor 'b' is said to end"), std::string::npos)
      << refusal(folder);
  write_shard(folder / "model-00002-of-00002.safetensors", "c", {3});
  EXPECT_NE(refusal(folder).find("the tensor 'b' is missing"), std::string::npos) << refusal(folder);
  written(folder / "model.safetensors.index.json", R"({"weight_map":{"a":"../a.safetensors"}})");
  EXPECT_NE(refusal(folder).find("is no name of a file beside the index"), std::string::npos) << refusal(folder);
  written(folder / "model.safetensors.index.json", R"({"weight_map":[]})");
  EXPECT_NE(refusal(folder).find("has no \"weight_map\""), std::string::npos) << refusal(folder);
}

TEST(CheckpointFiles, WhatIsRefusedIsNamedWithItsMend) {
  const fs::path folder = empty_folder("refused");
  EXPECT_NE(refusal(folder).find("has no weights"), std::string::npos) << refusal(folder);
  EXPECT_NE(refusal(folder / "absent.gguf").find("there is no such file"), std::string::npos);
  written(folder / "pytorch_model.bin", "PK\x03\x04");
  EXPECT_NE(refusal(folder).find("is pickled"), std::string::npos) << refusal(folder);
  EXPECT_NE(refusal(folder).find(
                "import save_file; save_file({k: v.clone() for k, v in torch.load('pytorch_model.bin', weights_only=True)"),
            std::string::npos)
      << refusal(folder);
  EXPECT_NE(refusal(written(folder / "disguised.safetensors", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20")).find("is pickled"),
            std::string::npos);
  EXPECT_NE(refusal(written(folder / "notes.txt", "hello")).find("is neither safetensors nor GGUF"), std::string::npos);
  EXPECT_NE(refusal(written(folder / "empty.gguf", "")).find("is neither"), std::string::npos);
  fs::remove(folder / "disguised.safetensors");
  fs::remove(folder / "empty.gguf");

  write_shard(folder / "model.safetensors", "model.layers.0.self_attn.q_proj.qweight", {1});
  EXPECT_NE(refusal(folder).find("quantised by GPTQ or AWQ"), std::string::npos) << refusal(folder);
  write_shard(folder / "model.safetensors", "w", {1});
  EXPECT_EQ(refusal(folder), "opened");
  written(folder / "config.json", R"({"quantization_config":{"quant_method":"awq","bits":4}})");
  EXPECT_NE(refusal(folder).find("the weights are quantised by awq"), std::string::npos) << refusal(folder);
  EXPECT_NE(refusal(folder / "model.safetensors").find("the weights are quantised by awq"), std::string::npos);
  written(folder / "config.json", R"({"quantization_config":null})");
  EXPECT_EQ(refusal(folder), "opened");

  const fs::path several = empty_folder("several");
  written(several / "a.gguf", GgufBytes().file());
  written(several / "b.gguf", GgufBytes().file());
  written(several / "mmproj-a.gguf", GgufBytes().file());
  EXPECT_NE(refusal(several).find("has 2 .gguf files, among them a.gguf and b.gguf; give the path of one of them"),
            std::string::npos)
      << refusal(several);
}

TEST(CheckpointFiles, SafetensorsOfEveryTypeAreListed) {
  const fs::path folder = empty_folder("types");
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"half":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
      R"("mask":{"dtype":"BOOL","shape":[3],"data_offsets":[4,7]},"small":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[7,8]},)"
      R"("nibbles":{"dtype":"F4","shape":[2,2],"data_offsets":[8,10]},"odd":{"dtype":"BF16","shape":[1,1],"data_offsets":[10,12]}})";
  written(folder / "model.safetensors",
          raw<std::uint64_t>(header.size()) + header + std::string("\x00\x3c\x00\xc0\x01\x01\x00\x38\x12\x34\xc0\x3f", 12));
  const auto file = TensorFile::open(folder);
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  EXPECT_EQ((*file)->notes().at("format"), "pt");
  EXPECT_EQ((*file)->tensors().size(), 5u);
  EXPECT_EQ(values_of(**file, "half"), (std::vector<float>{1, -2}));
  EXPECT_EQ(values_of(**file, "odd"), (std::vector<float>{1.5f}));
  EXPECT_EQ((*file)->find("small")->type, StoredType::f8_e4m3);
  float out = 0;
  EXPECT_FALSE(widen(*(*file)->find("small"), 0, 1, &out).ok());
  // A header as long as its file, full of numbers: refused before it fills the memory.
  const fs::path long_one = folder / "long.safetensors";
  std::string numbers = "{\"a\":[0";
  while (numbers.size() < 9'000'000) numbers += ",0";
  written(long_one, raw<std::uint64_t>(numbers.size()) + numbers);
  EXPECT_NE(refusal(long_one).find("its header would take 9.0 MB, and 8.0 MB are the most"), std::string::npos)
      << refusal(long_one);
}

TEST(MappedFiles, AFileThatShrinksWhileItIsOpenGivesZerosAndIsReported) {
  const fs::path folder = empty_folder("shrinks");
  std::vector<float> values(100'000, 3.0f);
  const std::string whole = GgufBytes().floats("w", {values.size()}, values).file();
  {
    // write_file() would replace the file; this one is written in place, as a download does.
    FILE* const out = std::fopen((folder / "m.gguf").c_str(), "wb");
    ASSERT_EQ(std::fwrite(whole.data(), 1, whole.size(), out), whole.size());
    std::fclose(out);
  }
  const auto file = TensorFile::open(folder / "m.gguf");
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  EXPECT_TRUE((*file)->check_intact().ok());
  ASSERT_EQ(::truncate((folder / "m.gguf").c_str(), 8192), 0);
  const std::vector<float> got = values_of(**file, "w");
  EXPECT_EQ(got.front(), 3.0f);
  EXPECT_EQ(got.back(), 0.0f);
  const Status status = (*file)->check_intact();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().sentence().find("became shorter"), std::string::npos);
  // Grown again, it is still not what it was.
  ASSERT_EQ(::truncate((folder / "m.gguf").c_str(), static_cast<off_t>(whole.size())), 0);
  EXPECT_FALSE((*file)->check_intact().ok());
}

}  // namespace
}  // namespace headlight::checkpoints
