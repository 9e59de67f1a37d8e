#pragma once

#include <QMutex>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <optional>

#include "app/controllers/draft_folder.h"
#include "engine/base/file_lock.h"

namespace lockstep::app {

/// Writes one document's draft to disk. The file stays when this object is destroyed, as an
/// orphaned draft; drop() removes it.
class DraftKeeper : public QObject {
  Q_OBJECT

 public:
  DraftKeeper(const QString& folder, const QString& id, base::FileLock lock);
  ~DraftKeeper() override;

  QString id() const { return id_; }
  /// Writes it in a worker thread; of several waiting drafts only the newest.
  void keep(const Draft& draft);
  /// Blocks until the last draft is on disk.
  void finish();
  /// Removes the file, after a write in progress.
  void drop();

 Q_SIGNALS:
  /// A write failed; a later one succeeded again.
  void failed(const QString& reason);
  void recovered();

 private:
  void writeWaiting();

  QString file_, lockFile_, id_;
  base::FileLock lock_;
  QThreadPool writer_;  ///< one thread: writes are in order
  QMutex mutex_;        ///< guards waiting_
  std::optional<Draft> waiting_;
  bool hasFailed_ = false;  ///< used in the writer thread only
};

/// A draft as JSON, and back; nothing if the text is not a draft.
QByteArray jsonOf(const Draft& draft);
std::optional<Draft> draftOf(const QByteArray& json);

}  // namespace lockstep::app
