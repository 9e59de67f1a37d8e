#pragma once

#include <QVariantMap>
#include <QWidget>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/filtered_ap.h"

class QBoxLayout;
class QLabel;
class QPushButton;

namespace lockstep::widgets {

class CheckpointCurve;
class ClassFilter;
class ClassSearch;
class ClassTable;
class CountCard;
class ImageHistoryTable;
class InstanceTable;
class PrecisionRecallCurve;
class PredictionStore;
class ValueSlider;

/// The right side of the Predictions page: checkpoint, thresholds, counts, classes, instances and
/// the precision-recall curve.
class PredictionsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionsPanel(QWidget* parent = nullptr);

  /// Shows its classes and number of images; nullptr: none.
  void setDataset(const coco::Dataset* dataset, const MatchRules& rules);
  /// Reads the steps and their AP from the store, which must outlive the panel.
  void showCheckpoints(const PredictionStore& store, qint64 current);
  /// In the place of steps; empty: steps are shown.
  void setResultsName(const QString& name) { resultsName_ = name; }
  /// `analysis` nullptr: not known. `here`: tallies of the shown image; nullptr: not predicted.
  void showCounts(const CheckpointAnalysis* analysis, std::optional<ImageId> here);
  /// The same where only the shown image is another one.
  void showImageCounts(const CheckpointAnalysis* analysis, std::optional<ImageId> here);

  /// AP of the analysis that showCounts() was given; std::nullopt: unknown.
  void showAp(const std::optional<ShownAp>& ap);

  /// Whether all images can be predicted, or are being predicted.
  struct AllImages {
    bool isOffered = false;
    QString blockedBy{};  ///< why it cannot be done now; empty: it can
    std::optional<std::pair<qint64, qint64>> progress{};  ///< images done, of
  };
  void showAllImages(const AllImages& all);

  /// Thresholds and hidden classes.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  MatchThresholds thresholds() const;
  const std::set<CategoryId>& hidden() const;
  /// Lowers the score threshold, and shows hidden classes, where these hide what has this class and
  /// score; false: nothing does, or it cannot be lowered any more.
  bool reveal(CategoryId category, double score);
  InstanceTable* table() const { return table_; }
  ClassTable* classTable() const { return classTable_; }
  CheckpointCurve* checkpointCurve() const { return checkpointCurve_; }
  ImageHistoryTable* history() const { return history_; }
  QString countText(Verdict verdict) const;

 public Q_SLOTS:
  void stepScore(int by);
  void stepCheckpoint(int by);

 Q_SIGNALS:
  void checkpointChosen(qint64 step);
  /// To predict all images, or to cancel that.
  void allImagesClicked();
  /// Thresholds or hidden classes.
  void filterChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  QWidget* buildFigures();
  QWidget* buildInstances();
  QString apName() const;
  void nameAps();
  void buildCheckpointSlider();
  void buildWidgets();
  void buildClasses();
  void connectSignals();
  std::optional<coco::Counts> allCounts(const CheckpointAnalysis* analysis) const;
  void showClassCounts(const CheckpointAnalysis* analysis);
  void showExtent();
  void showLowerScores(const CheckpointAnalysis* analysis);
  void showPastLimit(const CheckpointAnalysis* analysis);
  void showJudgement(const CheckpointAnalysis* analysis);
  void showForeign(const CheckpointAnalysis* analysis);

  const PredictionStore* store_ = nullptr;
  std::vector<coco::Category> classes_;
  int imageCount_ = 0, predictedCount_ = 0;
  QString resultsName_;
  ValueSlider* checkpoint_ = nullptr;
  CheckpointCurve* checkpointCurve_ = nullptr;
  QLabel* classApName_ = nullptr;
  ClassSearch* classSearch_ = nullptr;
  ClassTable* classTable_ = nullptr;
  QBoxLayout* thresholdRow_ = nullptr;
  ValueSlider* score_ = nullptr;
  QLabel* lowerScores_ = nullptr;
  ValueSlider* iou_ = nullptr;
  MatchRules rules_;
  coco::IouType judgedBy_ = rules_.type;  ///< the shown predictions, which may have no masks
  QLabel* noTruth_ = nullptr;
  QLabel* pastLimit_ = nullptr;
  QLabel* judgement_ = nullptr;
  QLabel* foreign_ = nullptr;
  QLabel* extent_ = nullptr;
  QPushButton* allImages_ = nullptr;
  QLabel* apTitle_ = nullptr;
  QLabel* ap_ = nullptr;
  CountCard* truePositives_ = nullptr;
  CountCard* falsePositives_ = nullptr;
  CountCard* missed_ = nullptr;
  ClassFilter* filter_ = nullptr;
  InstanceTable* table_ = nullptr;
  ImageHistoryTable* history_ = nullptr;
  PrecisionRecallCurve* curve_ = nullptr;
};

}  // namespace lockstep::widgets
