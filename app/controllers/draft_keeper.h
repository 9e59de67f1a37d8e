#pragma once

#include <QMutex>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <optional>

#include "app/controllers/draft_folder.h"
#include "engine/base/file_lock.h"

namespace lockstep::app {

/// Keeps one document's draft on disk for as long as it has unsaved edits. What is kept stays when
/// this is destroyed, and is found as left; drop() takes it away.
class DraftKeeper : public QObject {
  Q_OBJECT

 public:
  DraftKeeper(const QString& folder, const QString& id, base::FileLock lock);
  ~DraftKeeper() override;

  QString id() const { return id_; }
  /// Writes it in a thread; of several that wait the newest alone.
  void keep(const Draft& draft);
  /// Waits until what was given is on disk.
  void finish();
  /// The edits are saved or given up: removes the file. Waits for a write under way.
  void drop();

 Q_SIGNALS:
  /// It could not be written; and it can be again.
  void failed(const QString& reason);
  void recovered();

 private:
  void writeWaiting();

  QString file_, lockFile_, id_;
  base::FileLock lock_;
  QThreadPool writer_;  ///< one thread: writes are in order
  QMutex mutex_;        ///< of waiting_
  std::optional<Draft> waiting_;
  bool hasFailed_ = false;  ///< of the writer's thread
};

/// A draft as its file's JSON, and back; nothing of what is none.
QByteArray jsonOf(const Draft& draft);
std::optional<Draft> draftOf(const QByteArray& json);

}  // namespace lockstep::app
