#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"

class QLabel;

namespace lockstep::widgets {

class ImageCanvas;
class WipeDivider;

/// One image with two scenes, whose zoom, pan and magnifiers are linked: beside each other, on each
/// other with a divider that is dragged or moved with the arrow keys, or one of them, and the other
/// while Tab is held.
class PairedView : public QWidget {
  Q_OBJECT

 public:
  enum class Mode { SideBySide, Wipe, Blink };
  explicit PairedView(QWidget* parent = nullptr);

  void setNames(const QString& first, const QString& second);
  /// nullptr: no image.
  void setImage(const std::shared_ptr<const DecodedImage>& image);
  bool hasImage() const { return hasImage_; }
  void setScenes(const std::shared_ptr<const CanvasScene>& first,
                 const std::shared_ptr<const CanvasScene>& second);
  Mode mode() const { return mode_; }
  void setMode(Mode mode);
  ImageCanvas* first() const { return first_; }
  ImageCanvas* second() const { return second_; }
  /// In Mode::Blink: Tab is held.
  bool isSecondHeld() const { return isSecondHeld_; }
  /// In Mode::Wipe: where the second scene begins, as a share of the width.
  double dividerAt() const { return dividerAt_; }
  void setDividerAt(double share);
  /// Shows or hides both magnifiers, at the same pixel.
  void toggleMagnifier();
  /// What is looked at in each scene, image px: in Mode::Wipe, now or later, the divider is moved
  /// where it hides that. std::nullopt: nothing.
  void uncover(const std::optional<QRectF>& inFirst, const std::optional<QRectF>& inSecond);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  void connectSignals();
  void place();
  void placeWipe();
  void moveDividerAside();
  void holdSecond(bool held);

  QLabel *firstName_ = nullptr, *secondName_ = nullptr;
  QWidget* area_ = nullptr;  ///< of the canvases
  ImageCanvas *first_ = nullptr, *second_ = nullptr;
  WipeDivider* divider_ = nullptr;
  Mode mode_ = Mode::SideBySide;
  std::optional<QRectF> inFirst_, inSecond_;  ///< of uncover()
  double dividerAt_ = 0.5;
  bool isSecondHeld_ = false;
  bool hasImage_ = false;
  bool isFollowing_ = false;  ///< one canvas is being shown as the other
};

}  // namespace lockstep::widgets
