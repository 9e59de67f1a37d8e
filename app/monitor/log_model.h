#pragma once

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <vector>

#include "app/runs/open/run_history.h"

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

/// The lines of a LogModel that have the words, of a level or above it.
class LogFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  /// As in hasAllWords().
  void setWords(const QString& words);
  void setLeastLevel(LogEntry::Level level);
  /// Whether there are lines, and none is shown.
  bool hidesAll() const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QString words_;
  LogEntry::Level least_ = LogEntry::Level::Progress;
};

}  // namespace lockstep::app
