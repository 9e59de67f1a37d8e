#include "widgets/comparison/object_filter_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <optional>

#include "widgets/class_box.h"
#include "widgets/instances/class_name.h"
#include "widgets/size_box.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kClassLetters = 9, kSizeLetters = 6, kScorePx = 104;
const QString kClass = QStringLiteral("class"), kSize = QStringLiteral("size"),
              kScore = QStringLiteral("score");

void makeNarrow(QComboBox& box, int letters) {
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(letters);
}

}  // namespace

ObjectFilterBar::ObjectFilterBar(QWidget* parent) : QWidget(parent) {
  buildUi();
  connect(class_, &QComboBox::currentIndexChanged, this, &ObjectFilterBar::changed);
  connect(size_, &QComboBox::currentIndexChanged, this, &ObjectFilterBar::changed);
  connect(score_, &QDoubleSpinBox::valueChanged, this, &ObjectFilterBar::changed);
}

void ObjectFilterBar::buildUi() {
  class_ = new ClassBox(tr("Class of the listed objects"));
  makeNarrow(*class_, kClassLetters);
  size_ = new SizeBox(tr("Size of the listed objects"));
  makeNarrow(*size_, kSizeLetters);
  score_ = new QDoubleSpinBox;
  score_->setRange(0, 1);
  score_->setSingleStep(0.05);
  score_->setPrefix(tr("A or B ≥ "));
  score_->setSpecialValueText(tr("Any score"));
  score_->setMinimumWidth(scaledPx(kScorePx));
  score_->setAccessibleName(tr("Minimum score that A or B gives a listed object"));
  score_->setToolTip(score_->accessibleName());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(class_, 2);
  row->addWidget(size_, 1);
  row->addWidget(score_);
}

void ObjectFilterBar::setClasses(const std::vector<coco::Category>& classes) {
  std::vector<ClassBox::Class> listed;
  for (const coco::Category& category : classes)
    listed.push_back({nameOf(category), category.id.value});
  class_->setClasses(listed);
}

ObjectFilter ObjectFilterBar::filter() const {
  ObjectFilter filter;
  if (const auto chosen = class_->chosen()) filter.category = CategoryId{*chosen};
  filter.size = static_cast<coco::ObjectSize>(size_->currentIndex());
  filter.leastScore = score_->value();
  return filter;
}

void ObjectFilterBar::setFilter(const ObjectFilter& filter) {
  {
    const QSignalBlocker noClass(class_), noSize(size_), noScore(score_);
    class_->choose(filter.category ? std::optional<qint64>(filter.category->value) : std::nullopt);
    size_->setCurrentIndex(static_cast<int>(filter.size));
    score_->setValue(filter.leastScore);
  }
  Q_EMIT changed();
}

QVariantMap ObjectFilterBar::viewState() const {
  return {{kClass, class_->wanted()}, {kSize, size_->currentIndex()}, {kScore, score_->value()}};
}

void ObjectFilterBar::restoreViewState(const QVariantMap& state) {
  {
    const QSignalBlocker noClass(class_), noSize(size_), noScore(score_);
    class_->want(state.value(kClass).toString());
    size_->restore(state.value(kSize));
    score_->setValue(state.value(kScore).toDouble());
  }
  Q_EMIT changed();
}

}  // namespace lockstep::widgets
