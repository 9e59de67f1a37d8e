#pragma once

#include <QWidget>
#include <vector>

#include "app/monitor/log_model.h"
#include "engine/protocol/messages.h"

class QComboBox;
class QLineEdit;
class QStackedWidget;
class QTabBar;

namespace lockstep::widgets {
class FoldButton;
}

namespace lockstep::app {

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
  /// Tabs and filter alone are in sight, or all again.
  void setFolded(bool isFolded);
  /// The log has a line that says what went wrong.
  bool hasErrors() const { return hasErrors_; }
  void showAlerts();
  void focusFilter();

 Q_SIGNALS:
  /// The mark beside the tabs was clicked, or a tab while it is folded.
  void foldRequested(bool isFolded);
  /// A line of the log was activated.
  void stepChosen(qint64 step);
  /// Clicked or activated: show where it is in the curves.
  void alertChosen(const lockstep::protocol::Alert& alert);

 private:
  void buildUi();
  void connectSignals();
  void buildFilters();
  void buildHead();
  void showFilters();
  void updateEmptyText();

  QWidget* head_ = nullptr;
  widgets::FoldButton* fold_ = nullptr;
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
  bool hasErrors_ = false;
};

}  // namespace lockstep::app
