#include "widgets/image_view/image_filter_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "widgets/class_box.h"
#include "widgets/curves/number_text.h"
#include "widgets/elided_label.h"
#include "widgets/instances/class_name.h"
#include "widgets/instances/error_text.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/size_box.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNarrowestPx = 54, kShortPlacePx = 72;
constexpr int kFirstError = 100;
const QString kFilterKey = QStringLiteral("filter"), kClassKey = QStringLiteral("class"),
              kSizeKey = QStringLiteral("size"), kSortKey = QStringLiteral("sort");

using Filter = ImageOrder::Filter;
using Sort = ImageOrder::Sort;

void makeNarrow(QComboBox& combo) {
  combo.setSizeAdjustPolicy(QComboBox::AdjustToContents);
  combo.setMinimumWidth(scaledPx(kNarrowestPx));
}

QComboBox* narrowCombo(const QString& name) {
  auto* combo = new QComboBox;
  combo->setAccessibleName(name);
  combo->setToolTip(name);
  makeNarrow(*combo);
  return combo;
}

}  // namespace

ImageFilterBar::ImageFilterBar(QWidget* parent) : QWidget(parent) {
  part_ = narrowCombo(tr("Part of the data"));
  part_->setToolTip(tr(
      "Split or source of the images. Images that are dropped on the page, or opened, are one."));
  closePart_ = new QToolButton;
  closePart_->setText(tr("Close"));
  closePart_->setToolTip(tr("Closes what was opened"));
  closePart_->setAccessibleName(closePart_->toolTip());
  closePart_->setObjectName(QStringLiteral("closePart"));
  closePart_->hide();
  filter_ = narrowCombo(tr("Images shown"));
  class_ = new ClassBox(tr("Class on the images shown"));
  size_ = new SizeBox(tr("Size on the images shown"));
  makeNarrow(*class_);
  makeNarrow(*size_);
  sort_ = narrowCombo(tr("Sort images"));
  buildEnd();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  first_ = new QHBoxLayout;
  second_ = new QHBoxLayout;
  column->addLayout(first_);
  column->addLayout(second_);
  for (QWidget* one :
       std::initializer_list<QWidget*>{part_, closePart_, filter_, class_, size_, sort_})
    first_->addWidget(one);
  first_->addStretch();
  first_->addWidget(place_);
  first_->addWidget(clear_);
  setParts({}, 0);
  setClasses({});
  fillFilter();
  fillSort();
  connect(part_, &QComboBox::currentIndexChanged, this, &ImageFilterBar::partChosen);
  connect(closePart_, &QToolButton::clicked, this, &ImageFilterBar::partCloseClicked);
  for (QComboBox* combo : std::initializer_list<QComboBox*>{filter_, class_, size_, sort_})
    connect(combo, &QComboBox::currentIndexChanged, this, &ImageFilterBar::orderChanged);
  connect(this, &ImageFilterBar::orderChanged, this, &ImageFilterBar::showClear);
}

void ImageFilterBar::buildEnd() {
  place_ = new ElidedLabel(Qt::ElideRight);
  setRole(place_, "muted");
  clear_ = new QToolButton;
  clear_->setAccessibleName(tr("Clear filters"));
  clear_->setToolTip(clear_->accessibleName());
  clear_->setText(clear_->accessibleName());
  clear_->setObjectName(QStringLiteral("clearFilters"));
  setRole(clear_, "quiet");
  showKeysOf(clear_, "predictions.clear_filters");
  clear_->hide();
  connect(clear_, &QToolButton::clicked, this, &ImageFilterBar::showAll);
}

void ImageFilterBar::showClear() {
  clear_->setVisible(
      std::ranges::any_of(std::array<const QComboBox*, 3>{filter_, class_, size_},
                          [](const QComboBox* combo) { return combo->currentIndex() > 0; }));
  wrap();
}

