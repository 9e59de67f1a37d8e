#pragma once

#include <QWidget>
#include <vector>

#include "engine/dataset_check/finding.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lockstep::widgets {

class FindingsModel;

/// What a check of every image and annotation has found, or how far it is, or the button that
/// starts one.
class FindingsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FindingsPanel(QWidget* parent = nullptr);

  /// Nothing was checked yet.
  void clear();
  /// Of both parts of the data; those of the shown one are listed.
  void setFindings(const std::vector<dataset_check::Finding>& findings, dataset_check::Part shown);
  /// How far the check is; empty: none is going on.
  void setProgress(const QString& text);
  /// Chooses the next row, or the one before; wraps.
  void moveBy(int rows);
  /// In the shown part.
  int faultCount() const;
  /// In either part.
  bool hasFaults() const { return faultCount() + otherFaults_ > 0; }
  bool isChecked() const { return isChecked_; }

 Q_SIGNALS:
  void checkRequested();
  void checkCanceled();
  void cleaningRequested();
  void findingChosen(const lockstep::dataset_check::Finding& finding);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  void buildTable();
  void fitColumns();
  void connectSignals();
  void showState();
  QString summaryText() const;

  FindingsModel* model_ = nullptr;
  QSortFilterProxyModel* filtered_ = nullptr;
  QLabel* summary_ = nullptr;
  QPushButton* check_ = nullptr;
  QPushButton* clean_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QTableView* table_ = nullptr;
  QString progress_;
  bool isChecked_ = false;
  dataset_check::Part part_ = dataset_check::Part::Train;  ///< the shown one
  int otherFaults_ = 0;                                    ///< in the other part
};

}  // namespace lockstep::widgets
