#include "widgets/config_editor/fault_list.h"

#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kRowPx = 26, kMostRows = 4;
enum Column { Place, Text, Mend, kColumns };

}  // namespace

FaultList::FaultList(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(kColumns);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setHeaderHidden(true);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Faults"));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(Place, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(Text, QHeaderView::Stretch);
  header()->setSectionResizeMode(Mend, QHeaderView::ResizeToContents);
  hide();
  const auto choose = [this](QTreeWidgetItem* item) {
    Q_EMIT faultChosen(indexOfTopLevelItem(item));
  };
  connect(this, &QTreeWidget::itemClicked, this, choose);
  connect(this, &QTreeWidget::itemActivated, this, choose);
}

void FaultList::setFaults(const std::vector<DocumentFault>& faults) {
  faults_ = faults;
  clear();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const DocumentFault& fault = faults[i];
    const QString mark = fault.isError ? QStringLiteral("●  ") : QStringLiteral("▲  ");
    const QString key =
        fault.key.empty() ? QString() : QString::fromStdString(fault.key) % QStringLiteral(": ");
    const QString text = key % QString::fromStdString(fault.text);
    auto* item =
        new QTreeWidgetItem(this, {mark % QString::fromStdString(fault.place), text, QString()});
    item->setToolTip(Text, text);
    item->setSizeHint(Text, QSize(40, kRowPx));
    if (fault.proposal.empty()) continue;
    auto* mend = new QPushButton(tr("Use %1").arg(QString::fromStdString(fault.proposal)));
    setRole(mend, "link");
    setItemWidget(item, Mend, mend);
    connect(mend, &QPushButton::clicked, this,
            [this, i] { Q_EMIT mendRequested(static_cast<int>(i)); });
  }
  colourRows();
  const int rows = std::min(static_cast<int>(faults.size()), kMostRows);
  setFixedHeight(rows * kRowPx + 6);
  setVisible(!faults.empty());
}

void FaultList::colourRows() {
  const Theme& theme = currentTheme();
  for (int row = 0; row < topLevelItemCount(); ++row) {
    const bool isError = faults_[static_cast<std::size_t>(row)].isError;
    topLevelItem(row)->setForeground(Place, isError ? theme.error : theme.warning);
    topLevelItem(row)->setFont(Place, monoFont(11));
    topLevelItem(row)->setFont(Text, interfaceFont(12));
  }
}

void FaultList::changeEvent(QEvent* event) {
  QTreeWidget::changeEvent(event);
  if (event->type() == QEvent::StyleChange) colourRows();
}

}  // namespace lockstep::widgets
