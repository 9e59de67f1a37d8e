#include "widgets/dataset_view/batch_sheets.h"

#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kDecodeThreads = 1;
constexpr qint64 kCacheKiB = 128 * 1024;
constexpr double kLargestSeed = 9007199254740992;  // of runtime.seed

/// "step-00000002-part-1.png" for a person.
QString nameOf(const QString& file) {
  static const QRegularExpression numbers(QStringLiteral("^step-0*(\\d+)(?:-part-(\\d+))?$"));
  const auto found = numbers.match(QFileInfo(file).completeBaseName());
  if (!found.hasMatch()) return QFileInfo(file).fileName();
  const QString step = BatchSheets::tr("Training batch of step %1").arg(found.captured(1));
  return found.captured(2).isEmpty() ? step
                                     : BatchSheets::tr("%1, part %2").arg(step, found.captured(2));
}

}  // namespace

BatchSheets::BatchSheets(QWidget* parent)
    : QWidget(parent),
      pictures_(
          kDecodeThreads, kCacheKiB,
          [](const DecodedImage& image) { return image.levels.sizeBytes() / 1024; },
          [this](const QString&) { showDecoded(); }) {
  pictures_.setIsFailure([](const DecodedImage& sheet) { return !sheet.failure.isEmpty(); });
  buildUi();
  buildPanel();
  connectSignals();
  showState();
}

void BatchSheets::buildUi() {
  name_ = new ElidedLabel(Qt::ElideRight);
  setRole(name_, "heading");
  place_ = new QLabel;
  setRole(place_, "muted");
  auto* header = new QHBoxLayout;
  header->addWidget(name_, 1);
  header->addWidget(place_);
  stage_ = new ImageStage;
  strip_ = new ThumbnailStrip;
  connect(stage_, &ImageStage::retryRequested, this, [this] {
    pictures_.forgetFailures();
    showSheet(strip_->current());
    strip_->reload();
  });
  auto* sheets = new QWidget;
  auto* column = new QVBoxLayout(sheets);
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(8);
  column->addLayout(header);
  column->addWidget(stage_, 1);
  column->addWidget(strip_);
  empty_ = new EmptyState;
  pages_ = new QStackedLayout(this);
  pages_->addWidget(sheets);
  pages_->addWidget(empty_);
}

