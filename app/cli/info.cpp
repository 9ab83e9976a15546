// headlight info: what this program was built with and what it finds on this machine.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"
#include "engine/backends/backends.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/parallel.h"
#include "engine/tokenizers/files/open.h"
#include "headlight_version.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace headlight::cli {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') != std::string::npos) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::uint64_t memory_bytes() {
#if defined(_SC_PHYS_PAGES)
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
#endif
  return 0;
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

Json collect() {
  Json info;
  info["version"] = HEADLIGHT_VERSION;
  info["commit"] = HEADLIGHT_COMMIT;
  info["build"] = Json::object({{"type", HEADLIGHT_BUILD_TYPE},
                                {"compiler", compiler()},
                                {"window", static_cast<bool>(window_hooks().open)},
                                {"cuda", HEADLIGHT_CUDA_MODULE != 0}});
  info["cpu"] = Json::object({{"model", cpu_model()}, {"threads", thread_count()}, {"memory_bytes", memory_bytes()}});
  info["backends"] = Json::array();
  for (const backends::Device& device : backends::devices())
    info["backends"].push_back(Json::object(
        {{"id", device.id}, {"available", device.available}, {"why", device.why.english()}, {"device", device.label}}));
  Json opengl = Json::object({{"available", false}, {"why", no_window(Message("use OpenGL")).sentence()}, {"version", ""}});
  if (window_hooks().opengl) {
    const Result<std::string> found = window_hooks().opengl();
    opengl = Json::object({{"available", found.ok()},
                           {"why", found ? std::string() : found.error().sentence()},
                           {"version", found ? *found : std::string()}});
  }
  info["opengl"] = std::move(opengl);
  info["fonts"] = window_hooks().fonts ? window_hooks().fonts() : std::vector<std::string>{};
  Json assets = Json::object({{"available", false}, {"why", ""}, {"folder", ""}, {"vocabularies", tokenizers::bundled_names()}});
  const auto folder = assets_folder();
  assets["available"] = folder.ok();
  if (folder) {
    assets["folder"] = folder->string();
  } else {
    assets["why"] = folder.error().sentence();
  }
  info["assets"] = std::move(assets);
  return info;
}

std::string info_joined(const Json& list) {
  std::string text;
  for (const Json& item : list.elements()) text += (text.empty() ? "" : ", ") + item.string();
  return text;
}

void print_info(const Json& info) {
  const auto text = [](const Json& json) { return json.string(); };
  const auto line = [](const char* what, const std::string& value) { std::printf("%-14s%s\n", what, value.c_str()); };
  line("headlight", text(info["version"]) + " (" + text(info["commit"]) + ")");
  const Json& build = info["build"];
  line("build", text(build["type"]) + ", " + text(build["compiler"]) + (build["window"].boolean() ? ", window" : ", no window") +
                    (build["cuda"].boolean() ? ", CUDA module" : ", no CUDA module"));
  char memory[32];
  std::snprintf(memory, sizeof memory, "%.1f GB", info["cpu"]["memory_bytes"].number() / 1e9);
  line("processor", text(info["cpu"]["model"]) + ", " + std::to_string(info["cpu"]["threads"].integer()) + " threads, " + memory);
  for (const Json& backend : info["backends"].elements()) {
    const std::string id = text(backend["id"]);
    line(("  " + id).c_str(),
         backend["available"].boolean() ? text(backend["device"]) : "not available: " + text(backend["why"]));
  }
  line("OpenGL",
       info["opengl"]["available"].boolean() ? text(info["opengl"]["version"]) : "not available: " + text(info["opengl"]["why"]));
  line("fonts", info["fonts"].empty() ? "none" : info_joined(info["fonts"]));
  line("assets",
       info["assets"]["available"].boolean() ? text(info["assets"]["folder"]) : "not available: " + text(info["assets"]["why"]));
  line("vocabularies", info["assets"]["vocabularies"].empty() ? "none" : info_joined(info["assets"]["vocabularies"]));
}

}  // namespace

Entry info_command() {
  return {"info", "Say what was built and what this machine has", {}, {}, [](Arguments& arguments) -> std::function<int()> {
            auto as_json = std::make_shared<bool>(false);
            arguments.flag("--json", *as_json, "As one JSON object");
            return [as_json] {
              const Json info = collect();
              if (*as_json) {
                std::printf("%s\n", info.dump(2).c_str());
              } else {
                print_info(info);
              }
              return kDone;
            };
          }};
}

}  // namespace headlight::cli
