// ModelShelf: lists, opens, fetches and removes models in the background, so that the window never waits for a disk or a network.
// The shell owns it; the picker of models draws it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/lane.h"
#include "app/session/session.h"
#include "engine/core/status.h"
#include "engine/document/listed_models.h"

namespace headlight {

class ModelShelf {
 public:
  // `wake` is called on a thread of the shelf's when something has changed.
  explicit ModelShelf(std::function<void()> wake = {});
  ~ModelShelf();  // cancels what is being fetched, and waits for that
  ModelShelf(const ModelShelf&) = delete;
  ModelShelf& operator=(const ModelShelf&) = delete;

  using List = std::vector<ListedModel>;
  std::shared_ptr<const List> list() const;  // as it was read last; null: not yet
  void read();                               // reads the list anew; the last one stays meanwhile

  // Opens a model, as a document names it, and reads it from the disk; or the models that a session names, and then the session.
  // Tells of it in take_news(). Only the newest one is told of.
  void open(const std::string& name);
  void open_session(const std::filesystem::path& file);
  void forget_opening();  // what is being opened is not told of any more
  struct Progress {
    std::string name;
    std::uint64_t done = 0, total = 0;  // bytes; total 0: not known yet
    double seconds = 0;                 // since a fetch began
    double share() const { return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0; }
  };
  std::optional<Progress> opening() const;  // the model that is being opened

  // Fetches a model of the catalogue. One at a time: false, and nothing happens, while another is being fetched.
  bool get(const std::string& name);
  void cancel();  // ends the fetching; nothing of the model is left
  std::optional<Progress> fetching() const;
  void remove(const std::string& name);  // a fetched one

  // What has ended, in its order; each is told once.
  struct News {
    enum class What { opened, session, fetched, removed } what;
    std::string name;  // of a session: its file
    std::optional<Error> error;
    std::shared_ptr<const StoredModel> model;  // opened
    std::uint64_t bytes = 0;                   // removed
    std::shared_ptr<Session> session;          // session
  };
  std::vector<News> take_news();
  void wait();  // returns once nothing is being done

 private:
  struct State;
  // Opens these models one after the other and finishes the news, unless something newer is to be opened.
  void open_all(std::vector<std::string> models, News news, std::function<void(News&)> finish);
  std::shared_ptr<State> state_;
  BackgroundLane reading_, fetching_;  // a fetch takes minutes: other work does not wait for it
};

}  // namespace headlight
