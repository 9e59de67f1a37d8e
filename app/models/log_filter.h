#pragma once

#include <QSortFilterProxyModel>
#include <QString>

#include "app/models/run_history.h"

namespace lockstep::app {

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
