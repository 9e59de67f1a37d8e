#include "widgets/comparison/error_view.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

#include "widgets/comparison/error_table.h"
#include "widgets/role.h"

namespace lockstep::widgets {

ErrorView::ErrorView(QWidget* parent) : QWidget(parent) {
  note_ = new QLabel;
  note_->setWordWrap(true);
  setRole(note_, "muted");
  table_ = new ErrorTable;
  setFocusProxy(table_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addWidget(note_);
  column->addWidget(table_, 1);
}

void ErrorView::setErrors(const std::array<coco::ErrorCosts, 2>& both, double iouThreshold) {
  note_->setText(
      tr("detections of every score, IoU ≥ %1, as in coco-eval; a number lists its objects")
          .arg(QLocale().toString(iouThreshold, 'f', 2)));
  table_->setErrors(both);
}

void ErrorView::clear() {
  note_->clear();
  table_->clear();
}

}  // namespace lockstep::widgets
