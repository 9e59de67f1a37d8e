#pragma once

#include <QPoint>
#include <QTimer>
#include <QTransform>
#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/image_view/canvas_base.h"
#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"
#include "widgets/image_view/fill_tiles.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

struct ExplanationScene;
class Loupe;

/// Which layers are drawn over the image.
struct CanvasLayers {
  bool groundTruth = true, masks = true, boxes = true, labels = true;
  bool crowds = true;                       ///< regions of the ground truth in which nothing counts
  int fillPercent = 100;                    ///< strength of the masks' fills; 0: outlines only
  bool anchors = false, proposals = false;  ///< of the image's explanation
  bool operator==(const CanvasLayers&) const = default;
};

/// One image with outlines over it. The wheel zooms at the pointer, a drag pans and a double click
/// fits. The instance under the pointer is highlighted with its facts; a click pins it.
class ImageCanvas : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  explicit ImageCanvas(QWidget* parent = nullptr);

  /// A new image is fitted to the view; the same one (for example at another checkpoint) keeps the
  /// zoom and the pin. nullptr: no image.
  void setImage(std::shared_ptr<const DecodedImage> image);
  void setScene(std::shared_ptr<const CanvasScene> scene);
  const std::shared_ptr<const DecodedImage>& image() const { return image_; }
  const std::shared_ptr<const CanvasScene>& scene() const { return scene_; }
  void setLayers(const CanvasLayers& layers);
  /// Drawn over image and scene; nullptr: none.
  void setExplanation(std::shared_ptr<const ExplanationScene> explanation);
  const CanvasLayers& layers() const { return layers_; }
  /// Index into the scene's instances; -1: none.
  void setPinned(int instance);
  int pinned() const { return pinned_; }
  int hovered() const { return hovered_; }
  /// Moves the view so that the instance is visible.
  void reveal(int instance);
  /// The same of a part of the image, px.
  void reveal(const QRectF& imageBox);
  /// Zooms so that a box of the image, px, fills a part of the view, with what is around it; never
  /// out of what shows the whole image. It stays so in a view of another size, until another part
  /// of the image is looked at.
  void showBox(const QRectF& imageBox);

  /// Nothing of what was drawn is still being painted.
  bool isReady() const { return fills_.isReady(); }

  double zoom() const { return scale_; }
  /// Shows the same part of the image as another canvas of this size, which has the same image.
  void showAs(const ImageCanvas& other);
  /// Widget position of a point of the image.
  QPointF toWidget(QPointF imagePoint) const;
  QPointF toImage(QPointF widgetPoint) const;
  QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }
  /// The counts of what is drawn, and the pinned instance.
  QString spokenValue() const override;
  QSize sizeHint() const override { return {960, 540}; }

 public Q_SLOTS:
  void fit();
  void zoomToActualSize();
  void zoomBy(double factor);
  /// Shows or hides the pixels around the pointer, enlarged.
  void toggleMagnifier();
  /// With this pixel of the image in its middle; std::nullopt: hidden.
  void showMagnifierAt(std::optional<QPoint> pixel);

 Q_SIGNALS:
  /// -1: none.
  void instanceHovered(int instance);
  void instancePinned(int instance);
  /// The pixel of the image under the pointer; std::nullopt: none.
  void pixelPointedAt(std::optional<QPoint> pixel);
  /// The magnifier shows another pixel; std::nullopt: it is hidden.
  void magnifierMoved(std::optional<QPoint> pixel);
  /// Another part of the image is shown.
  void viewChanged();
  /// isReady() became true.
  void ready();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  Loupe* magnifier();
  QSizeF imageSize() const;
  void setView(double scale, QPointF offset);
  void lookAt(double scale, QPointF offset);
  void zoomAt(QPointF anchor, double factor);
  void setHovered(int instance);
  void tellPixel(QPointF widgetPoint);
  void tellPixelUnderPointer();
  QPointF onScreenPixel(QPointF widgetPoint) const;
  void redrawBase();
  void redrawDifference(const CanvasScene& before);
  void redrawPart(const QRectF& imagePart);
  QTransform transform() const;
  CanvasView view() const;
  bool isPaintedOnScreen() const;
  void drawBase(QPainter& painter, const QRectF& area);
  void drawAhead();

  std::shared_ptr<const DecodedImage> image_;
  std::shared_ptr<const CanvasScene> scene_;
  std::shared_ptr<const ExplanationScene> explanation_;
  CanvasLayers layers_;
  double scale_ = 1;  ///< widget px per image px
  QPointF offset_;    ///< widget position of the image's corner
  QSize viewSize_;    ///< of the widget that they are for: a hidden one is not told of a new size
  bool isFitted_ = true;
  std::optional<QRectF> shownBox_;  ///< of showBox(); px of the image
  int hovered_ = -1, pinned_ = -1;
  std::optional<QPoint> dragFrom_;
  bool dragged_ = false;
  bool spaceHeld_ = false;
  CanvasBase base_;             ///< image, fills and outlines in the current view
  QTimer ahead_;                ///< until there is time for the tiles beside the view
  Loupe* magnifier_ = nullptr;  ///< once it was shown
  FillTiles fills_{[this](const QRectF& imagePart) { redrawPart(imagePart); }};
};

}  // namespace lockstep::widgets
