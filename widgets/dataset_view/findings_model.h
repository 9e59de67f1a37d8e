#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/dataset_check/finding.h"

namespace lockstep::widgets {

/// What a check of the data found, a row each: what it is, where, and in the check's words.
class FindingsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Kind, Text, Place, kColumns };
  static constexpr int kIsFaultRole = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;

  void setFindings(std::vector<dataset_check::Finding> findings);
  const std::vector<dataset_check::Finding>& findings() const { return findings_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<dataset_check::Finding> findings_;
};

}  // namespace lockstep::widgets
