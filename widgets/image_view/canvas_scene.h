#pragma once

#include <QImage>
#include <QPainterPath>
#include <QRectF>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

#include "widgets/image_view/decoded_image.h"
#include "widgets/image_view/instance_colour.h"
#include "widgets/image_view/mask_overlay.h"
#include "widgets/instances/image_detections.h"
#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

struct Theme;

/// Outlines and masks of one image at one checkpoint, independent of the thresholds.
struct ImageGeometry {
  std::vector<QPainterPath> annotationOutlines, detectionOutlines;  ///< image px
  std::vector<coco::Rle> annotationMasks;

  qsizetype sizeBytes() const;
};

/// What is drawn over an image.
struct CanvasScene {
  struct Instance {
    InstanceFacts facts;
    QPainterPath outline;  ///< image px
    QRectF box;            ///< image px
    QString className;
    QString objectName;  ///< class of InstanceFacts::object; empty: there is none
    QString label;       ///< "0.97", "FP 0.61", "missed"
    QString whyMissed;   ///< sentence(MissedReason); empty: it is not missed
    QString missedAs;    ///< shortText(MissedReason)
    coco::Rle mask;      ///< height 0: there is only a box
    QColor colour;       ///< of outline and fill

    /// "localisation", "missed · score 0.31"; empty: it is right.
    QString errorText() const;
  };
  struct GroundTruth {
    QPainterPath outline;
    QRectF box;
    QString className;
    bool isCrowd = false;
    bool isMissed = false;  ///< drawn as an instance instead
    bool isChosen = false;  ///< stands out
  };
  QSize imageSize;
  ColourBy colourBy = ColourBy::Verdict;
  bool hasSeveralClasses = false;   ///< false: class names are not drawn
  std::vector<Instance> instances;  ///< worst first
  std::vector<GroundTruth> groundTruths;
  ImageLevels masks;        ///< fills of the detections
  ImageLevels missedMasks;  ///< fills of the missed objects; null: none

  /// The fills of `masks` or `missedMasks`, whose masks are those of `instances`.
  std::vector<MaskFill> fills(bool ofMissed) const;

  /// Index of the smallest instance at a point of the image, missed objects included or not; -1:
  /// none.
  int instanceAt(QPointF imagePoint, bool withMissed = true) const;
};

/// Everything needed to build a scene, copied so that another thread can use it.
struct SceneRequest {
  std::shared_ptr<const coco::Dataset> dataset;
  std::size_t imageIndex = 0;
  qint64 step = 0;
  ImageDetections detections;                           ///< null: the image was not predicted
  std::shared_ptr<const coco::ImageOverlaps> overlaps;  ///< of the detections; null: not known yet
  MatchThresholds thresholds;
  MatchRules rules;
  std::set<CategoryId> hidden;
  std::set<std::size_t> chosenObjects{};  ///< of the image's annotations
  ColourBy colourBy = ColourBy::Verdict;
  const Theme* theme = nullptr;  ///< one of the two constant themes
  std::shared_ptr<const ImageGeometry>
      geometry;  ///< of an earlier scene of this image and checkpoint; null: none
};

struct SceneResult {
  std::size_t imageIndex = 0;
  qint64 step = 0;
  std::shared_ptr<const ImageGeometry> geometry;
  std::shared_ptr<const CanvasScene> scene;
  QString failure;  ///< why scene is null
};

/// Matches the detections and paints the masks. Blocks; call it from any thread; does not throw.
SceneResult buildScene(const SceneRequest& request);

}  // namespace lockstep::widgets
