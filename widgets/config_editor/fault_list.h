#pragma once

#include <QTreeWidget>
#include <vector>

#include "widgets/experiment/document_check.h"

namespace lockstep::widgets {

/// Every fault of the document with its place; a click goes there, the button mends it.
class FaultList : public QTreeWidget {
  Q_OBJECT

 public:
  explicit FaultList(QWidget* parent = nullptr);

  /// Hides itself when there is none.
  void setFaults(const std::vector<DocumentFault>& faults);

 Q_SIGNALS:
  void faultChosen(int fault);
  void fixRequested(int fault);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void colourRows();
  void fitHeight();

  std::vector<DocumentFault> faults_;
};

}  // namespace lockstep::widgets
