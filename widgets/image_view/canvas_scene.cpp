#include "widgets/image_view/canvas_scene.h"

#include <QColor>
#include <QCoreApplication>
#include <algorithm>
#include <exception>

#include "widgets/image_view/box_rect.h"
#include "widgets/instances/class_name.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTruePositiveAlpha = 92;
constexpr int kFalsePositiveAlpha = 104;
constexpr int kMissedAlpha = 46;

QRgb fillColour(Verdict verdict, QColor colour) {
  const bool isFound = verdict == Verdict::TruePositive || verdict == Verdict::Unjudged;
  colour.setAlpha(isFound                             ? kTruePositiveAlpha
                  : verdict == Verdict::FalsePositive ? kFalsePositiveAlpha
                                                      : kMissedAlpha);
  return colour.rgba();
}

struct InstanceLabelText {
  Q_DECLARE_TR_FUNCTIONS(CanvasScene)
};

QString labelOf(const InstanceFacts& facts) {
  if (facts.verdict == Verdict::Missed) return InstanceLabelText::tr("missed");
  const QString score = QString::number(facts.score, 'f', 2);
  return facts.verdict == Verdict::FalsePositive ? InstanceLabelText::tr("FP %1").arg(score)
                                                 : score;
}

class SceneBuilder {
 public:
  explicit SceneBuilder(const SceneRequest& request)
      : request_(request),
        image_(request.dataset->images()[request.imageIndex]),
        annotations_(request.dataset->annotationsOf(request.imageIndex)) {
    if (request.detections) detections_ = request.detections.read();
  }

  SceneResult build() {
    SceneResult result{request_.imageIndex, request_.step, request_.geometry, nullptr, {}};
    if (!result.geometry) result.geometry = std::make_shared<const ImageGeometry>(geometry());
    auto scene = std::make_shared<CanvasScene>();
    scene->imageSize = QSize(image_.width, image_.height);
    scene->colourBy = request_.colourBy;
    scene->hasSeveralClasses = request_.dataset->categories().size() > 1;
    addGroundTruths(*result.geometry, *scene);
    if (request_.detections) addInstances(*result.geometry, *scene);
    result.scene = std::move(scene);
    return result;
  }

 private:
  ImageGeometry geometry() const {
    ImageGeometry geometry;
    for (const coco::Annotation& annotation : annotations_) {
      geometry.annotationOutlines.push_back(outlineOf(annotation));
      geometry.annotationMasks.push_back(coco::annotationMask(annotation, image_));
    }
    for (const coco::Detection& detection : *detections_) {
      geometry.detectionOutlines.push_back(detection.mask.height > 0 ? outlineOf(detection.mask)
                                                                     : QPainterPath());
    }
    return geometry;
  }

  int classPlace(CategoryId id) const {
    const auto& categories = request_.dataset->categories();
    return static_cast<int>(std::ranges::find(categories, id, &coco::Category::id) -
                            categories.begin());
  }

  QString className(CategoryId id) const {
    for (const coco::Category& category : request_.dataset->categories()) {
      if (category.id == id) return nameOf(category);
    }
    return QString::number(id.value);
  }

  void addGroundTruths(const ImageGeometry& geometry, CanvasScene& scene) const {
    for (std::size_t i = 0; i < annotations_.size(); ++i) {
      const coco::Annotation& annotation = annotations_[i];
      if (request_.hidden.count(annotation.categoryId)) continue;
      scene.groundTruths.push_back({geometry.annotationOutlines[i], rectOf(annotation.boxXywh),
                                    className(annotation.categoryId), annotation.isCrowd,
                                    /*isMissed=*/false, request_.chosenObjects.contains(i)});
    }
  }

  void addInstances(const ImageGeometry& geometry, CanvasScene& scene) const {
    const ImageContent content =
        contentOf(*request_.dataset, request_.imageIndex, *detections_, request_.rules);
    const auto overlaps = request_.overlaps
                              ? request_.overlaps
                              : std::make_shared<const coco::ImageOverlaps>(overlapsOf(content));
    for (InstanceFacts& facts :
         instancesAt(content, *overlaps, request_.thresholds, request_.hidden)) {
      scene.instances.push_back(instance(std::move(facts), geometry));
    }
    markMissed(scene);
    scene.masks = paintMaskLevels(scene.imageSize, scene.fills(/*ofMissed=*/false));
    const std::vector<MaskFill> missed = scene.fills(/*ofMissed=*/true);
    if (!missed.empty()) scene.missedMasks = paintMaskLevels(scene.imageSize, missed);
  }

