#pragma once

#include <QImage>
#include <QPainterPath>
#include <QRectF>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

struct Theme;

/// Outlines and masks of one image at one checkpoint; do not depend on the thresholds.
struct ImageGeometry {
  std::vector<QPainterPath> annotationOutlines, detectionOutlines;  ///< image px
  std::vector<coco::Rle> annotationMasks;
};

/// What is drawn over an image.
struct CanvasScene {
  struct Instance {
    InstanceFacts facts;
    QPainterPath outline;  ///< image px
    QRectF box;            ///< image px
    QString className;
    QString label;   ///< "0.97", "FP 0.61", "missed"
    coco::Rle mask;  ///< height 0: only a box is known
  };
  struct Truth {
    QPainterPath outline;
    QRectF box;
    QString className;
    bool isCrowd = false;
    bool isMissed = false;  ///< an instance is drawn in its place
  };
  QSize imageSize;
  bool hasSeveralClasses = false;   ///< names tell something
  std::vector<Instance> instances;  ///< worst first
  std::vector<Truth> truths;
  QImage masks;        ///< fills of the detections at image size
  QImage missedMasks;  ///< and of the missed objects, which are ground truth; null: none

  /// Index of the instance under a point of the image, the smallest one where several lie, missed
  /// objects among them or not; -1: none.
  int instanceAt(QPointF imagePoint, bool withMissed = true) const;
};

/// Everything needed to build a scene, as values: handed to another thread.
struct SceneRequest {
  std::shared_ptr<const coco::Dataset> dataset;
  std::size_t imageIndex = 0;
  qint64 step = 0;
  std::shared_ptr<const std::vector<coco::Detection>>
      detections;  ///< null: the image was not predicted
  MatchThresholds thresholds;
  std::set<CategoryId> hidden;
  const Theme* theme = nullptr;  ///< one of the two constant themes
  std::shared_ptr<const ImageGeometry>
      geometry;  ///< of an earlier scene of this image and checkpoint, or null
};

struct SceneResult {
  std::size_t imageIndex = 0;
  qint64 step = 0;
  std::shared_ptr<const ImageGeometry> geometry;
  std::shared_ptr<const CanvasScene> scene;
  QString failure;  ///< what kept the scene from being built; then scene is null
};

/// Matches, classifies and paints. Blocks; any thread; does not throw.
SceneResult buildScene(const SceneRequest& request);

}  // namespace lockstep::widgets
