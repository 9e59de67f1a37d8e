#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>

#include "app/files/file_watch.h"
#include "engine/base/file_version.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Tells when files that were read have changed on the disk since: have other content, are gone or
/// there again. GUI thread only; no method blocks.
class WatchedFiles : public QObject {
  Q_OBJECT

 public:
  explicit WatchedFiles(QObject* parent = nullptr);

  /// Also watches this one. `read`: its version just before it was read.
  void add(const QString& file, const base::FileVersion& read);
  /// Watches none.
  void clear();

 Q_SIGNALS:
  /// Once for each change, when the files have come to rest.
  void changed();

 private:
  using Versions = std::map<QString, base::FileVersion>;
  void look();

  Versions files_;
  FileWatch watch_;
  QTimer settle_;
  jobs::Job look_;
  bool looksAgain_ = false;
  int looks_ = 0;
};

}  // namespace lockstep::app
