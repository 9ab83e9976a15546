#include "app/window/dialogs/file_dialog.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "app/gl/shaping.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/core/sorting.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace fs = std::filesystem;

namespace {

std::string file_dialog_size_words(std::uintmax_t bytes) {
  char text[32];
  if (bytes < 1000)
    std::snprintf(text, sizeof text, "%llu B", static_cast<unsigned long long>(bytes));
  else if (bytes < 1000000)
    std::snprintf(text, sizeof text, "%.1f kB", static_cast<double>(bytes) / 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

// People type "~/x".
fs::path typed(const std::string& text, const fs::path& folder) {
  if (text == "~" || text.starts_with("~/"))
    if (const char* home = std::getenv("HOME")) return fs::path(home) / (text.size() > 2 ? text.substr(2) : "");
  const fs::path path = text;
  return path.is_absolute() ? path : folder / path;
}

}  // namespace

void FileDialog::ask(Request request) {
  request_ = std::move(request);
  std::error_code error;
  fs::path start = request_.folder;
  if (start.empty() || !fs::is_directory(start, error)) start = fs::current_path(error);
  filter_.clear();
  name_ = gl::valid_utf8(request_.name.string());
  open_ = appearing_ = focus_name_ = true;
  overwrite_asked_ = false;
  go(start);
}

void FileDialog::go(const fs::path& folder) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(folder, error);
  if (error) target = folder;
  std::vector<Item> found;
  auto it = fs::directory_iterator(target, fs::directory_options::skip_permission_denied, error);
  if (error) {
    error_ = fill(tr("{} cannot be read: {}"), {target.string(), spoken(Message::term(error.message()))});
    return;
  }
  for (; it != fs::directory_iterator(); it.increment(error)) {
    if (error) break;
    std::error_code ignored;
    Item item;
    item.path = it->path();
    item.name = gl::valid_utf8(item.path.filename().string());
    if (item.name.starts_with('.')) continue;
    item.is_folder = it->is_directory(ignored);
    if (!item.is_folder) {
      const auto bytes = it->file_size(ignored);
      if (!ignored) item.size = file_dialog_size_words(bytes);
    }
    found.push_back(std::move(item));
  }
  sort_stably(found, [](const Item& a, const Item& b) { return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name; });
  folder_ = target;
  items_ = std::move(found);
  selected_ = -1;
  error_.clear();
}

bool FileDialog::passes(const Item& item) const {
  if (!filter_.empty() && item.name.find(filter_) == std::string::npos) return false;
  if (item.is_folder) return true;
  if (request_.mode == Mode::open_folder) return false;
  if (request_.extensions.empty()) return true;
  const std::string extension = item.path.extension().string();
  return std::find(request_.extensions.begin(), request_.extensions.end(), extension) != request_.extensions.end();
}

void FileDialog::choose(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored), exists = fs::exists(path, ignored);
  if (is_folder && request_.mode != Mode::open_folder) {
    name_ = request_.mode == Mode::save_file ? gl::valid_utf8(request_.name.string()) : "";
    go(path);
    return;
  }
  if (request_.mode != Mode::save_file && !exists) {
    error_ = fill(tr("there is no {}"), {gl::valid_utf8(path.string())});
    return;
  }
  if (request_.mode == Mode::save_file && exists && !overwrite_asked_) {
    overwrite_asked_ = true;
    error_ = fill(tr("{} exists: press Save again to replace it"), {gl::valid_utf8(path.filename().string())});
    return;
  }
  if (const Status status = request_.done(path); !status.ok()) {
    error_ = spoken(status.error());
    overwrite_asked_ = false;
    return;
  }
  open_ = false;
}

