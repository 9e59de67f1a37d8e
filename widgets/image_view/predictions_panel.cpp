#include "widgets/image_view/predictions_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/coco/evaluation/past_limit.h"
#include "widgets/class_search.h"
#include "widgets/curves/number_text.h"
#include "widgets/elided_label.h"
#include "widgets/image_view/checkpoint_curve.h"
#include "widgets/image_view/class_filter.h"
#include "widgets/image_view/class_model.h"
#include "widgets/image_view/class_table.h"
#include "widgets/image_view/count_card.h"
#include "widgets/image_view/image_history_table.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/precision_recall_curve.h"
#include "widgets/image_view/value_slider.h"
#include "widgets/instances/filtered_ap.h"
#include "widgets/instances/precision_recall.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPercent = 100, kMinFiguresPx = 96, kMinTablePx = 128, kLowPanelPx = 720,
              kNarrowPanelPx = 344;
const QString kScoreKey = QStringLiteral("score"), kIouKey = QStringLiteral("iou"),
              kHiddenKey = QStringLiteral("hidden"), kClassesKey = QStringLiteral("classes");

QString hundredths(int value) {
  return QString::number(static_cast<double>(value) / kPercent, 'f', 2);
}

QLabel* sectionTitle(const QString& text) {
  auto* label = new ElidedLabel(text, Qt::ElideRight);
  setRole(label, "section");
  return label;
}

QLabel* smallLabel() {
  auto* label = new QLabel;
  label->setFont(interfaceFont(11));
  setRole(label, "muted");
  return label;
}

}  // namespace

