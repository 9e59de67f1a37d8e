#pragma once

#include <QPointer>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/controllers/shown_run.h"
#include "app/monitor/monitor_cards.h"
#include "widgets/curves/curve_source.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QScrollArea;
class QStackedLayout;
class QToolButton;

namespace lockstep::widgets {
class CurveCard;
class EmptyState;
class RunLegend;
class Slider;
class Throttle;
}  // namespace lockstep::widgets

namespace lockstep::app {

class AlertBanner;

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
  /// Smoothing and x axis, to be placed beside the tabs.
  QWidget* tools() const { return tools_; }
  double smoothing() const;
  void setSmoothing(double weight);
  /// Moves the cursor of all cards to a step of the leading run.
  void showStep(qint64 step);
  /// Every visible card shows what its runs hold.
  bool isReady() const;
  /// Made with the first run.
  const std::vector<widgets::CurveCard*>& cards() const { return cards_; }

 public Q_SLOTS:
  void toggleLogY();
  void toggleLogX();
  void toggleSmoothing();
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
  void buildCards();
  void buildTools();
  void connectSignals();
  void connectCard(widgets::CurveCard* card);
  bool hasPlace(std::size_t card) const;
  void layOutCards();
  void showWhyEmpty();
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
  void setXAxis(widgets::XAxis axis);
  void showAlone(widgets::CurveCard* card);
  widgets::CurveCard* cardUnderPointer() const;
  const RunController* leading() const;

  std::vector<CardPlan> plans_;
  std::vector<widgets::CurveCard*> cards_;
  std::vector<ShownRun> runs_;
  QWidget* tools_ = nullptr;
  widgets::Slider* smoothing_ = nullptr;
  QLabel* smoothingLabel_ = nullptr;
  QLabel* smoothingText_ = nullptr;
  QComboBox* xAxis_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QWidget* grid_ = nullptr;
  QGridLayout* layout_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  AlertBanner* alert_ = nullptr;
  QLabel* axisNote_ = nullptr;               ///< which runs cannot be drawn over the axis, and why
  widgets::RunLegend* runLegend_ = nullptr;  ///< of several runs
  widgets::Throttle* redraw_ = nullptr;
  QPointer<widgets::CurveCard> alone_;
  widgets::XAxis axis_ = widgets::XAxis::Step;
  int ranks_ = 0;          ///< that the run tells of; none of a single one
  std::vector<int> gpus_;  ///< that the run tells of
  bool hasOneRun_ = false;
  bool hasListedRuns_ = false;
  std::optional<int> lateRank_;
  int columns_ = 0;
  int lastSmoothing_ = 600;
};

}  // namespace lockstep::app
