#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "widgets/comparison/compared_view.h"
#include "widgets/instances/matched_pair.h"

namespace lockstep::widgets {

/// A confusion matrix of A or B, or B - A: a row per true class and a column per predicted one, and
/// the background last. Cells are tinted by their share of the row's objects.
class ConfusionModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit ConfusionModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  void setConfusions(const std::vector<coco::Category>& categories,
                     const MatchedPair::Confusions& both);
  void clear();
  void setView(ComparedView view);
  ComparedView view() const { return view_; }
  /// "car predicted as truck"
  QString textOf(const QModelIndex& cell) const;
  int countAt(std::size_t actual, std::size_t predicted) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  QString className(int section, Qt::Orientation orientation) const;
  QString countText(int count) const;
  QVariant tint(const QModelIndex& index, int count) const;

  std::vector<QString> names_;
  MatchedPair::Confusions both_;
  ComparedView view_ = ComparedView::First;
};

}  // namespace lockstep::widgets
