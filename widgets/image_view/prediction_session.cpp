#include "widgets/image_view/prediction_session.h"

#include <QImageReader>
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/free_memory.h"
#include "widgets/image_view/image_path.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kDecodeThreads = 2;
constexpr qint64 kImageCacheKiB = 48 * 1024;
constexpr qsizetype kGeometryCacheKiB = 16 * 1024;
constexpr std::size_t kOverlapCacheBytes = std::size_t{64} << 20;
constexpr int kAllocationLimitMiB = 1024;
/// From the last move of a slider on.
constexpr std::chrono::milliseconds kUntilInterval{300};
/// From the last change of the image on, whose own pixels and masks come first.
constexpr std::chrono::milliseconds kUntilHistory{150};
/// From the last change of the scene on, which those of other images must not delay.
constexpr std::chrono::milliseconds kUntilPreparation{60};
/// One at each side.
constexpr std::size_t kPrepared = 2;
constexpr qint64 kMostPreparedPixels = 1'000'000;

/// The masks of a large one take too much memory.
bool canBePrepared(const coco::Image& image) {
  return qint64{image.width} * image.height <= kMostPreparedPixels;
}

}  // namespace

PredictionSession::PredictionSession(QObject* parent)
    : QObject(parent),
      geometries_(kGeometryCacheKiB),
      images_(
          kDecodeThreads, kImageCacheKiB,
          [](const DecodedImage& image) { return image.levels.sizeBytes() / 1024; },
          [this](const QString& path) {
            if (!dataset_ || path != pathOf(index_)) return;
            decoded_ = images_.find(path);
            Q_EMIT imageDecoded();
          }),
      sceneJob_([this](const SceneResult& result) { handleScene(result); }),
      preparationJob_([this](const SceneResult& result) {
        keepGeometry(result);
        prepared_[result.imageIndex] = result.scene;
        prepareNext();
      }),
      analysisJob_([this](const std::shared_ptr<const CheckpointAnalysis>& analysis) {
        analysis_ = analysis;
        refreshFigures();
        Q_EMIT analysed();
      }),
      apJob_([this](const ApResult& result) {
        const bool isAnother = std::exchange(ap_, result.of) != result.of;
        // That of the checkpoint before is gone now.
        if (isAnother) jobs::enqueue(jobs::Kind::Processor, {}, base::returnFreeMemory);
        shownAp_ = ShownAp{result.ap};
        intervalTimer_.start();
        Q_EMIT shownApChanged();
      }),
      intervalJob_([this](const coco::Interval& interval) {
        shownAp_->interval = interval;
        Q_EMIT shownApChanged();
      }),
      figuresJob_([this](const CheckpointFigures& figures) {
        figures_ = figures;
        Q_EMIT figuresChanged();
      }),
      historyJob_([this](const std::shared_ptr<const ImageHistory>& history) {
        history_ = history;
        Q_EMIT historyFound();
      }) {
  images_.setIsFailure([](const DecodedImage& image) { return !image.failure.isEmpty(); });
  QImageReader::setAllocationLimit(kAllocationLimitMiB);
  intervalTimer_.setSingleShot(true);
  intervalTimer_.setInterval(kUntilInterval);
  connect(&intervalTimer_, &QTimer::timeout, this, &PredictionSession::refreshInterval);
  historyTimer_.setSingleShot(true);
  historyTimer_.setInterval(kUntilHistory);
  connect(&historyTimer_, &QTimer::timeout, this, &PredictionSession::findHistory);
  preparationTimer_.setSingleShot(true);
  preparationTimer_.setInterval(kUntilPreparation);
  connect(&preparationTimer_, &QTimer::timeout, this, &PredictionSession::prepareNext);
}

void PredictionSession::setDataset(std::shared_ptr<const coco::Dataset> dataset,
                                   const QString& imagesFolder, const MatchRules& rules) {
  dataset_ = std::move(dataset);
  folder_ = imagesFolder;
  rules_ = rules;
  store_.clear();
  index_ = 0;
  neighbours_.clear();
  chosenObjects_.clear();
  step_ = 0;
  decoded_.reset();
  scene_.reset();
  dropAnalysis();
  overlaps_ = std::make_shared<OverlapCache>(kOverlapCacheBytes);
  geometries_.clear();
  images_.clear();
  sceneJob_.cancel();
  dropPrepared();
  apJob_.cancel();
  dropAp();
  history_.reset();
  historyJob_.cancel();
  historyTimer_.stop();
}

QSize PredictionSession::annotatedSizeOf(const coco::Image& image) const {
  return rules_.hasTruth ? QSize(image.width, image.height) : QSize();
}

QString PredictionSession::pathOf(std::size_t index) const {
  return imagePath(folder_, QString::fromStdString(dataset_->images()[index].fileName), copies_);
}