QVariantMap ImageFilterBar::viewState() const {
  return {{kFilterKey, filter_->currentData()},
          {kClassKey, class_->wanted()},
          {kSizeKey, size_->currentIndex()},
          {kSortKey, sort_->currentData()}};
}

void ImageFilterBar::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  {
    const QSignalBlocker noFilter(filter_), noClass(class_), noSize(size_), noSort(sort_);
    filter_->setCurrentIndex(std::max(0, filter_->findData(state.value(kFilterKey))));
    class_->want(state.value(kClassKey).toString());
    size_->restore(state.value(kSizeKey));
    sort_->setCurrentIndex(std::max(0, sort_->findData(state.value(kSortKey))));
  }
  Q_EMIT orderChanged();
}

void ImageFilterBar::setParts(const QStringList& names, int current, bool canClose) {
  const QSignalBlocker blocker(part_);
  part_->clear();
  part_->addItems(names);
  part_->setCurrentIndex(current);
  part_->setVisible(names.size() > 1);
  closePart_->setVisible(canClose);
  wrap();
}

void ImageFilterBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  wrap();
}

void ImageFilterBar::wrap() {
  clear_->setText(clear_->accessibleName());
  int needed = place_->sizeHint().width();
  if (!clear_->isHidden()) needed += clear_->sizeHint().width() + first_->spacing();
  for (const QWidget* one :
       std::initializer_list<const QWidget*>{part_, closePart_, filter_, class_, size_, sort_})
    if (!one->isHidden()) needed += one->sizeHint().width() + first_->spacing();
  const bool isWrapped = needed > width();
  clear_->setText(isWrapped ? QStringLiteral("✕") : clear_->accessibleName());
  if (isWrapped == (second_->count() > 0)) return;
  const std::array<QComboBox*, 3> moved{class_, size_, sort_};
  QHBoxLayout* from = isWrapped ? first_ : second_;
  for (QComboBox* combo : moved) from->removeWidget(combo);
  if (isWrapped) {
    for (QComboBox* combo : moved) second_->addWidget(combo);
    second_->addStretch();
  } else {
    delete second_->takeAt(0);  // the stretch
    int place = first_->indexOf(filter_) + 1;
    for (QComboBox* combo : moved) first_->insertWidget(place++, combo);
  }
}

void ImageFilterBar::setClasses(const std::vector<coco::Category>& classes) {
  std::vector<ClassBox::Class> listed;
  for (const coco::Category& category : classes)
    listed.push_back({nameOf(category), category.id.value});
  class_->setClasses(listed);
  showClear();
}

void ImageFilterBar::fillFilter() {
  filter_->addItem(tr("All images"), static_cast<int>(Filter::All));
  filter_->addItem(tr("Predicted images"), static_cast<int>(Filter::Predicted));
  filter_->addItem(tr("Images with errors"), static_cast<int>(Filter::WithErrors));
  filter_->addItem(tr("With false positives"), static_cast<int>(Filter::WithFalsePositives));
  filter_->addItem(tr("With false negatives"), static_cast<int>(Filter::WithFalseNegatives));
  filter_->setItemData(filter_->count() - 1, tr("Objects without a match at the thresholds"),
                       Qt::ToolTipRole);
  for (int type = 0; type < static_cast<int>(coco::kErrorTypeCount); ++type) {
    filter_->addItem({}, kFirstError + type);
    filter_->setItemData(filter_->count() - 1,
                         errorText(static_cast<coco::ErrorType>(type)).sentence, Qt::ToolTipRole);
  }
  setErrorCounts({});
}

void ImageFilterBar::setErrorCounts(const std::optional<ErrorCounts>& counts) {
  for (std::size_t type = 0; type < coco::kErrorTypeCount; ++type) {
    QString text = tr("Errors: %1").arg(errorText(static_cast<coco::ErrorType>(type)).name);
    if (counts)
      text += QStringLiteral(" (%1)").arg(countText(static_cast<qint64>((*counts)[type])));
    filter_->setItemText(filter_->findData(kFirstError + static_cast<int>(type)), text);
  }
  wrap();
}

