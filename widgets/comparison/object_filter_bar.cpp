#include "widgets/comparison/object_filter_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kClassLetters = 9, kSizeLetters = 6, kScorePx = 104;
const QString kClass = QStringLiteral("class"), kSize = QStringLiteral("size"),
              kScore = QStringLiteral("score");

QComboBox* narrowBox(const QString& name, int letters) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setToolTip(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(letters);
  return box;
}

}  // namespace

ObjectFilterBar::ObjectFilterBar(QWidget* parent) : QWidget(parent) {
  buildUi();
  connect(class_, &QComboBox::currentIndexChanged, this, [this](int index) {
    wantedClass_ = index > 0 ? class_->itemText(index) : QString();
    Q_EMIT changed();
  });
  connect(size_, &QComboBox::currentIndexChanged, this, &ObjectFilterBar::changed);
  connect(score_, &QDoubleSpinBox::valueChanged, this, &ObjectFilterBar::changed);
}

void ObjectFilterBar::buildUi() {
  class_ = narrowBox(tr("Class of the listed objects"), kClassLetters);
  size_ = narrowBox(tr("Size of the listed objects, as COCO: small up to 32 × 32 px, large over "
                       "96 × 96 px"),
                    kSizeLetters);
  size_->addItems({tr("Any size"), tr("Small"), tr("Medium"), tr("Large")});
  score_ = new QDoubleSpinBox;
  score_->setRange(0, 1);
  score_->setSingleStep(0.05);
  score_->setPrefix(tr("A or B ≥ "));
  score_->setSpecialValueText(tr("Any score"));
  score_->setMinimumWidth(scaledPx(kScorePx));
  score_->setAccessibleName(tr("Least score that A or B gives a listed object"));
  score_->setToolTip(score_->accessibleName());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(class_, 2);
  row->addWidget(size_, 1);
  row->addWidget(score_);
  setClasses({});
}

void ObjectFilterBar::setClasses(const std::vector<coco::Category>& classes) {
  const QSignalBlocker blocker(class_);
  class_->clear();
  class_->addItem(tr("Any class"));
  for (const coco::Category& category : classes)
    class_->addItem(QString::fromStdString(category.name),
                    QVariant::fromValue<qint64>(category.id.value));
  class_->setVisible(classes.size() > 1);
  chooseWantedClass();
}

void ObjectFilterBar::chooseWantedClass() {
  const int found = wantedClass_.isEmpty() ? 0 : class_->findText(wantedClass_, Qt::MatchExactly);
  class_->setCurrentIndex(std::max(0, found));
}

ObjectFilter ObjectFilterBar::filter() const {
  ObjectFilter filter;
  if (class_->currentIndex() > 0) filter.category = CategoryId{class_->currentData().toLongLong()};
  filter.size = static_cast<coco::ObjectSize>(size_->currentIndex());
  filter.leastScore = score_->value();
  return filter;
}

void ObjectFilterBar::setFilter(const ObjectFilter& filter) {
  {
    const QSignalBlocker noClass(class_), noSize(size_), noScore(score_);
    class_->setCurrentIndex(
        filter.category
            ? std::max(0, class_->findData(QVariant::fromValue<qint64>(filter.category->value)))
            : 0);
    wantedClass_ = class_->currentIndex() > 0 ? class_->currentText() : QString();
    size_->setCurrentIndex(static_cast<int>(filter.size));
    score_->setValue(filter.leastScore);
  }
  Q_EMIT changed();
}

void ObjectFilterBar::setClass(CategoryId category) {
  ObjectFilter other = filter();
  other.category = category;
  setFilter(other);
}

QVariantMap ObjectFilterBar::viewState() const {
  return {{kClass, wantedClass_}, {kSize, size_->currentIndex()}, {kScore, score_->value()}};
}

void ObjectFilterBar::restoreViewState(const QVariantMap& state) {
  {
    const QSignalBlocker noClass(class_), noSize(size_), noScore(score_);
    wantedClass_ = state.value(kClass).toString();
    chooseWantedClass();
    size_->setCurrentIndex(std::clamp(state.value(kSize).toInt(), 0, size_->count() - 1));
    score_->setValue(state.value(kScore).toDouble());
  }
  Q_EMIT changed();
}

}  // namespace lockstep::widgets