  /// groundTruths are the annotations in their order, without those of hidden classes.
  void markMissed(CanvasScene& scene) const {
    std::set<int> missed;
    for (const CanvasScene::Instance& shown : scene.instances) {
      if (shown.facts.verdict == Verdict::Missed) missed.insert(shown.facts.annotation);
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < annotations_.size(); ++i) {
      if (request_.hidden.count(annotations_[i].categoryId)) continue;
      scene.groundTruths[at++].isMissed = missed.count(static_cast<int>(i)) > 0;
    }
  }

  CanvasScene::Instance instance(InstanceFacts facts, const ImageGeometry& geometry) const {
    CanvasScene::Instance shown;
    if (facts.detection >= 0) {
      const auto index = static_cast<std::size_t>(facts.detection);
      shown.outline = geometry.detectionOutlines[index];
      shown.mask = (*detections_)[index].mask;
    } else {
      const auto index = static_cast<std::size_t>(facts.annotation);
      shown.outline = geometry.annotationOutlines[index];
      shown.mask = geometry.annotationMasks[index];
    }
    shown.box = rectOf(facts.boxXywh);
    shown.className = className(facts.category);
    if (facts.object >= 0)
      shown.objectName = className(annotations_[static_cast<std::size_t>(facts.object)].categoryId);
    shown.label = labelOf(facts);
    if (facts.missed) explainMissed(*facts.missed, shown);
    shown.colour =
        instanceColour(facts, classPlace(facts.category), request_.colourBy, *request_.theme);
    shown.facts = facts;
    return shown;
  }

  void explainMissed(const MissedReason& reason, CanvasScene::Instance& shown) const {
    const auto nameOf = [this](CategoryId id) { return className(id); };
    shown.whyMissed = sentence(reason, nameOf);
    shown.missedAs = shortText(reason, nameOf);
  }

  const SceneRequest& request_;
  const coco::Image& image_;
  const std::vector<coco::Annotation>& annotations_;
  DetectionCache::Detections detections_ = std::make_shared<const std::vector<coco::Detection>>();
};

}  // namespace

QString CanvasScene::Instance::errorText() const {
  const QString name = errorName(facts);
  return missedAs.isEmpty() ? name : name % QStringLiteral(" · ") % missedAs;
}

qsizetype ImageGeometry::sizeBytes() const {
  std::size_t bytes = sizeof *this;
  for (const auto* outlines : {&annotationOutlines, &detectionOutlines})
    for (const QPainterPath& outline : *outlines)
      bytes += static_cast<std::size_t>(outline.elementCount()) * sizeof(QPainterPath::Element);
  for (const coco::Rle& mask : annotationMasks)
    bytes += mask.counts.capacity() * sizeof(std::uint32_t);
  return static_cast<qsizetype>(bytes);
}

std::vector<MaskFill> CanvasScene::fills(bool ofMissed) const {
  std::vector<MaskFill> fills;
  for (const Instance& shown : instances) {
    if (shown.mask.height == 0 || (shown.facts.verdict == Verdict::Missed) != ofMissed) continue;
    fills.push_back({&shown.mask, fillColour(shown.facts.verdict, shown.colour)});
  }
  return fills;
}

int CanvasScene::instanceAt(QPointF imagePoint, bool withMissed) const {
  const QPoint pixel(static_cast<int>(std::floor(imagePoint.x())),
                     static_cast<int>(std::floor(imagePoint.y())));
  int found = -1;
  double smallest = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    if (!withMissed && instance.facts.verdict == Verdict::Missed) continue;
    const bool isHit = instance.mask.height > 0
                           ? instance.box.adjusted(-1, -1, 1, 1).contains(imagePoint) &&
                                 covers(instance.mask, pixel)
                           : instance.box.contains(imagePoint);
    if (!isHit || (found >= 0 && instance.facts.areaPx >= smallest)) continue;
    found = static_cast<int>(i);
    smallest = instance.facts.areaPx;
  }
  return found;
}

SceneResult buildScene(const SceneRequest& request) {
  try {
    return SceneBuilder(request).build();
  } catch (const std::exception& error) {
    return {request.imageIndex, request.step, nullptr, nullptr, QString::fromUtf8(error.what())};
  }
}

}  // namespace lockstep::widgets