void ImageFilterBar::fillSort() {
  const auto add = [this](const QString& text, Sort sort) {
    sort_->addItem(text, static_cast<int>(sort));
  };
  add(tr("Dataset order"), Sort::Dataset);
  add(tr("Most errors first"), Sort::MostErrors);
  add(tr("Most false positives first"), Sort::MostFalsePositives);
  add(tr("Most false negatives first"), Sort::MostMissed);
  add(tr("Highest loss first"), Sort::HighestLoss);
  setHasLosses(false);
  add(tr("Lowest IoU first"), Sort::LowestIou);
  sort_->setItemData(sort_->count() - 1,
                     tr("Mean over an image's objects of their IoU; missed ones count as 0"),
                     Qt::ToolTipRole);
  add(tr("By name"), Sort::Name);
}

void ImageFilterBar::setHasLosses(bool hasLosses) {
  const int row = sort_->findData(static_cast<int>(Sort::HighestLoss));
  qobject_cast<QStandardItemModel*>(sort_->model())->item(row)->setEnabled(hasLosses);
  sort_->setItemData(row,
                     hasLosses ? tr("Validation loss of the image at the evaluation of this step")
                               : tr("No losses of single images are known here"),
                     Qt::ToolTipRole);
}

ImageOrder ImageFilterBar::order() const {
  ImageOrder order;
  const int filter = filter_->currentData().toInt();
  if (filter >= kFirstError) {
    order.filter = Filter::WithErrors;
    order.error = static_cast<coco::ErrorType>(filter - kFirstError);
  } else {
    order.filter = static_cast<Filter>(filter);
  }
  if (const auto chosen = class_->chosen()) order.category = CategoryId{*chosen};
  order.size = static_cast<coco::ObjectSize>(size_->currentIndex());
  order.sort = static_cast<Sort>(sort_->currentData().toInt());
  return order;
}

/// With one orderChanged() at the end, also if several of them change.
void ImageFilterBar::change(const std::function<void()>& combos) {
  {
    const QSignalBlocker noFilter(filter_), noClass(class_), noSize(size_), noSort(sort_);
    combos();
  }
  Q_EMIT orderChanged();
}

void ImageFilterBar::showAll() {
  change([this] {
    filter_->setCurrentIndex(0);
    class_->choose(std::nullopt);
    size_->setCurrentIndex(0);
  });
}

void ImageFilterBar::setClassErrors(CategoryId category, bool areMissed) {
  const auto filter =
      static_cast<int>(areMissed ? Filter::WithFalseNegatives : Filter::WithFalsePositives);
  change([&] {
    filter_->setCurrentIndex(filter_->findData(filter));
    class_->choose(category.value);
    size_->setCurrentIndex(0);
  });
}

QString ImageFilterBar::filtersText() const {
  QStringList texts;
  if (const auto error = order().error) {
    texts << tr("errors of type %1").arg(errorText(*error).name);
  } else if (filter_->currentIndex() > 0) {
    texts << filter_->currentText();
  }
  for (const QComboBox* combo : std::initializer_list<const QComboBox*>{class_, size_})
    if (combo->currentIndex() > 0) texts << combo->currentText();
  return texts.join(QStringLiteral(" · "));
}

void ImageFilterBar::setClass(std::optional<CategoryId> category) {
  class_->choose(category ? std::optional<qint64>(category->value) : std::nullopt);
}

void ImageFilterBar::setPlace(const QString& text) {
  place_->setText(text);
  place_->setMinimumWidth(std::min(place_->sizeHint().width(), scaledPx(kShortPlacePx)));
  wrap();
}

QString ImageFilterBar::place() const { return place_->text(); }

}  // namespace lockstep::widgets
