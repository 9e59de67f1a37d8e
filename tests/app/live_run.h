#pragma once

#include <QByteArray>
#include <QTemporaryDir>
#include <optional>

#include "engine/events/reader.h"
#include "engine/protocol/messages.h"
#include "engine/run_folder/run_folder.h"
#include "tests/app/fake_socket.h"
#include "tests/app/made_run.h"

namespace lockstep::tests {

inline std::int64_t lastSeqIn(const QString& folder) {
  events::Reader reader(events::findEventFile(folder.toStdString()));
  return reader.readAvailable().back().seq;
}

inline QByteArray line(const protocol::EngineMessage& message) {
  return QByteArray::fromStdString(protocol::encode(message));
}

inline QByteArray scalars(std::int64_t seq, std::int64_t step) {
  return line(
      protocol::Scalars{seq, step, 1.8e9, {{"train/loss_total", static_cast<float>(step)}}});
}

inline QByteArray okOf(const char* id, const std::string& path) {
  return line(protocol::Ok{id, protocol::AnswerPath{path}});
}
inline QByteArray refusalOf(const char* id, const char* message) {
  return line(protocol::ErrorReply{id, message});
}
inline QByteArray progressOf(const char* id, std::int64_t done, std::int64_t of) {
  return line(protocol::RequestProgress{id, done, of});
}

/// A made run that is locked by a process and names its socket.
struct LiveRun {
  QTemporaryDir parent;
  QString folder;
  FakeSocket engine;
  std::optional<run_folder::RunLock> lock;
  std::int64_t last = 0;  ///< seq of its last record

  explicit LiveRun(MadeRun made = madeLive()) {
    folder = makeRun(parent.path(), made);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.socket = engine.path().toStdString();
    run_folder::writeRunInfo(layout, info);
    lock = run_folder::RunLock::tryAcquire(layout);
    last = lastSeqIn(folder);
  }
  static MadeRun madeLive() {
    MadeRun made;
    made.state = "running";
    made.steps = 20;
    return made;
  }
  QByteArray welcome() const {
    return line(protocol::Welcome{folder.toStdString(), 1, last, protocol::RunState::Running});
  }
};

}  // namespace lockstep::tests
