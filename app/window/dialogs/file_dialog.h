// The program's own file dialog: folders, names, a filter, keyboard control, typed paths, errors inside the dialog.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/ui/widgets.h"

namespace headlight::window {

class FileDialog {
 public:
  enum class Mode { open_file, save_file, open_folder };
  struct Request {
    Mode mode = Mode::open_file;
    std::string title;                    // "Open a session"
    std::vector<std::string> extensions;  // ".json"; empty: every file
    std::filesystem::path folder, name;   // the first folder and name
    // Uses the choice. An error is shown, and the dialog stays open.
    std::function<Status(const std::filesystem::path&)> done;
  };
  void ask(Request request);
  bool open() const { return open_; }
  void draw(const ui::Look& look);
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Item {
    std::filesystem::path path;
    std::string name, size;
    bool is_folder = false;
  };
  void go(const std::filesystem::path& folder);
  void choose(const std::filesystem::path& path);
  bool passes(const Item& item) const;
  void draw_list(const ui::Look& look, float height);

  Request request_;
  std::filesystem::path folder_;
  std::vector<Item> items_;
  std::string name_, error_, filter_;
  int selected_ = -1;
  bool open_ = false, appearing_ = false, focus_name_ = false, overwrite_asked_ = false;
};

}  // namespace headlight::window
