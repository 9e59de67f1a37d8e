#pragma once

#include <QAbstractTableModel>
#include <map>
#include <vector>

#include "widgets/instances/class_figures.h"

namespace lockstep::widgets {

/// AP at one IoU threshold, as the field writes it: "AP50", "AP75", else "AP@0.65".
QString apNameAt(double iouThreshold);

/// The classes of a dataset as rows, in its order.
class ClassModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Images, Objects, TruePositives, FalsePositives, Missed, Ap, kColumns };
  static constexpr int kSortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setClasses(const std::vector<coco::Category>& classes);
  /// Of the classes that they are known of.
  void setFigures(const std::vector<ClassFigures>& figures);
  const std::vector<coco::Category>& classes() const { return classes_; }
  /// The title of the AP: "AP50".
  void setApName(const QString& name);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// Invalid: not known.
  QVariant valueOf(int row, int column) const;

  std::vector<coco::Category> classes_;
  QString apName_;
  std::map<CategoryId, ClassFigures> figures_;
};

}  // namespace lockstep::widgets
