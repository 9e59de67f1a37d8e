#pragma once

#include <QWidget>
#include <array>

#include "widgets/image_view/image_canvas.h"

class QToolButton;

namespace lockstep::widgets {

/// Buttons for the canvas's layers, each with its key: G ground truth, M masks, B boxes, T labels,
/// K crowd regions, Q proposals, H anchors, O strength of the fills.
class LayerButtons : public QWidget {
  Q_OBJECT

 public:
  explicit LayerButtons(QWidget* parent = nullptr);
  CanvasLayers layers() const;
  /// Shows only the keys if the names would leave no room for the image's name in this width.
  void fitInto(int widthPx);

 Q_SIGNALS:
  void layersChanged();

 private:
  void addFill();
  void showFill();
  void showNames(bool hasNames);
  QToolButton* add(const char* id, const QString& key, const QString& name);
  QToolButton* addHidden(const char* id, const QString& key, const QString& name);
  std::array<QToolButton*, 7> buttons() const;

  QToolButton* groundTruth_ = nullptr;
  QToolButton* masks_ = nullptr;
  QToolButton* boxes_ = nullptr;
  QToolButton* labels_ = nullptr;
  QToolButton* crowds_ = nullptr;
  QToolButton* proposals_ = nullptr;
  QToolButton* anchors_ = nullptr;
  QToolButton* fill_ = nullptr;
  std::size_t fillPlace_ = 0;  ///< in the strengths
  bool hasNames_ = true;
  int namesWidthPx_ = 0;  ///< width with all names; 0: not computed yet
};

}  // namespace lockstep::widgets
