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
  /// Shows only the keys, of all layers or of those that are not shown at first, if the names would
  /// leave no room for the image's name in this width.
  void fitInto(int widthPx);

 Q_SIGNALS:
  void layersChanged();

 private:
  void addFill();
  void showFill();
  enum class Names { None, OfUsualLayers, All };
  void showNames(Names names);
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
  Names names_ = Names::All;
  int usualNamesWidthPx_ = 0;  ///< with the names of usual layers; 0: not computed yet
  int allNamesWidthPx_ = 0;
};

}  // namespace lockstep::widgets
