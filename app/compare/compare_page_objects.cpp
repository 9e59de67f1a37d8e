// ComparePage's lists of objects, and the object that is shown in both.
#include <QDir>
#include <QDoubleSpinBox>
#include <QLocale>
#include <QPointer>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_table.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/objects_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_path.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/image_view/shown_results.h"
#include "widgets/instances/error_text.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

/// An image as its annotations name it.
struct NamedImage {
  QString name, path;
  QSize size;
  RunFileAccess files;

  NamedImage(const RunDataset& data, std::size_t index) : files(data.files) {
    const coco::Image& image = data.dataset->images()[index];
    name = QString::fromStdString(image.fileName);
    path = widgets::imagePath(data.imagesFolder, name, files.copies());
    size = {image.width, image.height};
  }

  /// Empty: it is. `decodeError`, `bringError`: empty if it could be decoded, or brought.
  QString whyNotShown(const QString& decodeError, const QString& bringError) const {
    if (decodeError.isEmpty()) return {};
    const QString file = path.isEmpty() ? name : files.named(QDir::toNativeSeparators(path));
    const QString why = path.isEmpty()
                            ? ComparePage::tr("its file name points outside the image folder")
                            : files.named(bringError.isEmpty() ? decodeError : bringError);
    return ComparePage::tr("The image %1 cannot be shown: %2.").arg(file, why);
  }
};

}  // namespace

/// What a cell, a type of error or a point of a curve counts is listed, to be looked at.
void ComparePage::connectLists() {
  const widgets::ObjectsView* objects = tables_->objectsView();
  connect(objects, &widgets::ObjectsView::objectChosen, this, &ComparePage::showObject);
  connect(objects, &widgets::ObjectsView::objectActivated, this,
          [this] { showInPredictions(sideToOpen()); });
  connect(tables_->confusions(), &widgets::ConfusionView::cellChosen, this, &ComparePage::listCell);
  connect(tables_->errors()->table(), &widgets::ErrorTable::errorChosen, this,
          [this](int side, coco::ErrorType type) {
            const auto of = static_cast<std::size_t>(side);
            comparison_->list(
                tr("%1, errors: %2, all scores").arg(letterOf(of), widgets::errorText(type).name),
                [of, type](const widgets::MatchedPair& pair) { return pair.ofError(of, type); });
          });
  connect(tables_->recall(), &widgets::RecallView::pointChosen, this,
          [this](int side, std::optional<std::size_t> category, double score) {
            const auto of = static_cast<std::size_t>(side);
            comparison_->list(tr("%1, %2 at score %3")
                                  .arg(letterOf(of), tables_->recall()->shownClass(),
                                       QLocale().toString(score, 'f', 3)),
                              [of, category, score](const widgets::MatchedPair& pair) {
                                return pair.ofScore(of, category, score);
                              });
          });
}

/// At the score that the cell counts at.
void ComparePage::listCell(const widgets::ConfusionCell& cell) {
  using widgets::ComparedView;
  const QString of = cell.view == ComparedView::Difference
                         ? tr("A and B")
                         : letterOf(cell.view == ComparedView::First ? 0 : 1);
  const QString title =
      tr("%1, %2, score ≥ %3").arg(of, cell.text, QLocale().toString(cell.scoreThreshold, 'f', 2));
  comparison_->list(title, [cell](const widgets::MatchedPair& pair) {
    std::vector<widgets::PairedObject> objects;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      if (cell.view == (side == 0 ? ComparedView::Second : ComparedView::First)) continue;
      const auto own = pair.ofCell(side, cell.scoreThreshold, cell.actual, cell.predicted);
      objects.insert(objects.end(), own.begin(), own.end());
    }
    return objects;
  });
}

std::size_t ComparePage::sideToOpen() const {
  const auto isRun = [this](std::size_t side) { return sides_.at(side).of->run() != nullptr; };
  const bool isOfB = shownImage_ && shownImage_->object.detections[1] >= 0;
  return (isOfB && isRun(1)) || !isRun(0) ? 1 : 0;
}

void ComparePage::showInPredictions(std::size_t side) {
  if (!shownImage_ || !comparison_->compared()) return;
  const ComparedSide& of = *sides_.at(side).of;
  if (!of.run())
    return say(tr("%1 is a results file: Predictions shows runs.").arg(letterOf(side)));
  const widgets::PairedObject& object = shownImage_->object;
  Q_EMIT predictionsRequested(
      of.run()->folder(), of.step(), comparison_->compared()->dataset->images()[object.imageIndex],
      {object.detections.at(side), object.annotation, object.category, scoreToShow(object, side)});
}

/// The threshold, unless that would hide the detection that is meant.
double ComparePage::scoreToShow(const widgets::PairedObject& object, std::size_t side) const {
  if (object.detections.at(side) < 0) return score_->value();
  return std::min(score_->value(), object.score);
}

