#pragma once

#include <QByteArray>
#include <QObject>
#include <QSet>
#include <QString>
#include <deque>
#include <vector>

#include "app/engines/remote_place.h"
#include "app/files/run_file_access.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {

class EngineLink;

/// A copy of some files of a run on another machine, in the user's cache folder: each is fetched
/// over the run's link when it is asked for, and again if it has changed there. One after another,
/// in the order of the requests. While the link has no connection, requests wait for the next one.
/// GUI thread; no method blocks.
class RemoteFiles : public QObject {
  Q_OBJECT

 public:
  /// The copies of all runs together are kept below this size: what was fetched first goes first.
  static constexpr qint64 kMaxCacheBytes = qint64{1} << 30;

  static constexpr qint64 kLimitEveryBytes = qint64{64} << 20;

  RemoteFiles(EngineLink& link, const RemotePlace& run, QObject* parent = nullptr);

  ~RemoteFiles() override;

  RunFileAccess access();
  /// The run's files may have changed: asks again for those that are there.
  void checkAgain() { fresh_.clear(); }
  /// Handles the refusal of one of its requests; false: it is of another.
  bool handleRefusal(const QString& id, const QString& message);

 private:
  struct Fetch {
    QString localPath;
    std::vector<RunFileAccess::Done> done;
    QString id;               ///< of the pending request; empty: none
    bool isAsked = false;     ///< a request was sent, or the cache is being looked at
    QByteArray data;          ///< received so far
    qint64 cachedBytes = -1;  ///< of the file in the cache; -1: none
    qint64 cachedMs = 0;      ///< when it was modified there, since 1970
    double modified = 0;      ///< seconds since 1970, of the parts received so far
  };
  struct Cached {
    qint64 bytes = -1;
    qint64 modifiedMs = 0;
  };
  void fetch(const QString& localPath, RunFileAccess::Done done);
  void startNext();
  void ask(qint64 offset);
  void handlePart(const QString& id, const protocol::FilePart& part);
  void store();
  void finish(const QString& error);
  void failAll(const QString& error);
  QString remotePath(const QString& localPath) const;

  EngineLink& link_;
  QString cache_;              ///< of all runs
  QString folder_;             ///< of this run
  QString name_;               ///< of the run, for messages
  std::deque<Fetch> fetches_;  ///< the first one is in progress
  QSet<QString> fresh_;        ///< known to be as they are there, unless they left the cache
  qint64 storedBytes_ = kLimitEveryBytes;  ///< since the cache was limited; at first it is due
  int generation_ = 0;                     ///< of the first fetch, to drop late results of the disk
};

/// Removes files below the folder, those first that were written first, until the rest is within
/// the limit. Blocks.
void limitFolder(const QString& folder, qint64 maxBytes);

}  // namespace lockstep::app
