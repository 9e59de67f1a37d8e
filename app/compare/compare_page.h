#pragma once

#include <QVariantMap>
#include <QWidget>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/compare/compared_side.h"
#include "app/compare/comparison.h"
#include "app/runs/open/shown_run.h"
#include "engine/config/load.h"
#include "widgets/image_view/export_button.h"
#include "widgets/instances/wanted_instance.h"
#include "widgets/jobs/latest_job.h"

class QButtonGroup;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QLayout;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace lockstep::widgets {
class ComparisonTables;
class DropHint;
class EmptyState;
class PairedView;
struct CanvasScene;
struct ConfusionCell;
struct DecodedImage;
struct SceneRequest;
struct ShownResults;
enum class TableFormat;
}  // namespace lockstep::widgets

namespace lockstep::app {

class ComparedCurves;

/// The Compare page: two of the shown runs, two checkpoints of one, or results files of any
/// program, A beside B. Loads nothing before it is first shown.
class ComparePage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePage(QWidget* parent = nullptr);

  /// The one that was selected first is A, the next one B, unless others that are still shown were
  /// chosen here.
  void setRuns(const std::vector<ShownRun>& runs);
  /// The shown runs are A and B then, whatever was chosen here; of one, two of its checkpoints, or
  /// what it is compared with already.
  void compareShown();
  /// A is this checkpoint of a shown run then, and B can be chosen.
  void compareCheckpoint(const QString& folder, qint64 step);
  /// In the place of B, or of A if there is nothing else.
  void openResults(const ResultsSource& source);
  /// In the place of A (0) or B (1).
  void openResultsAt(std::size_t side, const ResultsSource& source);
  /// What was chosen here, for the next start.
  QVariantMap viewState() const;
  /// Runs that are not shown yet are waited for.
  void restoreViewState(const QVariantMap& state);
  bool isReady() const;
  widgets::ComparisonTables* tables() const { return tables_; }
  widgets::PairedView* view() const { return view_; }
  ComparedCurves* curves() const { return curves_; }
  /// A and B with the shown image, for files; empty: none is shown.
  std::vector<widgets::ShownResults> shown() const;
  /// What is found, or what there is to do; empty: it is being computed.
  QString verdict() const;
  const std::optional<widgets::ResultsPair>& results() const { return comparison_->figures(); }

 public Q_SLOTS:
  void swapSides();

 Q_SIGNALS:
  void readyChanged();
  /// What is shown, to files.
  void exportRequested(lockstep::widgets::ExportKind kind);
  /// To be looked at on Predictions.
  void predictionsRequested(const QString& folder, qint64 step, const lockstep::coco::Image& image,
                            const lockstep::widgets::WantedInstance& instance);
  /// viewState() is another one.
  void viewStateChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Side {
    ComparedSide* of = nullptr;
    QLabel* name = nullptr;
    QComboBox *runs = nullptr, *steps = nullptr;
    QString path;  ///< folder of the chosen run, or the results file
  };
  struct Settings {
    std::vector<config::ConfigDifference> differences;
    QString failure;
  };
  struct ShownImage {
    std::shared_ptr<const widgets::DecodedImage> image;
    std::array<std::shared_ptr<const widgets::CanvasScene>, 2> scenes;
    QString failure;
    widgets::PairedObject object;
    std::array<double, 2> scores{};  ///< from which detections are drawn
  };
  /// What is in the way of a comparison.
  struct Obstacle {
    QString title, cause, action{};
    std::function<void()> act{};  ///< of the action
    QString otherAction{};
    std::function<void()> actOther{};
  };

