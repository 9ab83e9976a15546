#include "app/session/autosave.h"

#include <algorithm>

namespace headlight {

Autosave::Autosave(std::filesystem::path path, std::optional<Session> saved, std::function<void()> notify)
    : path_(std::move(path)), notify_(std::move(notify)), saved_(std::move(saved)), thread_([this] { loop(); }) {}

Autosave::~Autosave() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Autosave::tick(const Session& session, double now) {
  const std::lock_guard lock(mutex_);
  if (newest_ && *newest_ == session) {
    if (dirty_since_ < 0) return;
  } else {
    newest_ = session;
    if (dirty_since_ < 0 && !(saved_ && *saved_ == session)) dirty_since_ = now;
  }
  if (dirty_since_ < 0 || now - dirty_since_ < kSeconds || writing_) return;
  queued_ = session;
  dirty_since_ = -1;
  changed_.notify_all();
}

double Autosave::due_in(double now) const {
  const std::lock_guard lock(mutex_);
  return dirty_since_ < 0 ? -1.0 : std::max(0.0, dirty_since_ + kSeconds - now);
}

Status Autosave::flush(const Session& session) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !writing_; });
  queued_.reset();
  dirty_since_ = -1;
  if (saved_ && *saved_ == session && last_.ok()) return {};
  lock.unlock();
  Status status = save_session(path_, session);
  lock.lock();
  last_ = status;
  if (status.ok()) saved_ = newest_ = session;
  return status;
}

Autosave::State Autosave::state() const {
  const std::lock_guard lock(mutex_);
  if (writing_ || queued_ || dirty_since_ >= 0) return State::waiting;
  return last_.ok() ? State::saved : State::failed;
}

Status Autosave::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Autosave::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return queued_.has_value() || quit_; });
    if (!queued_) return;  // quitting, and nothing is queued
    const Session session = std::move(*queued_);
    queued_.reset();
    writing_ = true;
    lock.unlock();
    Status status = save_session(path_, session);
    lock.lock();
    writing_ = false;
    last_ = status;
    if (status.ok()) saved_ = session;
    changed_.notify_all();
    lock.unlock();
    if (notify_) notify_();
    lock.lock();
  }
}

}  // namespace headlight
