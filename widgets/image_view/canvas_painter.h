#pragma once

#include <QPainter>
#include <QString>
#include <QTransform>
#include <vector>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"

namespace lockstep::widgets {

class FillTiles;
struct CanvasLayers;
struct Theme;

/// Paints an ImageCanvas. `view` maps image px to widget px; what lies outside of `area`, widget
/// px, is left out where that saves time. `tiles`: has the scene's fills that would take long
/// painted in the background; nullptr: everything is painted at once.
class CanvasPainter {
 public:
  CanvasPainter(QPainter& painter, const QTransform& view, const QRectF& area, const Theme& theme,
                FillTiles* tiles = nullptr)
      : painter_(painter), view_(view), area_(area), theme_(theme), tiles_(tiles) {}

  void drawImage(const ImageLevels& levels);
  /// Of the missed objects or of the detections.
  void drawFills(const CanvasScene& scene, bool ofMissed);
  /// Fills and outlines.
  void drawScene(const CanvasScene& scene, const CanvasLayers& layers);
  /// Where labels stand depends on the area.
  void drawLabels(const CanvasScene& scene, const CanvasLayers& layers);
  /// Draws one instance with thicker lines, on top of everything else.
  void drawHighlight(const CanvasScene::Instance& instance);
  /// Draws a card with class, score, IoU and area beside the instance.
  void drawFacts(const CanvasScene::Instance& instance);

 private:
  /// One of the texts that a label may have.
  struct LabelText {
    QString text;
    bool mayBeWider = false;  ///< than its object
  };

  double pixelsPerImagePixel() const;
  QRectF visibleImageRect() const;
  bool isInArea(const QRectF& imageRect) const;
  QPainterPath onScreen(const QPainterPath& path) const;
  void drawPicture(const QImage& picture, const QRectF& place);
  void drawKeptFills(const ImageLevels& kept, const QRectF& part);
  void drawGroundTruths(const CanvasScene& scene, const CanvasLayers& layers);
  void drawInstances(const CanvasScene& scene, const CanvasLayers& layers);
  bool drawLabel(const QRectF& box, const std::vector<LabelText>& texts, const QColor& colour,
                 std::vector<QRectF>& taken);

  QPainter& painter_;
  QTransform view_;
  QRectF area_;
  const Theme& theme_;
  FillTiles* tiles_;
};

}  // namespace lockstep::widgets