void PredictionSession::setImage(std::size_t index, const std::vector<std::size_t>& neighbours) {
  std::shared_ptr<const CanvasScene> prepared;
  if (index != index_) {
    decoded_.reset();
    prepared = takePrepared(index);
    scene_ = prepared;
    chosenObjects_.clear();
  }
  index_ = index;
  neighbours_ = neighbours;
  loadImages();
  if (prepared) {
    sceneJob_.cancel();
    sceneFailure_.clear();
    preparationTimer_.start();
    QMetaObject::invokeMethod(this, &PredictionSession::sceneBuilt, Qt::QueuedConnection);
  } else {
    requestScene();
  }
  refreshHistory();
}

/// And keeps that of the image before, to which one often goes back.
std::shared_ptr<const CanvasScene> PredictionSession::takePrepared(std::size_t index) {
  std::map<std::size_t, std::shared_ptr<const CanvasScene>> kept;
  if (scene_ && sceneJob_.isIdle() && chosenObjects_.empty() && canBePrepared(image()))
    kept[index_] = scene_;
  const auto found = prepared_.find(index);
  const auto taken = found == prepared_.end() ? nullptr : found->second;
  preparationJob_.cancel();
  prepared_ = std::move(kept);
  return taken;
}

void PredictionSession::reloadImages() {
  if (!dataset_ || dataset_->images().empty()) return;
  images_.forgetFailures();
  loadImages();
  Q_EMIT imageDecoded();
}

void PredictionSession::loadImages() {
  std::vector<jobs::KeyedLoader<DecodedImage>::Request> requests;
  const auto request = [&](std::size_t at) {
    const coco::Image& shown = dataset_->images()[at];
    const QString path = pathOf(at);
    requests.push_back(
        {path, [path, size = annotatedSizeOf(shown)] { return decodeImage(path, size); },
         [path](const DecodedImage& kept) { return hasChanged(path, kept.version); }});
  };
  request(index_);
  for (const std::size_t neighbour : neighbours_) request(neighbour);
  const QString path = pathOf(index_);
  if (decoded_ && decoded_->failure.isEmpty() && !images_.find(path)) images_.keep(path, decoded_);
  decoded_ = images_.find(path);
  images_.load(requests);
}

void PredictionSession::setStep(qint64 step) {
  if (step == step_) return;
  step_ = step;
  dropAp();
  dropAnalysis();
  refreshScene();
  refreshAnalysis();
  refreshAp();
}

void PredictionSession::setThresholds(const MatchThresholds& thresholds,
                                      std::set<CategoryId> hidden) {
  const bool matchesChange = thresholds.iou != thresholds_.iou;
  const bool isLeftChanged = thresholds.score != thresholds_.score || hidden != hidden_;
  thresholds_ = thresholds;
  hidden_ = std::move(hidden);
  refreshScene();
  if (matchesChange) {
    refreshAnalysis();
    delayInterval();
  }
  if (isLeftChanged) refreshAp();
  if (isLeftChanged && !matchesChange) refreshFigures();
}

void PredictionSession::setChosenObjects(std::set<std::size_t> objects) {
  if (objects == chosenObjects_) return;
  chosenObjects_ = std::move(objects);
  requestScene();  // those of other images do not have them
}

void PredictionSession::setColourBy(ColourBy colourBy) {
  colourBy_ = colourBy;
  refreshScene();
}

void PredictionSession::refreshPredictions() {
  geometries_.clear();
  refreshScene();
  refreshAnalysis();
  refreshAp();
}

QString PredictionSession::geometryKey(std::size_t index, qint64 step) const {
  return QString::number(index) % QLatin1Char('@') % QString::number(step);
}

void PredictionSession::refreshScene() {
  dropPrepared();
  requestScene();
}

SceneRequest PredictionSession::sceneRequest(std::size_t index) const {
  SceneRequest request;
  request.dataset = dataset_;
  request.imageIndex = index;
  request.step = step_;
  request.detections = store_.find(step_, dataset_->images()[index].id);
  request.thresholds = thresholds_;
  request.rules = rules();
  request.hidden = hidden_;
  if (index == index_) request.chosenObjects = chosenObjects_;
  // Verdicts without a truth would all be of one colour.
  const bool isPlain = !rules_.hasTruth && colourBy_ == ColourBy::Verdict;
  request.colourBy = isPlain ? ColourBy::Class : colourBy_;
  request.theme = &currentTheme();
  request.overlaps = knownOverlaps(dataset_->images()[index].id, request.detections);
  if (const auto* known = geometries_.object(geometryKey(index, step_))) request.geometry = *known;
  return request;
}

void PredictionSession::requestScene() {
  if (!dataset_ || dataset_->images().empty()) return;
  sceneJob_.request([request = sceneRequest(index_)] { return buildScene(request); });
}

void PredictionSession::keepGeometry(const SceneResult& result) {
  if (!result.geometry) return;
  geometries_.insert(
      geometryKey(result.imageIndex, result.step),
      new std::shared_ptr<const ImageGeometry>(result.geometry),
      std::min<qsizetype>(result.geometry->sizeBytes() / 1024 + 1, kGeometryCacheKiB));
}

void PredictionSession::handleScene(const SceneResult& result) {
  keepGeometry(result);
  scene_ = result.scene;
  sceneFailure_ = result.failure;
  preparationTimer_.start();
  Q_EMIT sceneBuilt();
}

