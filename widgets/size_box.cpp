#include "widgets/size_box.h"

#include <QVariant>

namespace lockstep::widgets {

SizeBox::SizeBox(const QString& name, QWidget* parent) : QComboBox(parent) {
  setAccessibleName(tr("%1, as COCO: small up to 32 × 32 px, large over 96 × 96 px").arg(name));
  setToolTip(accessibleName());
  addItems({tr("Any size"), tr("Small"), tr("Medium"), tr("Large")});
}

void SizeBox::restore(const QVariant& index) {
  const int place = index.toInt();
  setCurrentIndex(place >= 0 && place < count() ? place : 0);
}

}  // namespace lockstep::widgets
