#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <deque>

#include "app/runs/list/facts.h"
#include "engine/events/tags.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Facts of runs, read in the background when they are wanted, and again when their files change.
/// For the GUI thread; no method blocks.
class RunFacts : public QObject {
  Q_OBJECT

 public:
  /// Event logs are read far enough back for this tag.
  explicit RunFacts(const char* rarestTag = events::tags::kEvalTotalLoss) : rarestTag_(rarestTag) {}

  /// Reads what is not known of these runs or has changed, after what was wanted before.
  void want(const QStringList& folders);
  /// nullptr: not read yet.
  const Facts* find(const QString& folder) const;
  /// Forgets runs that are no longer listed.
  void forget(const QStringList& folders);
  /// Whether runs are wanted that have not been read.
  bool isReading() const { return !waiting_.empty() || reading_.isRunning(); }
  /// Configuration keys and tags of all runs, sorted; tags of evaluations also without `eval/`.
  QStringList keys() const;
  /// Configuration keys that differ between these runs, sorted.
  QStringList differingKeys(const QStringList& folders) const;

 Q_SIGNALS:
  /// After each batch. Runs that are as they were are not named.
  void changed(const QStringList& folders);
  /// isReading() became false.
  void finished();

 private:
  struct Read {
    QString folder;
    VersionedFacts facts;
    bool isOther = true;  ///< than what was known
  };
  void startBatch();
  void keepBatch(std::vector<Read> batch);
  QString shared(const QString& text);
  void share(Facts& facts);

  const char* rarestTag_;
  QHash<QString, VersionedFacts> facts_;
  std::deque<QString> waiting_;
  QSet<QString> isWaiting_, isForgotten_;
  jobs::Job reading_;
  /// Most texts are those of other runs, and held once.
  QSet<QString> texts_;
  QHash<QStringList, std::shared_ptr<const QStringList>> keyLists_;
};

}  // namespace lockstep::app