/// The nearest one; std::nullopt: all are prepared that are to be.
std::optional<std::size_t> PredictionSession::unpreparedNeighbour() const {
  for (std::size_t i = 0; i < std::min(kPrepared, neighbours_.size()); ++i)
    if (canBePrepared(dataset_->images()[neighbours_[i]]) && !prepared_.contains(neighbours_[i]))
      return neighbours_[i];
  return std::nullopt;
}

void PredictionSession::prepareNext() {
  if (!dataset_ || dataset_->images().empty() || !sceneJob_.isIdle()) return;
  if (const auto next = unpreparedNeighbour())
    preparationJob_.request([request = sceneRequest(*next)] { return buildScene(request); });
}

void PredictionSession::dropPrepared() {
  preparationTimer_.stop();
  preparationJob_.cancel();
  prepared_.clear();
}

bool PredictionSession::isPrepared() const {
  return !dataset_ || dataset_->images().empty() || (scene_ && !unpreparedNeighbour());
}

void PredictionSession::refreshAnalysis() {
  if (!dataset_) return;
  analysisJob_.request([cache = overlaps_, dataset = dataset_, step = step_,
                        predictions = store_.at(step_), iou = thresholds_.iou, rules = rules()] {
    return analyseCheckpoint(cache->at(step, *dataset, predictions, rules), iou);
  });
}

void PredictionSession::refreshHistory() {
  if (history_ && history_->imageIndex() != index_) history_.reset();
  if (!history_ && store_.checkpoints().empty()) return;  // none without predictions
  historyTimer_.start();
}

void PredictionSession::findHistory() {
  if (!dataset_ || dataset_->images().empty()) return;
  std::vector<ImageHistory::Predicted> predicted;
  for (const qint64 step : store_.checkpoints())
    if (const auto found = store_.find(step, image().id))
      predicted.push_back({step, found, rulesAt(step)});
  historyJob_.request([dataset = dataset_, index = index_, predicted = std::move(predicted)] {
    return std::make_shared<const ImageHistory>(dataset, index, predicted);
  });
}

std::vector<ImageHistory::OfStep> PredictionSession::history() const {
  if (!history_ || history_->imageIndex() != index_) return {};
  return history_->at(thresholds_, hidden_);
}

/// It does not depend on the IoU threshold.
void PredictionSession::refreshAp() {
  if (!dataset_) return;
  stopInterval();
  apJob_.request([cache = overlaps_, dataset = dataset_, step = step_,
                  predictions = store_.at(step_), rules = rules(), last = ap_,
                  score = thresholds_.score, hidden = hidden_]() -> ApResult {
    const auto overlaps = cache->at(step, *dataset, predictions, rules);
    const auto ap =
        last && last->overlaps() == overlaps ? last : std::make_shared<const FilteredAp>(overlaps);
    return {ap, ap->at(score, hidden).ap};
  });
}

void PredictionSession::refreshFigures() {
  if (!analysis_) return;
  figuresJob_.request([analysis = analysis_, dataset = dataset_, score = thresholds_.score,
                       hidden = hidden_] { return figuresOf(analysis, *dataset, score, hidden); });
}

void PredictionSession::refreshInterval() {
  if (!ap_ || !shownAp_ || shownAp_->ap < 0) return;
  intervalJob_.request(
      [ap = ap_, score = thresholds_.score, hidden = hidden_, stop = intervalStop_.get_token()] {
        return ap->withInterval(score, hidden, stop).ap;
      });
}

void PredictionSession::stopInterval() {
  intervalTimer_.stop();
  intervalStop_.request_stop();
  intervalStop_ = std::stop_source();
  intervalJob_.cancel();
}

/// It takes a second of a processor, which a moving slider needs.
void PredictionSession::delayInterval() {
  if (!shownAp_ || shownAp_->interval) return;
  stopInterval();
  intervalTimer_.start();
}

/// That of another checkpoint, before the next one is there, which is as large.
void PredictionSession::dropAp() {
  stopInterval();
  shownAp_.reset();
  ap_.reset();
}

/// Likewise.
void PredictionSession::dropAnalysis() {
  analysisJob_.cancel();
  analysis_.reset();
  figuresJob_.cancel();
  figures_ = {};
}

/// With these detections; nullptr: not computed yet.
std::shared_ptr<const coco::ImageOverlaps> PredictionSession::knownOverlaps(
    ImageId image, const ImageDetections& detections) const {
  if (!analysis_) return nullptr;
  const auto* const found = analysis_->overlaps->find(image);
  return found != nullptr && found->detections == detections ? found->overlaps : nullptr;
}

ImageDetections PredictionSession::detections() const {
  return dataset_ && !dataset_->images().empty() ? store_.find(step_, image().id)
                                                 : ImageDetections();
}

bool PredictionSession::isIdle() const {
  if (!dataset_ || dataset_->images().empty()) return true;
  return decoded_ && sceneJob_.isIdle() && analysisJob_.isIdle() && apJob_.isIdle() &&
         figuresJob_.isIdle() && !historyTimer_.isActive() && historyJob_.isIdle();
}

}  // namespace lockstep::widgets