  void buildUi();
  QWidget* buildSides();
  QLayout* buildVerdict();
  QWidget* buildViewer();
  void connectSignals();
  void connectSides();
  void connectComparison();
  void connectLists();
  void connectChoices();
  void addNamedActions();
  void addPredictionsActions();
  void addTableActions();
  void copyTable(widgets::TableFormat format);
  /// Shows the outcome of an action among the notes; empty: nothing to report.
  void say(const QString& what);
  bool keepsChoice(const std::vector<ShownRun>& runs) const;
  QString usualRun(std::size_t side) const;
  void chooseRuns();
  void fillRuns(Side& side);
  void takeChoice(Side& side);
  void chooseRun(Side& side, const QString& path);
  void showChoice(Side& side);
  void showSteps(Side& side);
  /// What both are judged by is there.
  bool areRead() const;
  /// Whether A and B are the same checkpoint.
  bool areSame() const;
  bool isShown(const QString& path) const;
  void applyKeptState();
  void beginAt(Side& side, const std::optional<qint64>& step);
  /// One run is shown, and nobody has chosen other steps of it.
  bool isOneRunByItself() const;
  /// Something else takes this side: the other is no earlier checkpoint for comparison any more.
  void leaveOneRun(std::size_t side);
  void askForResults(std::size_t side);
  void askForAnnotations(std::size_t side);
  std::size_t sideAt(QPointF place) const;
  void showDropHint(const QDropEvent& event);
  void placeHead();
  void placeTables();
  void showEmpty(const std::optional<Obstacle>& way);
  void clearShown();
  void judgeFiles();
  void findDatasetDifference();
  void refresh();
  void compare();
  void showFigures();
  void showCurves();
  void takeSteps(const std::array<std::optional<qint64>, 2>& steps);
  void compareSettings();
  void listCell(const widgets::ConfusionCell& cell);
  std::array<widgets::SceneRequest, 2> scenesOf(const widgets::PairedObject& object) const;
  /// Of what is meant in the shown image; A if it is in both.
  std::size_t sideToOpen() const;
  void showInPredictions(std::size_t side);
  double scoreToShow(const widgets::PairedObject& object, std::size_t side) const;
  void showObject(const widgets::PairedObject& object);
  void showImage(const ShownImage& shown);
  void showInBoth(const ShownImage& shown);
  void showState();
  void showOffer(bool isCompared);
  void showTables();
  void takeOffer();
  void predictOthers();
  void readAgain();
  void announceViewState();
  QVariantList keptSides() const;
  QString verdictNow() const;
  QString notes() const;
  QStringList notesOf(std::size_t side) const;
  QString nameOf(std::size_t side) const;
  std::optional<Obstacle> obstacle();
  /// Of a results file, whatever the other side is.
  std::optional<Obstacle> unreadableFile();
  /// Nothing is chosen for a side.
  std::optional<Obstacle> emptySide();
  std::optional<Obstacle> obstacleOf(std::size_t side);
  Obstacle failureOf(std::size_t side);
  Obstacle withAnother(std::size_t side, Obstacle way);
  Obstacle otherData();
  /// The first side that is a results file.
  std::optional<std::size_t> fileSide() const;
  /// Of both: the rules of a side that the other cannot follow are left.
  widgets::MatchRules rules() const;
  QString rulesNote() const;
  QString predictingNote() const;
  QString oneRunNote() const;
  /// Of the first side (0) or the second.
  static QString letterOf(std::size_t side) { return side == 0 ? tr("A") : tr("B"); }

  std::vector<ShownRun> shown_;              ///< in the order of their selection
  QString current_;                          ///< folder of the window's current run
  std::map<QString, ResultsSource> opened_;  ///< by the path of the results
  std::array<Side, 2> sides_;
  Comparison* comparison_ = nullptr;
  QGridLayout* head_ = nullptr;
  std::optional<bool> isOneRow_;  ///< A beside B in head_; std::nullopt: nothing is placed yet
  QLabel* verdict_ = nullptr;
  /// To predict what a side has not predicted, to stop that, or to read again what failed.
  QPushButton* offer_ = nullptr;
  QToolButton *swap_ = nullptr, *tablesShown_ = nullptr;
  widgets::ExportButton* toFiles_ = nullptr;
  widgets::DropHint* dropHint_ = nullptr;
  QSplitter* split_ = nullptr;
  widgets::ComparisonTables* tables_ = nullptr;
  ComparedCurves* curves_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QWidget* viewer_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  widgets::PairedView* view_ = nullptr;
  QButtonGroup* modes_ = nullptr;
  QDoubleSpinBox* score_ = nullptr;
  /// Folders and attempts of the runs whose settings are shown: a resume may change them.
  std::array<std::pair<std::string, int>, 2> settingsOf_;
  /// Settings that differ; std::nullopt: a side is no run, or its settings are not read.
  std::optional<std::vector<config::ConfigDifference>> settings_;
  std::optional<ShownImage> shownImage_;
  int askedImages_ = 0;  ///< of objects, to drop those that are brought too late
  bool isBringingImage_ = false;
  QString said_;  ///< of the last action: what of a table was copied, or why nothing was done
  QString lastAnnotations_;    ///< that a person has chosen for a results file
  QString datasetDifference_;  ///< why the sides' images are not the same
  std::array<std::shared_ptr<const coco::Dataset>, 2> differenceOf_;
  bool hasChosen_ = false;                ///< a person has chosen a run or step here
  bool keepsFirst_ = false;               ///< A, while B is another of the runs that are shown now
  bool isSplitChosen_ = false;            ///< a person has moved the divider of tables and images
  bool isStale_ = true;                   ///< something has changed while the page was hidden
  std::optional<QVariantMap> keptState_;  ///< until its runs are shown
  QVariantMap announced_;                 ///< the last viewState()
  jobs::LatestJob<Settings> settingsJob_;
  jobs::LatestJob<ShownImage> imageJob_;
};

}  // namespace lockstep::app
