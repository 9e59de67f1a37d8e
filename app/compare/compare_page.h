#pragma once

#include <QWidget>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/compare/compared_run.h"
#include "app/controllers/shown_run.h"
#include "engine/config/load.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/instances/results_pair.h"
#include "widgets/jobs/latest_job.h"

class QButtonGroup;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace lockstep::widgets {
class ComparisonTables;
class EmptyState;
class PairedView;
struct CanvasScene;
struct DecodedImage;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// The Compare page: two of the shown runs, or two checkpoints of one, A beside B. Loads nothing
/// before it is first shown.
class ComparePage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePage(QWidget* parent = nullptr);

  /// The first is A and the second B, unless others that are still shown were chosen here.
  void setRuns(const std::vector<ShownRun>& runs);
  bool isReady() const;
  widgets::ComparisonTables* tables() const { return tables_; }
  widgets::PairedView* view() const { return view_; }
  /// What is found, or what there is to do; empty: it is being computed.
  QString verdict() const;
  const std::optional<widgets::ResultsPair>& results() const { return pair_; }

 public Q_SLOTS:
  void swapSides();

 Q_SIGNALS:
  void readyChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Side {
    ComparedRun* of = nullptr;
    QComboBox *runs = nullptr, *steps = nullptr;
    QString folder;  ///< of the chosen run
  };
  struct PairResult {
    std::optional<widgets::ResultsPair> pair;
    QString failure;
  };
  struct ObjectsResult {
    std::shared_ptr<const std::vector<widgets::PairedObject>> objects;
    QString failure;
  };
  struct MatchedResult {
    std::shared_ptr<const widgets::MatchedPair> pair;
    QString failure;
  };
  struct Confused {
    widgets::MatchedPair::Confusions both;
    double score = 0;
  };
  struct Others {
    QString title;
    std::shared_ptr<const std::vector<widgets::PairedObject>> objects;
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
  };
  /// What is in the way of a comparison.
  struct Obstacle {
    QString title, cause, action{};
    ComparedRun* toPredict = nullptr;
  };

  void buildUi();
  QWidget* buildSides();
  QWidget* buildViewer();
  void connectSignals();
  void connectAnalysis();
  void addNamedActions();
  void chooseRuns();
  void chooseRun(Side& side, const QString& folder);
  void showSteps(Side& side);
  /// Whether A and B are the same checkpoint.
  bool areSame() const;
  void beginAtEarlierStep(Side& side);
  void placeTables();
  void showEmpty(const std::optional<Obstacle>& way);
  void refresh();
  void compare();
  void showFigures();
  void compareSettings();
  void listObjects();
  void confuse();
  void listOthers(
      const QString& title,
      const std::function<std::vector<widgets::PairedObject>(const widgets::MatchedPair&)>& find);
  double scoreToShow(const widgets::PairedObject& object, std::size_t side) const;
  void showObject(const widgets::PairedObject& object);
  void showImage(const ShownImage& shown);
  void showState();
  std::optional<Obstacle> obstacle() const;
  std::optional<Obstacle> obstacleOf(const Side& side, const QString& letter) const;
  widgets::MatchRules rules() const;
  /// Of the first side (0) or the second.
  static QString letterOf(int side) { return side == 0 ? tr("A") : tr("B"); }

  std::vector<ShownRun> shown_;
  std::array<Side, 2> sides_;
  QLabel* verdict_ = nullptr;
  QToolButton* swap_ = nullptr;
  QSplitter* split_ = nullptr;
  widgets::ComparisonTables* tables_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QWidget* viewer_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  widgets::PairedView* view_ = nullptr;
  QButtonGroup* modes_ = nullptr;
  QDoubleSpinBox* score_ = nullptr;
  std::optional<widgets::ResultsPair> pair_;
  std::shared_ptr<const widgets::MatchedPair> matched_;
  /// Folders and attempts of the runs whose settings are shown: a resume may change them.
  std::array<std::pair<std::string, int>, 2> settingsOf_;
  QString failure_;            ///< of the comparison
  QString datasetDifference_;  ///< why the sides' images are not the same
  bool hasChosen_ = false;     ///< a person has chosen a run or step here
  jobs::LatestJob<PairResult> pairJob_;
  jobs::LatestJob<ObjectsResult> objectsJob_;
  jobs::LatestJob<MatchedResult> matchedJob_;
  jobs::LatestJob<Confused> confusionJob_;
  jobs::LatestJob<Others> othersJob_;
  jobs::LatestJob<Settings> settingsJob_;
  jobs::LatestJob<ShownImage> imageJob_;
};

}  // namespace lockstep::app
