#include "app/session/model_shelf.h"

#include <mutex>
#include <utility>

#include "app/session/worker.h"
#include "engine/architectures/architecture.h"
#include "engine/checkpoints/catalogue.h"
#include "engine/checkpoints/fetch.h"
#include "engine/checkpoints/read_ahead.h"
#include "engine/core/user_folder.h"

namespace headlight {

struct ModelShelf::State {
  std::mutex mutex;
  std::function<void()> wake;
  std::shared_ptr<const List> list;
  bool list_wanted = false;  // a reading waits to begin
  std::optional<Progress> opening;
  std::uint64_t opened = 0;  // counts what was to be opened
  std::optional<Progress> fetching;
  double fetching_since = 0;
  CancelSource cancel;
  std::vector<News> news;

  void tell(News one) {
    {
      const std::lock_guard lock(mutex);
      news.push_back(std::move(one));
    }
    if (wake) wake();
  }
};

ModelShelf::ModelShelf(std::function<void()> wake) : state_(std::make_shared<State>()) { state_->wake = std::move(wake); }

ModelShelf::~ModelShelf() { cancel(); }

std::shared_ptr<const ModelShelf::List> ModelShelf::list() const {
  const std::lock_guard lock(state_->mutex);
  return state_->list;
}

void ModelShelf::read() {
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->list_wanted, true)) return;
  }
  reading_.add([state = state_](const CancelToken& cancel) {
    {
      const std::lock_guard lock(state->mutex);
      state->list_wanted = false;
    }
    if (cancel.cancelled()) return;
    auto made = list_models();
    {
      const std::lock_guard lock(state->mutex);
      // Without a catalogue there are no assets, which everything else says.
      state->list = std::make_shared<const List>(made.ok() ? std::move(made).value() : List());
    }
    if (state->wake) state->wake();
  });
}

void ModelShelf::open_all(std::vector<std::string> models, News news, std::function<void(News&)> finish) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(state_->mutex);
    state_->opening = Progress{models.empty() ? news.name : models.front(), 0, 0, 0};
    number = ++state_->opened;
  }
  reading_.add([state = state_, models = std::move(models), news = std::move(news), finish = std::move(finish),
                number](const CancelToken& cancel) mutable {
    // False if something newer is to be opened.
    const auto told = [&](const Progress& progress) {
      {
        const std::lock_guard lock(state->mutex);
        if (state->opened != number) return false;
        state->opening = progress;
      }
      if (state->wake) state->wake();
      return true;
    };
    for (const std::string& name : models) {
      if (cancel.cancelled() || !told({name, 0, 0, 0})) return;
      const auto model = open_stored_model(name);  // an error is said by what asks for the model next
      if (!model.ok() || !is_published(**model)) continue;
      CancelSource newer;
      checkpoints::read_ahead(
          *(*model)->checkpoint->file,
          [&](std::uint64_t done, std::uint64_t total) {
            if (cancel.cancelled() || !told({name, done, total, 0})) newer.cancel();
          },
          newer.token());
    }
    finish(news);
    {
      const std::lock_guard lock(state->mutex);
      if (state->opened != number) return;
      state->opening.reset();
      state->news.push_back(std::move(news));
    }
    if (state->wake) state->wake();
  });
}

void ModelShelf::open(const std::string& name) {
  open_all({name}, {News::What::opened, name, {}, nullptr, 0, nullptr}, [](News& news) {
    auto model = open_stored_model(news.name);
    if (model.ok())
      news.model = std::move(model).value();
    else
      news.error = model.error();
  });
}

void ModelShelf::open_session(const std::filesystem::path& file) {
  const auto outline = session_outline(file);
  open_all(outline.ok() ? outline->models : std::vector<std::string>(),
           {News::What::session, file.string(), {}, nullptr, 0, nullptr}, [](News& news) {
             auto session = load_session(news.name);
             if (session.ok())
               news.session = std::make_shared<Session>(std::move(session).value());
             else
               news.error = session.error();
           });
}

void ModelShelf::forget_opening() {
  const std::lock_guard lock(state_->mutex);
  ++state_->opened;
  state_->opening.reset();
  std::erase_if(state_->news, [](const News& one) { return one.what == News::What::opened || one.what == News::What::session; });
}

std::optional<ModelShelf::Progress> ModelShelf::opening() const {
  const std::lock_guard lock(state_->mutex);
  return state_->opening;
}

bool ModelShelf::get(const std::string& name) {
  CancelToken token;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->fetching) return false;
    state_->fetching = Progress{name, 0, 0, 0};
    state_->fetching_since = steady_seconds();
    state_->cancel = CancelSource();
    token = state_->cancel.token();
  }
  fetching_.add([state = state_, name, token](const CancelToken&) {
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      {
        const std::lock_guard lock(state->mutex);
        state->fetching->done = done;
        state->fetching->total = total;
      }
      if (state->wake) state->wake();
    };
    const auto fetch = [&]() -> Result<std::filesystem::path> {
      HL_ASSIGN(const checkpoints::CatalogueEntry entry, checkpoints::catalogue_entry(name));
      return checkpoints::fetch_model(entry, own_models_folder(), progress, token);
    };
    const auto folder = fetch();
    News news{News::What::fetched, name, {}, nullptr, 0, nullptr};
    if (!folder) news.error = folder.error();
    {
      const std::lock_guard lock(state->mutex);
      state->fetching.reset();
    }
    state->tell(std::move(news));
  });
  return true;
}

void ModelShelf::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->cancel.cancel();
}

std::optional<ModelShelf::Progress> ModelShelf::fetching() const {
  const std::lock_guard lock(state_->mutex);
  std::optional<Progress> now = state_->fetching;
  if (now) now->seconds = steady_seconds() - state_->fetching_since;
  return now;
}

void ModelShelf::remove(const std::string& name) {
  reading_.add([state = state_, name](const CancelToken& cancel) {
    if (cancel.cancelled()) return;
    const auto bytes = checkpoints::remove_model(name, own_models_folder());
    News news{News::What::removed, name, {}, nullptr, 0, nullptr};
    if (bytes.ok())
      news.bytes = *bytes;
    else
      news.error = bytes.error();
    state->tell(std::move(news));
  });
}

std::vector<ModelShelf::News> ModelShelf::take_news() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->news, {});
}

void ModelShelf::wait() {
  reading_.wait();
  fetching_.wait();
}

}  // namespace headlight
