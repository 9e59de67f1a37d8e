#include "widgets/image_view/class_filter.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kIndexRole = Qt::UserRole;
constexpr int kNameRole = Qt::UserRole + 1;

}  // namespace

ClassFilter::ClassFilter(QWidget* parent) : QToolButton(parent) {
  setPopupMode(QToolButton::InstantPopup);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setAccessibleName(tr("Classes"));
  buildMenu();
  updateText();
}

void ClassFilter::buildMenu() {
  auto* panel = new QWidget;
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Filter classes"));
  list_ = new QListWidget;
  list_->setMinimumSize(240, 220);
  auto* all = new QPushButton(tr("All"));
  auto* none = new QPushButton(tr("None"));
  for (QPushButton* button : {all, none}) setRole(button, "quiet");
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(all);
  buttons->addWidget(none);
  buttons->addStretch();
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(search_);
  column->addWidget(list_);
  column->addLayout(buttons);
  auto* action = new QWidgetAction(this);
  action->setDefaultWidget(panel);
  auto* menu = new QMenu(this);
  menu->addAction(action);
  setMenu(menu);
  connect(all, &QPushButton::clicked, this, [this] { setAll(Qt::Checked); });
  connect(none, &QPushButton::clicked, this, [this] { setAll(Qt::Unchecked); });
  connect(search_, &QLineEdit::textChanged, this, &ClassFilter::filterRows);
  connect(list_, &QListWidget::itemChanged, this, [this] { readTicks(); });
  connect(menu, &QMenu::aboutToShow, search_, qOverload<>(&QWidget::setFocus));
}

void ClassFilter::setClasses(const std::vector<coco::Category>& classes) {
  classes_ = classes;
  hidden_.clear();
  isFilling_ = true;
  list_->clear();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const QString name = QString::fromStdString(classes[i].name);
    auto* item = new QListWidgetItem(name, list_);
    item->setData(kIndexRole, static_cast<int>(i));
    item->setData(kNameRole, name);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(Qt::Checked);
  }
  isFilling_ = false;
  updateText();
}

void ClassFilter::setNotes(const std::vector<QString>& notes) {
  isFilling_ = true;
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    const auto index = static_cast<std::size_t>(item->data(kIndexRole).toInt());
    const QString name = item->data(kNameRole).toString();
    item->setText(index < notes.size() && !notes[index].isEmpty()
                      ? name % QStringLiteral("   ") % notes[index]
                      : name);
  }
  isFilling_ = false;
}

void ClassFilter::setAll(Qt::CheckState state) {
  isFilling_ = true;
  for (int row = 0; row < list_->count(); ++row) {
    if (!list_->item(row)->isHidden()) list_->item(row)->setCheckState(state);
  }
  isFilling_ = false;
  readTicks();
}

void ClassFilter::filterRows(const QString& words) {
  for (int row = 0; row < list_->count(); ++row) {
    const QString name = list_->item(row)->data(kNameRole).toString();
    list_->item(row)->setHidden(!name.contains(words.trimmed(), Qt::CaseInsensitive));
  }
}

void ClassFilter::readTicks() {
  if (isFilling_) return;
  std::set<CategoryId> hidden;
  for (int row = 0; row < list_->count(); ++row) {
    const QListWidgetItem* item = list_->item(row);
    if (item->checkState() == Qt::Checked) continue;
    hidden.insert(classes_[static_cast<std::size_t>(item->data(kIndexRole).toInt())].id);
  }
  if (hidden == hidden_) return;
  hidden_ = std::move(hidden);
  updateText();
  Q_EMIT hiddenChanged();
}

void ClassFilter::updateText() {
  const auto count = static_cast<int>(classes_.size());
  const auto shown = count - static_cast<int>(hidden_.size());
  const QString text = count == 0      ? tr("No classes")
                       : shown < count ? tr("%1 of %2 classes").arg(shown).arg(count)
                       : count == 1    ? tr("1 class")
                                       : tr("All %1 classes").arg(count);
  setText(text % QStringLiteral("  ▾"));
}

}  // namespace lockstep::widgets
