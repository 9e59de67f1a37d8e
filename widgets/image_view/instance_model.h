#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "widgets/image_view/canvas_scene.h"

namespace lockstep::widgets {

/// The instances of a scene as rows, in the scene's order (worst first).
class InstanceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Mark, Class, Score, Iou, Object, Area, Error, kColumns };
  static constexpr int kSortRole = Qt::UserRole;
  static constexpr int kVerdictRole = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;

  /// "droplet 0.83": the object that an instance is matched with or overlaps most, and their IoU.
  static QString objectText(const CanvasScene::Instance& instance);

  void setScene(std::shared_ptr<const CanvasScene> scene);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const CanvasScene> scene_;
};

}  // namespace lockstep::widgets
