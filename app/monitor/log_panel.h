#pragma once

#include <QAbstractListModel>
#include <QWidget>
#include <vector>

#include "app/models/log_model.h"
#include "engine/protocol/messages.h"

class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStackedWidget;
class QTabBar;

namespace lockstep::app {

/// Log and alerts of the current run.
class LogPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LogPanel(QWidget* parent = nullptr);

  /// Tabs and filter; the caller places them.
  QWidget* head() const { return head_; }
  void setLog(const std::vector<LogEntry>& entries);
  void setAlerts(const std::vector<protocol::Alert>& alerts);
  void showAlerts();

 Q_SIGNALS:
  /// An alert or a log line was activated: show its step.
  void stepChosen(qint64 step);

 private:
  void buildUi();
  void connectSignals();
  QListView* makeList(QAbstractItemModel* model, const QString& name, const QString& emptyText);

  QWidget* head_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  LogModel* log_ = nullptr;
  LogModel* alerts_ = nullptr;
  QSortFilterProxyModel* shownLog_ = nullptr;
  QListView* logList_ = nullptr;
  QListView* alertList_ = nullptr;
};

}  // namespace lockstep::app
