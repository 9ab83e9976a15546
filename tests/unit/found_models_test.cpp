// Models that other programs left on a machine, the catalogue of those to be had, and their check sums.
#include "engine/checkpoints/found_models.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "engine/checkpoints/catalogue.h"
#include "engine/checkpoints/fetch.h"
#include "engine/checkpoints/sha256.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/safetensors.h"
#include "engine/document/document.h"
#include "engine/document/stored_model.h"
#include "support/gguf_bytes.h"
#include "test_data.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

// A home of its own: every variable that names a folder of models is unset, HOME is the folder.
class FoundModels : public testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::path(testing::TempDir()) / ("headlight-found-models-" + std::to_string(::getpid()));
    fs::remove_all(home_);
    fs::create_directories(home_);
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "TRANSFORMERS_CACHE",
                             "LLAMA_CACHE", "OLLAMA_MODELS", "HEADLIGHT_MODELS", "HOME"}) {
      const char* value = std::getenv(name);
      before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
      ::unsetenv(name);
    }
    ::setenv("HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    fs::remove_all(home_);
  }
  void put(const fs::path& file, const std::string& bytes) {
    fs::create_directories((home_ / file).parent_path());
    std::FILE* const out = std::fopen((home_ / file).c_str(), "wb");
    ASSERT_NE(out, nullptr);
    std::fwrite(bytes.data(), 1, bytes.size(), out);
    std::fclose(out);
  }
  void put_safetensors(const fs::path& folder, const std::string& type) {
    put(folder / "config.json", R"({"model_type":")" + type + R"("})");
    ASSERT_TRUE(
        write_safetensors(home_ / folder / "model.safetensors", {{{"w", Tensor::of<float>({1}, {1})}}, {}}, StoredReal::f32)
            .ok());
  }
  static std::string gguf(const std::string& architecture) {
    return GgufBytes()
        .text("general.architecture", architecture)
        .text("general.license", "mit")
        .texts("tokenizer.ggml.tokens", {"a"})
        .file();
  }
  static std::map<std::string, FoundModel> found() {
    std::map<std::string, FoundModel> all;
    for (FoundModel& model : found_models()) all[model.place + " " + model.name] = model;
    return all;
  }

  fs::path home_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(FoundModels, EveryPlaceIsLookedInto) {
  // The Hugging Face cache: links to blobs, a card, two snapshots.
  const fs::path repo = ".cache/huggingface/hub/models--org--name";
  put_safetensors(repo / "snapshots/new", "qwen2");
  put_safetensors(repo / "snapshots/old", "gpt2");
  put(repo / "snapshots/new/README.md", "---\ntags:\n- x\nlicense: apache-2.0\n---\n# A model\n");
  put(repo / "refs/main", "new\n");
  put(".cache/huggingface/hub/models--g--guf/snapshots/1/m-Q4_0.gguf", gguf("llama"));
  put(".cache/huggingface/hub/models--g--guf/snapshots/1/mmproj-m.gguf", gguf("clip"));
  put(".cache/llama.cpp/org_repo_m.gguf", gguf("gemma2"));
  put(".cache/llama.cpp/m-00001-of-00002.gguf", gguf("phi3"));
  put(".cache/llama.cpp/m-00002-of-00002.gguf", gguf("phi3"));
  put(".ollama/models/manifests/registry.ollama.ai/library/llama3.2/1b",
      R"({"layers":[{"mediaType":"application/vnd.ollama.image.license","digest":"sha256:0"},)"
      R"({"mediaType":"application/vnd.ollama.image.model","digest":"sha256:ab"}]})");
  put(".ollama/models/blobs/sha256-ab", gguf("llama"));
  put(".lmstudio/models/org/name/file.gguf", gguf("qwen3"));
  put(".local/share/nomic.ai/GPT4All/g.gguf", gguf("llama"));
  put(".local/share/Jan/data/llamacpp/models/jan-id/model.gguf", gguf("llama"));
  put_safetensors("mine/deep/bert", "bert");
  ::setenv("HEADLIGHT_MODELS", (":" + (home_ / "mine").string() + ":/nowhere").c_str(), 1);
  const auto all = found();
  ASSERT_EQ(all.size(), 9u) << [&] {
    std::string names;
    for (const auto& [name, model] : all) names += name + "; ";
    return names;
  }();
  EXPECT_EQ(all.at("Hugging Face cache org/name").architecture, "qwen2");
  EXPECT_EQ(all.at("Hugging Face cache org/name").license, "apache-2.0");
  EXPECT_EQ(all.at("Hugging Face cache g/guf:m-Q4_0").license, "mit");
  EXPECT_EQ(all.at("llama.cpp org_repo_m").architecture, "gemma2");
  EXPECT_EQ(all.at("llama.cpp m").bytes, 2 * gguf("phi3").size());
  EXPECT_EQ(all.at("Ollama llama3.2:1b").path, home_ / ".ollama/models/blobs/sha256-ab");
  EXPECT_EQ(all.at("LM Studio org/file").architecture, "qwen3");
  EXPECT_EQ(all.at("GPT4All g").architecture, "llama");
  EXPECT_EQ(all.at("Jan jan-id").architecture, "llama");
  EXPECT_EQ(all.at("HEADLIGHT_MODELS bert").architecture, "bert");
  EXPECT_EQ(all.at("HEADLIGHT_MODELS bert").path, home_ / "mine/deep/bert");
}

