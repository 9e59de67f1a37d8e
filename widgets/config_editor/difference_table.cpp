#include "widgets/config_editor/difference_table.h"

#include <QHeaderView>
#include <QToolButton>

#include "engine/config/fields.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kKey = 0, kOwn = 1, kOther = 2, kTake = 3, kDifferenceColumns = 4;

}  // namespace

DifferenceTable::DifferenceTable(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(kDifferenceColumns);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAccessibleName(tr("Difference"));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(kKey, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(kOwn, QHeaderView::Stretch);
  header()->setSectionResizeMode(kOther, QHeaderView::Stretch);
  header()->setSectionResizeMode(kTake, QHeaderView::ResizeToContents);
  connect(this, &QTreeWidget::itemActivated, this,
          [this](const QTreeWidgetItem* item) { Q_EMIT keyChosen(item->text(kKey)); });
}

void DifferenceTable::setDifference(const QString& leftName, const QString& rightName,
                                    const std::vector<config::ConfigDifference>& differences) {
  clear();
  setHeaderLabels({tr("key"), leftName, rightName, QString()});
  for (const config::ConfigDifference& difference : differences) {
    auto* item = new QTreeWidgetItem(
        this, {QString::fromStdString(difference.key), QString::fromStdString(difference.left),
               QString::fromStdString(difference.right)});
    for (const int column : {kKey, kOwn, kOther}) {
      item->setFont(column, monoFont(11));
      item->setToolTip(column, item->text(column));
    }
    const config::Field* field = config::findField(difference.key);
    if (field && field->isImplemented) addTakeButton(item);
  }
}

void DifferenceTable::addTakeButton(QTreeWidgetItem* item) {
  auto* take = new QToolButton;
  take->setText(tr("Take"));
  take->setObjectName(QStringLiteral("take"));
  take->setToolTip(tr("Set %1: %2 in the file").arg(item->text(kKey), item->text(kOther)));
  take->setAccessibleName(take->toolTip());
  take->setFocusPolicy(Qt::StrongFocus);
  setRole(take, "small");
  connect(take, &QToolButton::clicked, this,
          [this, key = item->text(kKey), value = item->text(kOther)] {
            setFocus();  // the button goes with its row
            Q_EMIT taken(key, value);
          });
  setItemWidget(item, kTake, take);
}

}  // namespace lockstep::widgets
