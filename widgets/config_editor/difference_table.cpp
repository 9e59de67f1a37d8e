#include "widgets/config_editor/difference_table.h"

#include <QHeaderView>

#include "widgets/theme.h"

namespace lockstep::widgets {

DifferenceTable::DifferenceTable(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(3);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAccessibleName(tr("Difference"));
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(1, QHeaderView::Stretch);
  header()->setSectionResizeMode(2, QHeaderView::Stretch);
  connect(this, &QTreeWidget::itemActivated, this,
          [this](const QTreeWidgetItem* item) { Q_EMIT keyChosen(item->text(0)); });
}

void DifferenceTable::setDifference(const QString& leftName, const QString& rightName,
                                    const std::vector<config::ConfigDifference>& differences) {
  clear();
  setHeaderLabels({tr("key"), leftName, rightName});
  for (const config::ConfigDifference& difference : differences) {
    auto* item = new QTreeWidgetItem(
        this, {QString::fromStdString(difference.key), QString::fromStdString(difference.left),
               QString::fromStdString(difference.right)});
    for (int column = 0; column < 3; ++column) {
      item->setFont(column, monoFont(11));
      item->setToolTip(column, item->text(column));
    }
  }
}

}  // namespace lockstep::widgets