// As `headlight models` lists it.
TEST_F(FoundModels, OneOpensByItsName) {
  const fs::path published = fs::path(HEADLIGHT_TEST_DATA) / "published";
  const auto put_model = [&](const fs::path& folder) {
    put(folder / "config.json", Json::parse(read_file(published / "llama.json").value()).value()["config"].dump());
    put(folder / "model.safetensors", read_file(published / "llama.safetensors").value());
    put(folder / "tokenizer.json", read_file(published / "tokenizer.json").value());
  };
  put_model(".cache/huggingface/hub/models--acme--small/snapshots/one");
  put(".cache/huggingface/hub/models--acme--small/refs/main", "one");
  put_model("a/twice");
  put_model("b/twice");
  ::setenv("HEADLIGHT_MODELS", ((home_ / "a").string() + ":" + (home_ / "b").string()).c_str(), 1);
  const auto model = open_stored_model("acme/small");
  ASSERT_TRUE(model.ok()) << model.error().sentence();
  EXPECT_EQ((*model)->folder, home_ / ".cache/huggingface/hub/models--acme--small/snapshots/one");
  EXPECT_EQ((*model)->name, "acme/small");
  Document document;
  use_model(document, **model);
  EXPECT_TRUE(open_tokenizer(document).ok());
  const std::string why = open_stored_model("twice").error().sentence();
  EXPECT_NE(why.find("several models are called so"), std::string::npos) << why;
  EXPECT_NE(why.find((home_ / "b/twice").string()), std::string::npos) << why;
  EXPECT_FALSE(open_stored_model("acme/none").ok());
  put("adapter/adapter_config.json", "{}");
  const std::string adapter = open_stored_model((home_ / "adapter").string()).error().sentence();
  EXPECT_NE(adapter.find("an adapter (PEFT)"), std::string::npos) << adapter;
}

TEST_F(FoundModels, HalfWrittenOnesAreLeftOut) {
  const fs::path hub = ".cache/huggingface/hub";
  put(hub / "models--a--links/snapshots/1/config.json", R"({"model_type":"gpt2"})");
  fs::create_symlink("../../blobs/gone", home_ / hub / "models--a--links/snapshots/1/model.safetensors");
  put(hub / "models--b--empty/refs/main", "1");
  put(hub / "models--c--index/snapshots/1/config.json", R"({"model_type":"llama"})");
  put(hub / "models--c--index/snapshots/1/model.safetensors.index.json",
      R"({"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}})");
  put(hub / "models--c--index/snapshots/1/model-00001-of-00002.safetensors", "0123456789");
  put(hub / "models--d--json/snapshots/1/config.json", "{\"model_type\":");
  put(hub / "models--d--json/snapshots/1/model.safetensors", "0123456789");
  put(hub / "models--e--ref/refs/main", "../../../..");
  put(".cache/llama.cpp/cut.gguf", gguf("llama").substr(0, 30));
  put(".cache/llama.cpp/loading.gguf.downloadInProgress", gguf("llama"));
  put(".cache/llama.cpp/m-00001-of-00002.gguf", gguf("llama"));
  put(".ollama/models/manifests/registry.ollama.ai/library/x/latest", "{\"layers\":[{\"mediaType\":");
  put(".ollama/models/manifests/registry.ollama.ai/library/y/latest",
      R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"../../../secret"}]})");
  put(".lmstudio-home-pointer", "/nowhere\n");
  fs::create_directory_symlink(home_, home_ / ".cache/llama.cpp/circle");
  ::setenv("HEADLIGHT_MODELS", home_.c_str(), 1);
  EXPECT_EQ(found().size(), 0u);
}

TEST_F(FoundModels, AHundredModelsTakeLittleTime) {
  std::vector<std::string> words(50'000, "a piece");
  const std::string file = GgufBytes().text("general.architecture", "llama").texts("tokenizer.ggml.tokens", words).file();
  for (int i = 0; i < 50; ++i) {
    put(".cache/llama.cpp/m" + std::to_string(i) + ".gguf", file);
    put_safetensors(".cache/huggingface/hub/models--o--n" + std::to_string(i) + "/snapshots/1", "gpt2");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(found_models().size(), 100u);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 1.0);  // 0.2 s are asked for on a machine that does nothing else
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
}

TEST(Sha256, EqualsThePublishedExamples) {
  const auto sum = [](std::string_view text) {
    Sha256 sha;
    sha.add(text);
    return sha.hex();
  };
  EXPECT_EQ(sum(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 parts;  // a million times "a", in uneven parts
  const std::string as(1'000'000, 'a');
  for (std::size_t at = 0, size = 1; at < as.size(); at += size, size = size % 97 + 1)
    parts.add(std::string_view(as).substr(at, size));
  EXPECT_EQ(parts.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Catalogue, NamesTheTwoModelsWithTheirSums) {
  const auto all = read_catalogue();
  ASSERT_TRUE(all.ok()) << all.error().sentence();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name, "smollm2");
  EXPECT_EQ((*all)[0].bytes(), 98'362'432u);
  EXPECT_EQ((*all)[1].files.front().name, "model.safetensors");
  EXPECT_EQ(catalogue_entry("gpt5").error().sentence(), "there is no model 'gpt5' to be had; there are smollm2, minilm");
  // A saved model of one's own is not overwritten, and not removed.
  const fs::path folder = fs::path(testing::TempDir()) / ("headlight-catalogue-" + std::to_string(::getpid()));
  fs::create_directories(folder / "smollm2");
  const auto refused = fetch_model((*all)[0], folder, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("there is a model of yours with this name"), std::string::npos);
  EXPECT_NE(remove_model("smollm2", folder).error().sentence().find("was saved by you"), std::string::npos);
  EXPECT_NE(remove_model("../smollm2", folder).error().sentence().find("there is no fetched model"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "smollm2"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace headlight::checkpoints