PredictionsPanel::PredictionsPanel(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

void PredictionsPanel::buildCheckpointSlider() {
  checkpoint_ = new ValueSlider(tr("no checkpoint"), [this](int position) {
    if (!store_ || store_->checkpoints().empty() || !resultsName_.isEmpty()) return QString();
    const double ap =
        store_->averagePrecision(store_->checkpoints()[static_cast<std::size_t>(position)]);
    return tr("%1 %2").arg(apName(),
                           std::isfinite(ap) ? QString::number(ap, 'f', 3) : QStringLiteral("–"));
  });
  checkpoint_->setRange(0, 0);
  checkpointCurve_ = new CheckpointCurve;
  pastLimit_ = smallLabel();
  judgement_ = smallLabel();
  judgement_->setObjectName(QStringLiteral("judgement"));
  foreign_ = smallLabel();
  foreign_->setObjectName(QStringLiteral("foreignPredictions"));
  foreign_->setToolTip(
      tr("The predictions of this step were made on other data, or the annotation file has changed "
         "since."));
  noTruth_ = smallLabel();
  noTruth_->setObjectName(QStringLiteral("noTruth"));
  noTruth_->setText(tr("These images are not annotated: there is nothing to count or to match."));
  for (QLabel* label : {pastLimit_, judgement_, foreign_, noTruth_}) {
    label->setWordWrap(true);
    label->hide();
  }
}

void PredictionsPanel::buildWidgets() {
  buildCheckpointSlider();
  score_ = new ValueSlider(tr("Score threshold"), hundredths);
  score_->setToolTip(
      tr("Detections with a lower score are hidden and do not count. The model itself leaves out "
         "those\nbelow model.box_head.score_threshold, 0.05 unless it is set."));
  score_->setRange(0, kPercent);
  score_->setValue(50);
  lowerScores_ = smallLabel();
  lowerScores_->setObjectName(QStringLiteral("lowerScores"));
  lowerScores_->hide();
  iou_ = new ValueSlider(tr("IoU threshold"), hundredths);
  iou_->setToolTip(
      tr("A detection is right if its IoU with an object of its class reaches this:\n"
         "IoU of the masks, or of the boxes if the objects or any of the predictions have none."));
  iou_->setRange(5, 95);
  iou_->setValue(50);
  extent_ = smallLabel();
  extent_->setWordWrap(true);
  extent_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  extent_->setToolTip(
      tr("Counts and curve cover the predicted images: the watched ones "
         "(monitor.prediction_images)\nand those predicted on request."));
  allImages_ = new QPushButton;
  allImages_->setObjectName(QStringLiteral("predictAll"));
  setRole(allImages_, "quiet");
  truePositives_ = new CountCard(Verdict::TruePositive);
  falsePositives_ = new CountCard(Verdict::FalsePositive);
  missed_ = new CountCard(Verdict::Missed);
  for (CountCard* card : {truePositives_, falsePositives_, missed_})
    card->setToolTip(tr("Of the predicted images, at the thresholds above, of shown classes."));
  apTitle_ = smallLabel();
  apTitle_->setWordWrap(true);
  ap_ = new QLabel;
  ap_->setFont(monoFont(12));
  for (QLabel* label : {apTitle_, ap_})
    label->setToolTip(
        tr("Of the detections from the score threshold on and of the shown classes, over the "
           "predicted images:\nmean over IoU 0.50 to 0.95, as coco-eval. In parentheses the 95 % "
           "interval of %1 resamples of the images; that of coco-eval is of more.")
            .arg(FilteredAp::kResamples));
  buildClasses();
  table_ = new InstanceTable;
  table_->setMinimumHeight(scaledPx(kMinTablePx));
  history_ = new ImageHistoryTable;
  curve_ = new PrecisionRecallCurve;
}

void PredictionsPanel::buildClasses() {
  filter_ = new ClassFilter;
  classApName_ = smallLabel();
  classApName_->setObjectName(QStringLiteral("classAp"));
  classApName_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  classApName_->setWordWrap(true);
  classSearch_ = new ClassSearch;
  classSearch_->setObjectName(QStringLiteral("classSearch"));
  classSearch_->hide();
  classTable_ = new ClassTable;
}

void PredictionsPanel::buildUi() {
  buildWidgets();
  auto* figures = new QScrollArea;
  figures->setObjectName(QStringLiteral("predictionsPanel"));
  figures->setFrameShape(QFrame::NoFrame);
  figures->setFocusPolicy(Qt::NoFocus);
  figures->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  figures->setWidgetResizable(true);
  figures->setWidget(buildFigures());
  figures->setMinimumHeight(scaledPx(kMinFiguresPx));
  auto* split = new QSplitter(Qt::Vertical);
  split->setObjectName(QStringLiteral("predictionsPanelSplit"));
  split->setChildrenCollapsible(false);
  split->addWidget(figures);
  split->addWidget(buildInstances());
  split->setSizes({scaledPx(680), scaledPx(320)});  // the counts in sight at 1280x720
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(split);
}

/// Keeps the counts and classes in sight in a low panel, and the titles of sliders in a narrow one.
void PredictionsPanel::resizeEvent(QResizeEvent* event) {
  checkpointCurve_->setCompact(height() < scaledPx(kLowPanelPx));
  thresholdRow_->setDirection(width() < scaledPx(kNarrowPanelPx) ? QBoxLayout::TopToBottom
                                                                 : QBoxLayout::LeftToRight);
  QWidget::resizeEvent(event);
}

/// What stays in sight, below the figures.
QWidget* PredictionsPanel::buildInstances() {
  auto* part = new QWidget;
  setRole(part, "panel");
  auto* title = new QHBoxLayout;
  title->addWidget(sectionTitle(tr("Instances in this image")));
  title->addStretch();
  title->addWidget(filter_);
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(16, 6, 16, 8);
  column->setSpacing(4);
  column->addLayout(title);
  column->addWidget(table_, 1);
  return part;
}

QWidget* PredictionsPanel::buildFigures() {
  auto* counts = new QHBoxLayout;
  counts->addWidget(sectionTitle(tr("Counts")));
  counts->addWidget(extent_, 1);
  counts->addWidget(allImages_);
  auto* cards = new QHBoxLayout;
  cards->setSpacing(8);
  for (CountCard* card : {truePositives_, falsePositives_, missed_}) cards->addWidget(card, 1);
  auto* ap = new QHBoxLayout;
  ap->addWidget(apTitle_, 1);
  ap->addWidget(ap_);
  thresholdRow_ = new QHBoxLayout;
  thresholdRow_->setSpacing(16);
  thresholdRow_->addWidget(score_, 1);
  thresholdRow_->addWidget(iou_, 1);
  auto* classes = new QHBoxLayout;
  classes->addWidget(sectionTitle(tr("Classes")));
  classes->addWidget(classApName_, 1);
  auto* part = new QWidget;
  setRole(part, "panel");
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(16, 14, 16, 10);
  column->setSpacing(7);
  column->addWidget(sectionTitle(tr("Checkpoint")));
  column->addWidget(checkpoint_);
  column->addWidget(checkpointCurve_);
  column->addWidget(pastLimit_);
  column->addWidget(judgement_);
  column->addWidget(foreign_);
  column->addSpacing(3);
  column->addLayout(thresholdRow_);
  column->addWidget(lowerScores_);
  column->addSpacing(3);
  column->addLayout(counts);
  column->addWidget(noTruth_);
  column->addLayout(cards);
  column->addLayout(ap);
  column->addSpacing(3);
  column->addLayout(classes);
  column->addWidget(classSearch_);
  column->addWidget(classTable_);
  column->addSpacing(3);
  column->addWidget(sectionTitle(tr("PR curve")));
  column->addWidget(curve_);
  column->addSpacing(3);
  column->addWidget(sectionTitle(tr("This image through the checkpoints")));
  column->addWidget(history_);
  column->addStretch();
  return part;
}

void PredictionsPanel::connectSignals() {
  connect(checkpoint_, &ValueSlider::valueChosen, this, [this](int position) {
    if (!store_ || store_->checkpoints().empty()) return;
    Q_EMIT checkpointChosen(store_->checkpoints()[static_cast<std::size_t>(position)]);
  });
  connect(checkpointCurve_, &CheckpointCurve::stepChosen, this,
          &PredictionsPanel::checkpointChosen);
  connect(allImages_, &QPushButton::clicked, this, &PredictionsPanel::allImagesClicked);
  for (ValueSlider* slider : {score_, iou_})
    connect(slider, &ValueSlider::valueChosen, this, &PredictionsPanel::filterChanged);
  connect(history_, &ImageHistoryTable::stepChosen, this, &PredictionsPanel::checkpointChosen);
  connect(classSearch_, &QLineEdit::textChanged, classTable_,
          [this] { classTable_->setFilter(classSearch_->words()); });
  for (ValueSlider* slider : {score_, iou_})
    connect(slider, &ValueSlider::valueChosen, this, &PredictionsPanel::nameAps);
  connect(filter_, &ClassFilter::hiddenChanged, this, &PredictionsPanel::filterChanged);
}

void PredictionsPanel::setDataset(const coco::Dataset* dataset, const MatchRules& rules) {
  rules_ = rules;
  judgedBy_ = rules.type;
  noTruth_->setVisible(!rules.hasTruth);
  classes_ = dataset ? dataset->categories() : std::vector<coco::Category>();
  imageCount_ = dataset ? static_cast<int>(dataset->images().size()) : 0;
  filter_->setClasses(classes_);
  classTable_->setClasses(classes_);
  classSearch_->clear();
  classSearch_->showFor(classes_.size());
  checkpointCurve_->setApName(apName());
}

/// Of the run's evaluations.
QString PredictionsPanel::apName() const {
  return rules_.type == coco::IouType::Mask ? tr("mask AP") : tr("box AP");
}

/// Names the images and scores of each AP: the run's evaluation has others. The classes have an AP
/// at the IoU threshold alone.
void PredictionsPanel::nameAps() {
  const QString name = apNameAt(thresholds().iou);
  classTable_->setApName(name);
  const QString images = imageCount_ == 1 ? tr("the image")
                         : predictedCount_ == imageCount_
                             ? tr("all %Ln image(s)", "", imageCount_)
                             : tr("%L1 of %Ln image(s)", "", imageCount_).arg(predictedCount_);
  const QString score = hundredths(score_->value());
  const bool isOfMasks = judgedBy_ == coco::IouType::Mask;
  apTitle_->setText((isOfMasks ? tr("Mask AP of %1, score ≥ %2") : tr("Box AP of %1, score ≥ %2"))
                        .arg(images, score));
  classApName_->setText(
      (isOfMasks ? tr("mask %1 of %2, score ≥ %3") : tr("box %1 of %2, score ≥ %3"))
          .arg(name, images, score));
}

void PredictionsPanel::showCheckpoints(const PredictionStore& store, qint64 current) {
  store_ = &store;
  const std::vector<qint64>& steps = store.checkpoints();
  checkpointCurve_->setCheckpoints(steps, current);
  checkpoint_->setRange(0, std::max(0, static_cast<int>(steps.size()) - 1));
  if (steps.empty()) {
    checkpoint_->setTitle(tr("no checkpoint yet"));
    return;
  }
  checkpoint_->setValue(store.positionOf(current));
  if (!resultsName_.isEmpty()) {
    checkpoint_->setTitle(resultsName_);
    return checkpoint_->setToolTip(tr("Results of another program: there are no steps."));
  }
  const QString title = tr("step %1 of %2").arg(current).arg(steps.back());
  const bool isKept = store.isKept(current);
  checkpoint_->setTitle(isKept ? title : tr("%1 · no checkpoint").arg(title));
  checkpoint_->setToolTip(
      isKept ? tr("AP: of the run's evaluation at this step, of masks (of boxes "
                  "if it has none),\nmean over IoU 0.50 to 0.95 and over the "
                  "validation images that the run evaluates.\nThe sliders below do "
                  "not change it. %1.")
                   .arg(QString::fromStdString(coco::apLimitText(rules_.mostDetections())))
             : tr("There is no checkpoint of this step (see checkpoint.every and "
                  "checkpoint.keep):\nonly its stored predictions can be shown."));
}

std::optional<coco::Counts> PredictionsPanel::allCounts(const CheckpointAnalysis* analysis) const {
  if (!analysis || analysis->imageCount() == 0 || !rules_.hasTruth) return std::nullopt;
  return countsAt(analysis->all, thresholds().score, hidden());
}

void PredictionsPanel::showImageCounts(const CheckpointAnalysis* analysis,
                                       std::optional<ImageId> here) {
  const std::optional<coco::Counts> all = allCounts(analysis);
  std::optional<coco::Counts> ofImage;
  if (all && here) ofImage = analysis->countsOf(*here, thresholds().score, hidden());
  truePositives_->setCounts(all, ofImage);
  falsePositives_->setCounts(all, ofImage);
  missed_->setCounts(all, ofImage);
}

void PredictionsPanel::showCounts(const CheckpointAnalysis* analysis, std::optional<ImageId> here) {
  judgedBy_ = analysis ? analysis->overlaps->rules.type : rules_.type;
  predictedCount_ = analysis ? static_cast<int>(analysis->imageCount()) : 0;
  nameAps();
  const std::optional<coco::Counts> all = allCounts(analysis);
  showImageCounts(analysis, here);
  showExtent();
  showLowerScores(analysis);
  showPastLimit(analysis);
  showForeign(analysis);
  showJudgement(analysis);
  showClassCounts(analysis);
  if (!all) return curve_->setCurve({}, {});
  curve_->setCurve(precisionRecall(analysis->all, hidden()), precisionRecallAt(*all));
}

void PredictionsPanel::showAp(const std::optional<ShownAp>& ap) {
  const auto text = [](double value) { return QString::number(value, 'f', 3); };
  QString figures = QStringLiteral("–");
  if (ap && ap->ap >= 0) figures = text(ap->ap);
  if (ap && ap->interval && ap->interval->low >= 0)
    figures += tr(" (%1 to %2)").arg(text(ap->interval->low), text(ap->interval->high));
  ap_->setText(figures);
}

void PredictionsPanel::showClassCounts(const CheckpointAnalysis* analysis) {
  std::vector<std::optional<coco::Counts>> counts;
  for (const coco::Category& category : classes_) {
    counts.emplace_back();
    if (!analysis) continue;
    const auto found = analysis->all.find(category.id);
    if (found != analysis->all.end()) counts.back() = found->second.at(thresholds().score);
  }
  filter_->setCounts(counts);
}

void PredictionsPanel::showAllImages(const AllImages& all) {
  allImages_->setVisible(all.isOffered || all.progress);
  allImages_->setText(all.progress ? tr("Cancel") : tr("Predict all"));
  allImages_->setEnabled(all.progress || all.blockedBy.isEmpty());
  allImages_->setToolTip(!all.blockedBy.isEmpty() ? all.blockedBy
                         : all.progress
                             ? tr("Ends the prediction of all images")
                             : tr("Predicts all these images with this checkpoint; the run folder "
                                  "keeps them"));
  if (all.progress)
    extent_->setText(
        tr("predicting: %L1 of %Ln image(s)", "", static_cast<int>(all.progress->second))
            .arg(all.progress->first));
}

/// Shows how many images the counts cover: only predicted ones.
void PredictionsPanel::showExtent() {
  extent_->setText(imageCount_ == 0 ? QString()
                   : imageCount_ == 1
                       ? (predictedCount_ == 1 ? tr("the image is predicted") : tr("not predicted"))
                   : predictedCount_ == imageCount_
                       ? tr("all %Ln image(s) predicted", "", imageCount_)
                       : tr("%L1 of %Ln image(s) predicted", "", imageCount_).arg(predictedCount_));
}

/// A young model finds nothing, or nothing with a high score: without a word both would look the
/// same.
void PredictionsPanel::showLowerScores(const CheckpointAnalysis* analysis) {
  const auto detectionsFrom = [&](double score) {
    const coco::Counts counts =
        analysis ? countsAt(analysis->all, score, hidden()) : coco::Counts();
    return counts.truePositives + counts.falsePositives;
  };
  const auto lower = detectionsFrom(-std::numeric_limits<double>::infinity());
  lowerScores_->setText(
      lower == 0 ? tr("No detections, not even with lower scores")
                 : tr("%Ln detection(s), all with lower scores", "", static_cast<int>(lower)));
  lowerScores_->setVisible(rules_.hasTruth && analysis && analysis->imageCount() > 0 &&
                           detectionsFrom(thresholds().score) == 0);
}

/// Shows how many objects and detections AP ignores because of its limit, if any.
void PredictionsPanel::showPastLimit(const CheckpointAnalysis* analysis) {
  const coco::PastLimit past = analysis ? analysis->overlaps->pastLimit : coco::PastLimit();
  QStringList counts;
  if (past.objects > 0) counts << tr("%Ln object(s)", "", static_cast<int>(past.objects));
  if (past.detections > 0) counts << tr("%Ln detection(s)", "", static_cast<int>(past.detections));
  pastLimit_->setText(tr("Ignored by AP (over %1 per class and image): %2")
                          .arg(past.limit)
                          .arg(counts.join(QStringLiteral(" · "))));
  pastLimit_->setToolTip(QString::fromStdString(past.text()));
  pastLimit_->setVisible(!counts.isEmpty());
}

/// Predictions of images that the dataset does not have, such as those of an earlier version of it.
void PredictionsPanel::showForeign(const CheckpointAnalysis* analysis) {
  const std::size_t foreign =
      analysis ? analysis->overlaps->predictedImages - analysis->overlaps->images.size() : 0;
  foreign_->setText(tr("Predictions of %Ln image(s) that this dataset does not have are ignored",
                       "", static_cast<int>(foreign)));
  foreign_->setVisible(foreign > 0);
}

/// What a person would not expect of how these predictions are judged.
void PredictionsPanel::showJudgement(const CheckpointAnalysis* analysis) {
  QStringList notes;
  if (judgedBy_ != rules_.type)
    notes << tr("Evaluated on boxes: not all of these predictions have masks");
  const std::size_t unlisted = analysis ? analysis->overlaps->unlisted : 0;
  if (unlisted > 0)
    notes << tr("%Ln detection(s) ignored: of classes that the annotations do not list", "",
                static_cast<int>(unlisted));
  judgement_->setText(notes.join(u'\n'));
  judgement_->setVisible(!notes.isEmpty());
}

QVariantMap PredictionsPanel::viewState() const {
  return {{kScoreKey, score_->value()},
          {kIouKey, iou_->value()},
          {kHiddenKey, filter_->unchecked()},
          {kClassesKey, classTable_->viewState()}};
}

void PredictionsPanel::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  score_->setValue(state.value(kScoreKey).toInt());
  iou_->setValue(state.value(kIouKey).toInt());
  filter_->uncheck(state.value(kHiddenKey).toStringList());
  classTable_->restoreViewState(state.value(kClassesKey).toMap());
  nameAps();
  Q_EMIT filterChanged();
}

MatchThresholds PredictionsPanel::thresholds() const {
  return {static_cast<double>(score_->value()) / kPercent,
          static_cast<double>(iou_->value()) / kPercent};
}
const std::set<CategoryId>& PredictionsPanel::hidden() const { return filter_->hidden(); }

bool PredictionsPanel::reveal(CategoryId category, double score) {
  const bool isHidden = hidden().contains(category);
  const bool isBelow = score < thresholds().score && score_->value() > 0;
  if (isHidden) filter_->uncheck({});
  if (isBelow) score_->setValue(static_cast<int>(std::floor(std::max(score, 0.0) * kPercent)));
  if (isHidden || isBelow) Q_EMIT filterChanged();
  return isHidden || isBelow;
}

void PredictionsPanel::stepScore(int by) { score_->stepBy(by); }
void PredictionsPanel::stepCheckpoint(int by) { checkpoint_->stepBy(by); }

QString PredictionsPanel::countText(Verdict verdict) const {
  return verdict == Verdict::TruePositive    ? truePositives_->allText()
         : verdict == Verdict::FalsePositive ? falsePositives_->allText()
                                             : missed_->allText();
}

}  // namespace lockstep::widgets
