#pragma once

#include <QAbstractListModel>
#include <vector>

#include "app/models/run_history.h"

namespace lockstep::app {

/// Lines of a run's log, oldest first.
class LogModel : public QAbstractListModel {
  Q_OBJECT

 public:
  /// LevelRole: a LogEntry::Level.
  enum Role { TimeRole = Qt::UserRole + 1, StepRole, LevelRole, TextRole };
  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  /// Replaces the entries, but keeps the rows of the unchanged ones at the front.
  void setEntries(const std::vector<LogEntry>& entries);

 private:
  std::vector<LogEntry> entries_;
};

}  // namespace lockstep::app