std::array<widgets::SceneRequest, 2> ComparePage::scenesOf(
    const widgets::PairedObject& object) const {
  const ComparedResults& compared = *comparison_->compared();
  const ImageId image = compared.dataset->images()[object.imageIndex].id;
  std::array<widgets::SceneRequest, 2> scenes;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    widgets::SceneRequest& own = scenes.at(i);
    own.dataset = compared.dataset;
    own.imageIndex = object.imageIndex;
    own.detections = compared.predictions.at(i).at(image);
    own.thresholds.score = scoreToShow(object, i);
    own.rules = compared.rules;
    own.theme = &widgets::currentTheme();
  }
  return scenes;
}

/// As soon as its image is there. None of sides that are being read again.
void ComparePage::showObject(const widgets::PairedObject& object) {
  if (!comparison_->compared() || !areRead()) return;
  said_.clear();
  const RunDataset& heldOut = *sides_[0].of->heldOut();
  const NamedImage image(heldOut, object.imageIndex);
  const auto show = [page = QPointer(this), number = ++askedImages_, image, object,
                     scenes = scenesOf(object)](const QString& bringError) {
    if (!page || number != page->askedImages_) return;
    page->isBringingImage_ = false;
    page->imageJob_.request([image, object, scenes, bringError] {
      ShownImage shown;
      shown.object = object;
      shown.image = std::make_shared<const widgets::DecodedImage>(
          widgets::decodeImage(image.path, image.size));
      shown.failure = image.whyNotShown(shown.image->failure, bringError);
      for (std::size_t i = 0; i < scenes.size(); ++i) {
        shown.scores.at(i) = scenes.at(i).thresholds.score;
        const widgets::SceneResult scene = widgets::buildScene(scenes.at(i));
        shown.scenes.at(i) = scene.scene;
        if (!scene.failure.isEmpty()) shown.failure = scene.failure;
      }
      return shown;
    });
  };
  imageJob_.cancel();
  isBringingImage_ = true;
  if (image.path.isEmpty()) return show({});
  heldOut.files.bring(image.path, show);
  if (isBringingImage_) showState();
}

void ComparePage::showImage(const ShownImage& shown) {
  shownImage_ = shown;
  view_->setImage(shown.image);
  view_->setScenes(shown.scenes[0], shown.scenes[1]);
  showInBoth(shown);
  showState();
}

std::vector<widgets::ShownResults> ComparePage::shown() const {
  const auto& compared = comparison_->compared();
  if (!compared || !areRead() || !shownImage_ || !shownImage_->scenes[0] || !shownImage_->scenes[1])
    return {};
  std::vector<widgets::ShownResults> both(2);
  for (std::size_t i = 0; i < both.size(); ++i) {
    widgets::ShownResults& one = both[i];
    one.name = nameOf(i);
    one.thresholds = tr("score ≥ %1, IoU ≥ %2")
                         .arg(QLocale().toString(shownImage_->scores.at(i), 'f', 2),
                              QLocale().toString(widgets::MatchThresholds().iou, 'f', 2));
    one.decoded = shownImage_->image;
    one.scene = shownImage_->scenes.at(i);
    one.layers = view_->first()->layers();
    one.theme = &widgets::currentTheme();
    one.dataset = compared->dataset;
    one.imageIndex = shownImage_->object.imageIndex;
    one.predictions = compared->predictions.at(i);
    one.rules = compared->rules;
    one.scoreThreshold = score_->value();
    one.imagesFolder = sides_.at(i).of->heldOut()->imagesFolder;
  }
  return both;
}

/// Zoomed onto it, with what is around it. A divider that hides the object in the side that it is
/// meant of is moved.
void ComparePage::showInBoth(const ShownImage& shown) {
  const std::array canvases{view_->first(), view_->second()};
  const auto& meant = shown.object.detections;
  std::array<std::optional<QRectF>, 2> boxes;
  QRectF object;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!shown.scenes.at(i)) continue;
    const auto& instances = shown.scenes.at(i)->instances;
    const int detection = shown.object.detections.at(i), annotation = shown.object.annotation;
    const auto own = std::ranges::find_if(instances, [&](const auto& one) {
      return detection >= 0 ? one.facts.detection == detection
                            : annotation >= 0 && one.facts.annotation == annotation;
    });
    if (own == instances.end()) continue;
    const int at = static_cast<int>(own - instances.begin());
    canvases.at(i)->setPinned(at);
    object |= own->box;
    const bool isOfOther = meant.at(i) < 0 && meant.at(1 - i) >= 0;
    if (!isOfOther) boxes.at(i) = own->box;
  }
  if (object.isValid()) view_->first()->showBox(object);
  view_->uncover(boxes[0], boxes[1]);
}

}  // namespace lockstep::app
