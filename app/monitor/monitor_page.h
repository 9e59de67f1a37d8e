#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "app/controllers/shown_run.h"
#include "app/models/card_layout.h"
#include "widgets/curves/curve_source.h"

class QLabel;
class QScrollArea;
class QStackedLayout;

namespace lockstep::widgets {
class CurveCard;
class EmptyState;
class RunLegend;
class Throttle;
}  // namespace lockstep::widgets

namespace lockstep::app {

class AlertBanner;
class CardGrid;
class CurveTools;

/// The Monitor page: cards of curves of the chosen runs, with one cursor over all of them.
class MonitorPage : public QWidget {
  Q_OBJECT

 public:
  explicit MonitorPage(QWidget* parent = nullptr);

  /// The first leads: its alerts and checkpoints are shown.
  void setRuns(std::vector<ShownRun> runs);
  /// Whether there are runs that could be shown, for the page without one.
  void setHasListedRuns(bool has);
  AlertBanner* alertBanner() const { return alert_; }
  /// To be placed beside the tabs.
  CurveTools* tools() const { return tools_; }
  /// Moves the cursor of all cards to a step of the leading run.
  void showStep(qint64 step);
  /// Every visible card shows what its runs hold.
  bool isReady() const;
  /// Made with the first run.
  const std::vector<widgets::CurveCard*>& cards() const;

 public Q_SLOTS:
  void toggleLogY();
  void toggleLogX();
  void toggleOutliers();
  void resetViews();
  /// The card under the pointer, or the first, alone; again: all.
  void toggleFullSize();

 Q_SIGNALS:
  void readyChanged();
  void smoothingChanged(double weight);
  /// Asked for in a card's menu, as the step of the leading run.
  void predictionsRequested(qint64 step);
  void alertsRequested();
  /// A picture could not be written: what, where and how to mend it.
  void exportFailed(const QString& why);
  void emptyActionTriggered();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  void connectSignals();
  void connectCard(widgets::CurveCard* card);
  void updateEmptyState();
  void rebuildCurves();
  void updateCurves();
  bool updateParts();
  void updateMarks();
  void choosePredictionsAt(double x);
  void showAlert(const protocol::Alert& alert);
  void updateFacts();
  void updateXExtent();
  void updateAxisNote();
  bool sharesRunWith(const std::vector<ShownRun>& others) const;
  const RunController* leading() const;

  std::vector<ShownRun> runs_;
  CurveTools* tools_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  CardGrid* grid_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  AlertBanner* alert_ = nullptr;
  QLabel* axisNote_ = nullptr;               ///< which runs cannot be drawn over the axis, and why
  widgets::RunLegend* runLegend_ = nullptr;  ///< of several runs
  widgets::Throttle* redraw_ = nullptr;
  widgets::XAxis axis_ = widgets::XAxis::Step;
  CardParts parts_;
  bool hasListedRuns_ = false;
};

}  // namespace lockstep::app