void FileDialog::draw_list(const Look& look, float height) {
  if (!ImGui::BeginChild("list", {0, height}, ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened)) {
    ImGui::EndChild();
    return;
  }
  fs::path enter;
  for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
    const Item& item = items_[static_cast<std::size_t>(i)];
    if (!passes(item)) continue;
    ImGui::PushID(i);
    const std::string shown = item.is_folder ? item.name + "/" : item.name;
    if (ImGui::Selectable("##item", i == selected_,
                          ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_NoAutoClosePopups)) {
      selected_ = i;
      overwrite_asked_ = false;
      // A click selects a file; a double click or Enter accepts it, or opens a folder.
      if (item.is_folder && (ImGui::IsMouseDoubleClicked(0) || ImGui::IsKeyPressed(ImGuiKey_Enter)))
        enter = item.path;
      else if (!item.is_folder)
        name_ = item.name;
      if (!item.is_folder && (ImGui::IsMouseDoubleClicked(0) || ImGui::IsKeyPressed(ImGuiKey_Enter))) enter = item.path;
      if (item.is_folder && request_.mode == Mode::open_folder) name_ = item.name;
    }
    const ImVec2 low = ImGui::GetItemRectMin();
    look.figures.text(*ImGui::GetWindowDrawList(), {low.x + look.px(6), low.y + look.px(1)}, shown, 14, figures::Font::words,
                      item.is_folder ? look.theme.info : look.theme.text);
    if (!item.size.empty()) {
      const float w = look.figures.width(item.size, kSmall, figures::Font::mono) * look.scale;
      look.figures.text(*ImGui::GetWindowDrawList(), {ImGui::GetItemRectMax().x - w - look.px(6), low.y + look.px(1)}, item.size,
                        kSmall, figures::Font::mono, look.theme.faint);
    }
    ImGui::PopID();
  }
  ImGui::EndChild();
  if (!enter.empty()) choose(enter);
}

void FileDialog::draw(const Look& look) {
  if (!open_) return;
  const char* id = "###files";
  const std::string title = request_.title + id;
  if (appearing_) {
    ImGui::OpenPopup(title.c_str());
    appearing_ = false;
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(look.px(720), screen.x - look.px(32)), std::min(look.px(560), screen.y - look.px(32))});
  if (!ImGui::BeginPopupModal(title.c_str(), nullptr,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar))
    return;
  words(look, request_.title, look.theme.text, kHeading);
  if (button(look, labelled(tr("Up"), "up").c_str(), 0, 30)) go(folder_.parent_path());
  tooltip(look, tr("The folder that holds this one"));
  ImGui::SameLine();
  if (button(look, labelled(tr("Home"), "home").c_str(), 0, 30))
    if (const char* home = std::getenv("HOME")) go(home);
  tooltip(look, tr("Your own folder"));
  ImGui::SameLine();
  ImGui::SetNextItemWidth(look.px(180));
  text_input("##filter", filter_, tr("filter by name"));
  tooltip(look, tr("Only names that hold these letters are listed"));
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x;
  look.figures.text(*ImGui::GetWindowDrawList(), {ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y + look.px(6)},
                    gl::valid_utf8(folder_.string()), kSmall, figures::Font::mono, look.theme.secondary, room);
  ImGui::NewLine();
  const float below = look.px(error_.empty() ? 100 : 128);
  draw_list(look, std::max(look.px(80), ImGui::GetContentRegionAvail().y - below));

  ImGui::SetNextItemWidth(-1);
  if (focus_name_) ImGui::SetKeyboardFocusHere();
  focus_name_ = false;
  const char* hint = request_.mode == Mode::open_folder ? tr("folder (empty: this one)") : tr("name or path");
  const std::string before = name_;
  const bool entered = text_input("##name", name_, hint, ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip(look, tr("A name in this folder, or a whole path"));
  if (name_ != before) overwrite_asked_ = false;
  if (!error_.empty()) words(look, error_, look.theme.wrong);
  const char* verb = request_.mode == Mode::save_file     ? tr("Save")
                     : request_.mode == Mode::open_folder ? tr("Open folder")
                                                          : tr("Open");
  const float verb_width = look.px(120);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - 2 * verb_width - look.px(16) - look.px(8));
  if (button(look, labelled(tr("Cancel"), "cancel").c_str(), verb_width) || ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
  tooltip(look, tr("Changes nothing (Escape)"));
  ImGui::SameLine();
  const bool ready = !name_.empty() || request_.mode == Mode::open_folder;
  const bool pressed = button(look, labelled(verb, "verb").c_str(), verb_width, 34, true, ready);
  tooltip(look, tr("Takes the name above (Enter)"));
  if ((pressed || entered) && ready) {
    fs::path path = name_.empty() ? folder_ : typed(name_, folder_);
    // A name in the list may contain bytes that are not text, so the path itself is used.
    if (selected_ >= 0 && items_[static_cast<std::size_t>(selected_)].name == name_)
      path = items_[static_cast<std::size_t>(selected_)].path;
    if (request_.mode == Mode::save_file && !path.has_extension() && !request_.extensions.empty())
      path += request_.extensions.front();
    choose(path);
    if (open_) focus_name_ = true;
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace headlight::window
