// A published model whose numbers are stored in double, as a NumPy script writes them.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "engine/checkpoints/tensor_file.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/document/stored_model.h"
#include "support/process_folder.h"
#include "support/trace_of.h"
#include "test_data.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string bytes_of_length(std::uint64_t length) { return {reinterpret_cast<const char*>(&length), 8}; }

// The same safetensors file with every number as a float64.
std::string in_double(const fs::path& path) {
  const std::string bytes = read_file(path).value();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  const Json header = Json::parse(bytes.substr(8, length)).value();
  const auto file = checkpoints::TensorFile::open(path).value();
  Json doubles = Json::object();
  std::string numbers;
  for (const auto& [name, entry] : header.members()) {
    if (!entry.contains("dtype")) continue;  // __metadata__
    const auto begin = static_cast<std::int64_t>(numbers.size());
    const Tensor tensor = checkpoints::widened(*file->find(name)).value();
    for (const double number : tensor.values<float>()) numbers.append(reinterpret_cast<const char*>(&number), 8);
    doubles[name] = Json::object({{"dtype", "F64"},
                                  {"shape", entry["shape"]},
                                  {"data_offsets", Json::array({begin, static_cast<std::int64_t>(numbers.size())})}});
  }
  const std::string head = doubles.dump();
  return bytes_of_length(head.size()) + head + numbers;
}

TEST(DoubleWeights, AreRoundedAndAConfigMayHoldAnInfinity) {
  const fs::path published = fs::path(HEADLIGHT_TEST_DATA) / "published";
  const Json fixture = Json::parse(read_file(published / "llama.json").value()).value();
  const std::string weights = read_file(published / "llama.safetensors").value(), config = fixture["config"].dump();
  const auto trace = [&](const char* name, const std::string& model, const std::string& json) {
    const fs::path folder = test::process_folder() / name;
    fs::create_directories(folder);
    EXPECT_TRUE(write_file(folder / "model.safetensors", model).ok());
    EXPECT_TRUE(write_file(folder / "config.json", json).ok());
    fs::copy_file(published / "tokenizer.json", folder / "tokenizer.json", fs::copy_options::overwrite_existing);
    Document document;
    const auto stored = open_stored_model(folder.string());
    EXPECT_TRUE(stored.ok()) << (stored.ok() ? "" : stored.error().sentence());
    if (!stored.ok()) return std::shared_ptr<const Trace>();
    use_model(document, **stored);
    document.texts = {fixture["text"].string()};
    return tests::trace_of(document);
  };
  const auto floats = trace("single-weights", weights, config);
  // Python's json module writes infinities, which JSON does not have.
  const auto doubles = trace("double-weights", in_double(published / "llama.safetensors"),
                             "{\"time_limit\": [0.0, Infinity], " + config.substr(1));
  ASSERT_TRUE(floats && doubles);
  ASSERT_EQ(floats->steps().size(), doubles->steps().size());
  for (const Step& step : floats->steps()) {
    if (step.name != "final_norm" && step.role != Role::weights) continue;
    EXPECT_LE(difference(*floats->values(step.name), *doubles->values(step.name)).max_abs, 2e-6) << step.name;
  }
}

}  // namespace
}  // namespace headlight
