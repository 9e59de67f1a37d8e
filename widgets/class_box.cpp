#include "widgets/class_box.h"

#include <QSignalBlocker>
#include <algorithm>

namespace lockstep::widgets {

ClassBox::ClassBox(const QString& name, const QString& any, QWidget* parent)
    : QComboBox(parent), any_(any) {
  setAccessibleName(name);
  setToolTip(name);
  setClasses({});
  connect(this, &QComboBox::currentIndexChanged, this,
          [this](int index) { wanted_ = index > 0 ? itemText(index) : QString(); });
}

void ClassBox::setClasses(const std::vector<Class>& classes) {
  const QSignalBlocker blocker(this);
  clear();
  addItem(any_);
  for (const Class& each : classes) addItem(each.name, each.id);
  setVisible(classes.size() > 1);
  want(wanted_);
}

std::optional<qint64> ClassBox::chosen() const {
  return currentIndex() > 0 ? std::optional(currentData().toLongLong()) : std::nullopt;
}

void ClassBox::choose(std::optional<qint64> id) {
  setCurrentIndex(id ? std::max(0, findData(*id)) : 0);
  wanted_ = currentIndex() > 0 ? currentText() : QString();
}

void ClassBox::want(const QString& name) {
  const QString wanted = name;
  setCurrentIndex(wanted.isEmpty() ? 0 : std::max(0, findText(wanted)));
  wanted_ = wanted;
}

}  // namespace lockstep::widgets
