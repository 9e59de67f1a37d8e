#pragma once

#include <QObject>
#include <QSet>
#include <QString>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

class RunListModel;

/// Notices when a run of the list that was training has finished or failed. One that was stopped is
/// none: somebody wanted that.
class RunEndings : public QObject {
  Q_OBJECT

 public:
  explicit RunEndings(const RunListModel* runs, QObject* parent = nullptr);

 Q_SIGNALS:
  /// `title`: "droplets failed"; `text`: why, or its best figure.
  void ended(const QString& folder, const QString& title, const QString& text);

 private:
  void look(int first, int last);

  const RunListModel* runs_;
  QSet<QString> training_;  ///< folders
};

/// What is said of a run that has ended.
QString endingText(const run_folder::RunInfo& info);

}  // namespace lockstep::app
