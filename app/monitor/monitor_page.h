#pragma once

#include <QHash>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QVariantMap>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/cards/card_layout.h"
#include "app/monitor/card_settings.h"
#include "app/monitor/run_marks.h"
#include "app/runs/open/shown_run.h"
#include "widgets/curves/curve_source.h"

class QLabel;
class QScrollArea;
class QStackedLayout;

namespace lockstep::widgets {
class CurveCard;
class EmptyState;
class RunLegend;
class Throttle;
struct Figure;
enum class FigureContent;
}  // namespace lockstep::widgets

namespace lockstep::app {

class AlertBanner;
class CardSections;
class CurveTools;
class LinkedRange;
class LinkedZoom;
class ParameterSection;
class TagCards;
struct RunGroup;

/// The Monitor page: cards with curves of the selected runs and a linked cursor.
class MonitorPage : public QWidget {
  Q_OBJECT

 public:
  explicit MonitorPage(QWidget* parent = nullptr);

  /// The current run is first: its alerts and checkpoints are shown.
  void setRuns(std::vector<ShownRun> runs);
  /// Whether the run list has runs; for the text of the empty page.
  void setHasListedRuns(bool has);
  AlertBanner* alertBanner() const { return alert_; }
  ParameterSection* parameters() const;
  /// Also whether groups are joined.
  const CardSettings& cardSettings() const;
  void setCardSettings(const CardSettings& settings);
  /// Axes, zoom and search, for the next start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  /// The caller places them beside the tabs.
  CurveTools* tools() const { return tools_; }
  /// Moves the cursor of all cards to a step of the current run.
  void showStep(qint64 step);
  /// Moves the cursor to the evidence of an alert of the current run, and scrolls to its card.
  void showAlert(const protocol::Alert& alert);
  /// All visible cards are up to date.
  bool isReady() const;
  /// Those of every run, created with the first run.
  const std::vector<widgets::CurveCard*>& cards() const;
  /// The cards that are shown and have points, in the order of the page.
  std::vector<widgets::CurveCard*> shownCards() const;
  /// What these cards show, for a file.
  widgets::Figure figureOf(const std::vector<widgets::CurveCard*>& cards,
                           widgets::FigureContent content) const;
  /// The part of the page with the cards that can be seen.
  QWidget* cardArea() const;
  /// The section with this name, or nullptr.
  TagCards* section(const QString& name) const;

 public Q_SLOTS:
  void toggleLogY();
  void toggleLogX();
  void toggleOutliers();
  void resetViews();
  LinkedZoom* zoom() const { return zoom_; }
  LinkedRange* range() const { return range_; }
  CardSections* sections() const { return sections_; }
  /// Draws the runs of a section of the list as their mean and a band, or each.
  void toggleGroups();
  /// Curves, runs and marks that were hidden in a legend.
  void showAllCurves();
  /// Maximizes the card under the pointer, or restores all cards.
  void toggleMaximized();
  /// Returns whether a card was maximized.
  bool endMaximized();

 Q_SIGNALS:
  void readyChanged();
  void smoothingChanged(double weight);
  /// Requested in a card's menu; the step is of the current run.
  void predictionsRequested(qint64 step);
  /// By the keys, or by the pointer in a plot that has been clicked; the step is of the current
  /// run.
  void cursorMoved(qint64 step);
  void alertsRequested();
  /// `change`: KEY=VALUE, an advice; `step`: before which its evidence begins.
  void forkRequested(const QString& folder, const QString& change, qint64 step);
  /// Likewise, of an experiment that trains from the beginning.
  void copyRequested(const QString& folder, const QString& change);
  /// Of the empty page: a first experiment, of one's own data or on made scenes.
  void experimentRequested();
  void scenesRequested();
  /// In the menu of this card.
  void exportRequested(widgets::CurveCard* card);
  void cardSettingsChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  void connectSignals();
  void takeCard(widgets::CurveCard* card, const CardPlan& plan);
  void connectPlot(widgets::CurveCard* card);
  void updateTags();
  void maximize(widgets::CurveCard* card);
  void giveCurves(widgets::CurveCard* card, const CardPlan& plan);
  void updateEmptyState();
  void rebuildCurves();
  void updateCurves();
  bool updateScope();
  void updateMarks();
  void choosePredictionsAt(double x);
  void moveCursors(const widgets::CurveCard* pointedAt, std::optional<double> x);
  void updateFacts();
  void updateXExtent();
  void updateAxisNote();
  void updateMediaNote();
  void updateRunLegend();
  void toggleGroup(int group);
  void showOthers();
  /// Of all shown runs, or each a group of its own.
  std::vector<RunGroup> shownGroups() const;
  bool isHidden(const ShownRun& shown) const;
  /// All of its runs are.
  bool isHidden(const RunGroup& group) const;
  /// Without those that are hidden.
  std::vector<RunGroup> visibleGroups() const;
  std::vector<ShownRun> visibleRuns() const;
  void keepHiddenOf(const widgets::CurveCard* card, const QString& id);
  bool sharesRunWith(const std::vector<ShownRun>& others) const;
  void applyKeptView();
  const RunController* currentRun() const;

  std::vector<ShownRun> runs_;
  CurveTools* tools_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  CardSections* sections_ = nullptr;
  LinkedZoom* zoom_ = nullptr;
  LinkedRange* range_ = nullptr;
  QTimer searchPause_;
  std::size_t tagCount_ = 0;   ///< of the shown runs, when the sections were made
  bool hasOtherRuns_ = false;  ///< than then
  std::optional<std::pair<double, double>> xExtent_;
  widgets::EmptyState* empty_ = nullptr;
  AlertBanner* alert_ = nullptr;
  QLabel* axisNote_ = nullptr;               ///< runs that cannot be drawn over the x axis, and why
  QLabel* mediaNote_ = nullptr;              ///< logged media that no card shows
  widgets::RunLegend* runLegend_ = nullptr;  ///< shown for several runs
  widgets::Throttle* redraw_ = nullptr;
  widgets::XAxis axis_ = widgets::XAxis::Step;
  CardScope scope_;
  RunMarks marks_;
  QHash<QString, QStringList> hiddenCurves_;  ///< by card; a card may be made again
  QSet<QString> hiddenRuns_;                  ///< folders
  std::optional<QVariantMap> keptView_;       ///< until the runs are loaded
  bool hasListedRuns_ = false;
};

}  // namespace lockstep::app
