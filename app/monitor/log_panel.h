#pragma once

#include <QWidget>
#include <vector>

#include "app/models/log_model.h"
#include "engine/protocol/messages.h"

class QComboBox;
class QLineEdit;
class QStackedWidget;
class QTabBar;

namespace lockstep::app {

class LogFilter;
class LogList;

/// Log and alerts of the current run.
class LogPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LogPanel(QWidget* parent = nullptr);

  /// Tabs and filter; the caller places them.
  QWidget* head() const { return head_; }
  void setLog(const std::vector<LogEntry>& entries);
  /// `checkpointSteps`: of the run, ascending.
  void setAlerts(const std::vector<protocol::Alert>& alerts,
                 const std::vector<std::int64_t>& checkpointSteps);
  void showAlerts();
  void focusFilter();

 Q_SIGNALS:
  /// A line of the log was activated.
  void stepChosen(qint64 step);
  /// Clicked or activated: show where it is in the curves.
  void alertChosen(const lockstep::protocol::Alert& alert);

 private:
  void buildUi();
  void connectSignals();
  void buildFilters();
  void updateEmptyText();

  QWidget* head_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QComboBox* level_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  LogModel* log_ = nullptr;
  LogModel* alerts_ = nullptr;
  LogFilter* shownLog_ = nullptr;
  LogList* logList_ = nullptr;
  LogList* alertList_ = nullptr;
  std::vector<protocol::Alert> shownAlerts_;
};

}  // namespace lockstep::app
