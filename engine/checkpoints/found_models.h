// The published models that other programs left on this machine. Folders and the beginnings of files are read, and nothing is
// written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headlight::checkpoints {

struct FoundModel {
  std::string name;          // "HuggingFaceTB/SmolLM2-135M", "llama3.2:1b", "SmolLM2-135M-Instruct.Q4_1"
  std::string place;         // "Hugging Face cache", "llama.cpp", "Ollama", "LM Studio", "GPT4All", "Jan", "HEADLIGHT_MODELS"
  std::string architecture;  // model_type of config.json, general.architecture of GGUF, "headlight"; "" if the file does not say
  std::string model_class;   // the first of config.json's architectures, "BertForMaskedLM"; "" of a GGUF
  std::string license;       // "apache-2.0"; "" if nothing says
  std::int64_t layers = 0, heads = 0, kv_heads = 0;  // 0: nothing says
  std::uint64_t bytes = 0;                           // of the weights
  std::filesystem::path path;                        // what TensorFile::open() takes
};

// All of them, by place and name, each file once. What is half-written, or cannot be read, is left out.
std::vector<FoundModel> found_models();

// What a folder or file is, if it holds weights that look whole: name and place are left empty. An empty path: it is none.
// described_model("~/models/smollm2") of a folder with a .gguf gives its architecture, licence and size.
FoundModel described_model(const std::filesystem::path& path);

}  // namespace headlight::checkpoints
