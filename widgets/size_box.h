#pragma once

#include <QComboBox>

namespace lockstep::widgets {

/// Any size of an object, or one of COCO's, in the order of coco::ObjectSize.
class SizeBox : public QComboBox {
  Q_OBJECT

 public:
  /// `name`: of what, for screen readers and in its tool tip.
  explicit SizeBox(const QString& name, QWidget* parent = nullptr);

  /// Any size where there is no such place.
  void restore(const QVariant& index);
};

}  // namespace lockstep::widgets
