#pragma once

#include <QAbstractTableModel>
#include <array>
#include <vector>

#include "widgets/comparison/compared_view.h"
#include "widgets/instances/matched_pair.h"

namespace lockstep::widgets {

/// What the cells of a confusion matrix are: counts, or shares of the objects of the true class
/// (the diagonal is then recall) or of the detections of the predicted class (precision).
enum class ConfusionUnit { Counts, OfActual, OfPredicted };

/// A confusion matrix of A or B, or B - A: a row per true class and a column per predicted one, and
/// the background last. Cells are tinted by their share of the row's objects.
class ConfusionModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Indices of classes; the one after the last is the background.
  struct Cell {
    std::size_t actual = 0, predicted = 0;
  };
  explicit ConfusionModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  void setConfusions(const std::vector<coco::Category>& categories,
                     const MatchedPair::Confusions& both);
  void clear();
  void setView(ComparedView view);
  ComparedView view() const { return view_; }
  void setUnit(ConfusionUnit unit);
  ConfusionUnit unit() const { return unit_; }
  /// Shows classes without objects and detections, too.
  void setEmptyShown(bool shown);
  std::size_t emptyClasses() const;
  /// Background that is predicted as background: that is no instance.
  bool isCorner(const Cell& cell) const {
    return cell.actual == names_.size() && cell.predicted == names_.size();
  }
  Cell cellAt(const QModelIndex& index) const;
  /// "car predicted as truck"
  QString textOf(const Cell& cell) const;
  QString classNameOf(std::size_t index) const;
  /// In ConfusionUnit::Counts, whatever is shown.
  int countAt(std::size_t actual, std::size_t predicted) const;
  /// As it is shown.
  QString valueText(const Cell& cell) const;
  /// Classes that are taken for others, most first, of B - A by their size; not the background.
  std::vector<Cell> largestConfusions(std::size_t most) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  struct Sums {
    std::vector<double> ofActual, ofPredicted;
  };

  void chooseClasses();
  bool isEmpty(std::size_t index) const;
  double shareAt(std::size_t side, const Cell& cell, ConfusionUnit unit) const;
  double valueAt(const Cell& cell) const;
  QVariant tint(const Cell& cell, int count) const;

  std::vector<QString> names_;
  MatchedPair::Confusions both_;
  std::array<Sums, 2> sums_;
  std::vector<std::size_t> shown_;  ///< indices of the classes, and of the background
  ComparedView view_ = ComparedView::First;
  ConfusionUnit unit_ = ConfusionUnit::Counts;
  bool isEmptyShown_ = false;
};

}  // namespace lockstep::widgets