void BatchSheets::buildPanel() {
  panel_ = new QWidget;
  state_ = new QLabel;
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(state_, "muted");
  seed_ = new QDoubleSpinBox;
  seed_->setDecimals(0);
  seed_->setRange(0, kLargestSeed);
  seed_->setAccessibleName(tr("Seed"));
  seed_->setToolTip(
      tr("Each seed gives different batches and augmentations. Training uses "
         "runtime.seed."));
  draw_ = new QPushButton;
  next_ = new QPushButton(tr("Another seed"));
  auto* seed = new QHBoxLayout;
  auto* label = new QLabel(tr("Seed"));
  label->setBuddy(seed_);
  seed->addWidget(label);
  seed->addWidget(seed_);
  seed->addStretch();
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(draw_);
  buttons->addWidget(next_);
  buttons->addStretch();
  auto* column = new QVBoxLayout(panel_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(state_);
  column->addLayout(seed);
  column->addLayout(buttons);
  column->addStretch();
}

void BatchSheets::connectSignals() {
  connect(strip_, &ThumbnailStrip::chosen, this, &BatchSheets::showSheet);
  connect(next_, &QPushButton::clicked, this, &BatchSheets::drawNextSeed);
  connect(draw_, &QPushButton::clicked, this, &BatchSheets::drawOrCancel);
  connect(empty_, &EmptyState::actionTriggered, this, &BatchSheets::drawOrCancel);
}

void BatchSheets::drawOrCancel() {
  if (progress_.isEmpty()) return draw();
  Q_EMIT cancelRequested();
}

ImageCanvas* BatchSheets::canvas() const { return stage_->canvas(); }

void BatchSheets::setTrainingSeed(qint64 seed) {
  trainingSeed_ = seed;
  seed_->setValue(static_cast<double>(seed));
  failure_.clear();
  setSheets({});
}

void BatchSheets::setSheets(const QStringList& files) {
  files_ = files;
  pictures_.clear();
  std::vector<ThumbnailStrip::Item> items;
  for (const QString& file : files_) items.push_back({file, {}, nameOf(file)});
  strip_->setItems(std::move(items));
  strip_->setVisible(!files_.isEmpty());
  showSheet(0);
  showState();
}

void BatchSheets::setFailure(const QString& reason) {
  failure_ = reason;
  setSheets({});
}

void BatchSheets::setProgress(const QString& text) {
  progress_ = text;
  showState();
}

void BatchSheets::draw() {
  if (!progress_.isEmpty()) return;
  failure_.clear();
  drawnSeed_ = static_cast<qint64>(seed_->value());
  setSheets({});  // their files go
  Q_EMIT drawRequested(drawnSeed_);
}

void BatchSheets::drawNextSeed() {
  if (!progress_.isEmpty()) return;
  seed_->setValue(seed_->value() == seed_->maximum() ? 0 : seed_->value() + 1);
  draw();
}

void BatchSheets::moveBy(int sheets) {
  const int place = strip_->current() + sheets;
  if (place >= 0 && place < files_.size()) showSheet(place);
}

bool BatchSheets::isReady() const { return files_.isEmpty() || (shown_ && strip_->isReady()); }

void BatchSheets::showSheet(int place) {
  shown_.reset();
  if (files_.isEmpty()) {
    stage_->canvas()->setImage(nullptr);
    return;
  }
  strip_->setCurrent(place);
  std::vector<jobs::KeyedLoader<DecodedImage>::Request> requests;
  for (const int each : {place, place + 1, place - 1})
    if (each >= 0 && each < files_.size())
      requests.push_back(
          {files_[each], [file = files_[each]] { return decodeImage(file, QSize()); }});
  pictures_.load(requests);
  showDecoded();
  showState();
}

void BatchSheets::showDecoded() {
  if (files_.isEmpty()) return;
  if (!shown_) shown_ = pictures_.find(files_[strip_->current()]);
  stage_->canvas()->setImage(shown_);
  stage_->setProblem(
      shown_ && !shown_->failure.isEmpty() ? tr("The sheet cannot be shown") : QString(),
      shown_ ? shown_->failure : QString());
}

void BatchSheets::showState() {
  const bool isDrawing = !progress_.isEmpty();
  const bool areThere = !files_.isEmpty();
  draw_->setText(isDrawing ? tr("Cancel") : areThere ? tr("Draw again") : tr("Draw batches"));
  next_->setEnabled(!isDrawing);
  seed_->setEnabled(!isDrawing);
  pages_->setCurrentIndex(areThere ? 0 : 1);
  name_->setText(areThere ? nameOf(files_[strip_->current()]) : QString());
  place_->setText(areThere ? tr("%1 of %2").arg(strip_->current() + 1).arg(files_.size())
                           : QString());
  const QString state = stateText();
  empty_->setContent(isDrawing             ? tr("Drawing training batches…")
                     : !failure_.isEmpty() ? tr("The batches cannot be drawn")
                                           : tr("No batches drawn yet"),
                     state, draw_->text());
  state_->setText(state);
  state_->setVisible(areThere);
}

QString BatchSheets::stateText() const {
  if (!progress_.isEmpty()) return progress_;
  if (!failure_.isEmpty()) return failure_;
  if (files_.isEmpty())
    return tr(
        "The first batches of the training set as the model gets them: augmented, resized and "
        "padded, with the boxes and masks of their objects after that.");
  if (drawnSeed_ == trainingSeed_)
    return tr("Of the training set. Seed %1 is the experiment's own: training begins with these "
              "very batches.")
        .arg(drawnSeed_);
  return tr("Of the training set. Training uses seed %1; these are the batches of seed %2.")
      .arg(trainingSeed_)
      .arg(drawnSeed_);
}

}  // namespace lockstep::widgets
