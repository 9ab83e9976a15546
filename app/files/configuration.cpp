#include "app/files/configuration.h"

#include <system_error>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/core/user_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Values that make no sense are left out; a choice that cannot be read would stand in the way of every export.
FigureMemory figure_memory(const Json& json) {
  constexpr int kLeastDpi = 72, kMostDpi = 1200;
  FigureMemory memory;
  for (const auto& [name, value] : json.members())
    if (value.is_string()) set_choice(memory.choices, name, value.string());
  if (!read_style(memory.choices).ok()) memory.choices = {};
  if (json["dpi"].is_integer() && json["dpi"].integer() >= kLeastDpi && json["dpi"].integer() <= kMostDpi)
    memory.dpi = static_cast<int>(json["dpi"].integer());
  if (json["format"].is_string()) memory.format = json["format"].string();
  if (json["light"].is_boolean()) memory.light = json["light"].boolean();
  return memory;
}

Json to_json(const FigureMemory& memory) {
  Json json = Json::object({{"dpi", memory.dpi}, {"format", memory.format}, {"light", memory.light}});
  for (const auto& [name, value] : named_choices(memory.choices)) json[name] = value;
  return json;
}

}  // namespace

fs::path configuration_path() { return user_folder("XDG_CONFIG_HOME", ".config") / "config.json"; }
fs::path last_session_path() { return user_folder("XDG_STATE_HOME", ".local/state") / "session.json"; }
fs::path models_path() { return own_models_folder(); }
fs::path word_vectors_path() { return user_folder("XDG_DATA_HOME", ".local/share") / "word-vectors"; }

Result<Configuration> load_configuration(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Configuration{};
  HL_ASSIGN(const std::string text, read_text_file(path, 1 << 20));
  const auto parsed = Json::parse(text);
  const Json json = parsed ? *parsed : Json();
  if (!json.is_object()) return invalid("this is not a configuration").at(path.string()).mend("delete it or write JSON in it");
  Configuration c;
  const auto whole = [&](const char* key, int& field, int least, int most) {
    if (json[key].is_integer()) {
      const std::int64_t value = json[key].integer();
      if (value >= least && value <= most) field = static_cast<int>(value);
    }
  };
  const auto flag = [&](const char* key, bool& field) {
    if (json[key].is_boolean()) field = json[key].boolean();
  };
  whole("width", c.width, 320, 16384);
  whole("height", c.height, 240, 16384);
  flag("maximised", c.maximised);
  flag("inspector_open", c.inspector_open);
  whole("inspector_width", c.inspector_width, 1, 4096);
  if (json["last_folder"].is_string()) c.last_folder = json["last_folder"].string();
  if (json["language"].is_string()) c.language = json["language"].string();
  flag("reduce_motion", c.reduce_motion);
  flag("offers_model", c.offers_model);
  if (json["figure"].is_object()) c.figure = figure_memory(json["figure"]);
  return c;
}

Status save_configuration(const fs::path& path, const Configuration& c) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    return failure(ErrorKind::io, "the folder cannot be made: {}", Message::term(error.message()))
        .at(path.parent_path().string());
  const Json json = Json::object({{"height", c.height},
                                  {"figure", to_json(c.figure)},
                                  {"inspector_open", c.inspector_open},
                                  {"inspector_width", c.inspector_width},
                                  {"language", c.language},
                                  {"last_folder", c.last_folder},
                                  {"maximised", c.maximised},
                                  {"offers_model", c.offers_model},
                                  {"reduce_motion", c.reduce_motion},
                                  {"width", c.width}});
  return write_file(path, json.dump(2) + "\n");
}

}  // namespace headlight
