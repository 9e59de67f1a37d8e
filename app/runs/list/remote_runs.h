#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <vector>

#include "app/engines/remote_place.h"
#include "app/engines/ssh_process.h"
#include "app/runs/list/listed_run.h"

namespace lockstep::app {

/// Lists what is at a place on another machine: the runs of a folder, every few seconds while it is
/// watched, and more seldom while that fails; or that it is a run itself, once. No method blocks.
class RemoteRuns : public QObject {
  Q_OBJECT

 public:
  explicit RemoteRuns(const RemotePlace& place, QObject* parent = nullptr);

  const RemotePlace& place() const { return place_; }
  /// It is known what is there, or why not.
  bool hasAnswered() const { return hasAnswered_; }
  /// Whether somebody can see the list. The first time is at once.
  void setWatched(bool isWatched);
  /// The user's own notes of runs on other machines (run_folder::NotesByFolder); by default none.
  void setNotesFile(const QString& file) { notesFile_ = file; }
  /// How long a host may take to answer.
  void setTimeLimit(std::chrono::milliseconds limit) { limit_.setInterval(limit); }

 Q_SIGNALS:
  /// Or one run of which no more is known: it is no folder of runs, and what is there says itself
  /// when it is opened as a run.
  /// `leftOut`: number of older runs that are not listed.
  void listed(const std::vector<lockstep::app::ListedRun>& runs, qsizetype leftOut);
  /// Why the runs cannot be listed; it is tried again.
  void failed(const QString& reason);

 private:
  void list();
  bool read();
  void handleEnd(const SshProcess::End& end);
  void parse();
  void fail(const QString& reason, bool isPermanent = false);

  RemotePlace place_;
  SshProcess ssh_;
  QString notesFile_;
  QByteArray output_;
  QTimer next_;
  QTimer limit_;
  std::chrono::milliseconds delay_{0};  ///< after the last failure; 0: it was none
  bool isWatched_ = false;
  bool isRun_ = false;  ///< it is no folder of runs
  bool hasAnswered_ = false;
  bool isDue_ = true;  ///< to be listed as soon as somebody watches
};

}  // namespace lockstep::app
