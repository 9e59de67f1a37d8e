#include "app/configure/compare_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/text/word_match.h"
#include "widgets/jobs/awaited.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

constexpr QSize kSizePx(460, 420);

}  // namespace

CompareDialog::CompareDialog(const QList<RunChoice>& runs, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("compareDialog"));
  setWindowTitle(tr("Compare with…"));
  setAttribute(Qt::WA_DeleteOnClose);
  widgets::setRole(this, "panel");
  resize(kSizePx);
  buildUi(runs);
  connectSignals();
  filter({});
}

void CompareDialog::buildUi(const QList<RunChoice>& runs) {
  auto* title = new QLabel(tr("Differences of the open experiment to a run or a file"));
  widgets::setRole(title, "heading");
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search runs"));
  search_->setAccessibleName(search_->placeholderText());
  runs_ = new QListWidget;
  runs_->setAccessibleName(tr("Runs"));
  for (const RunChoice& run : runs) {
    auto* item = new QListWidgetItem(run.name, runs_);
    item->setData(Qt::UserRole, run.folder);
    item->setToolTip(QDir::toNativeSeparators(run.folder));
  }
  file_ = new QPushButton(tr("A file…"));
  file_->setAutoDefault(false);
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setAutoDefault(false);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  compare_ = new QPushButton(tr("Compare"));
  compare_->setDefault(true);
  widgets::setRole(compare_, "primary");
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(file_);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(compare_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  column->addWidget(title);
  column->addWidget(search_);
  column->addWidget(runs_, 1);
  column->addLayout(buttons);
}

void CompareDialog::connectSignals() {
  connect(search_, &QLineEdit::textChanged, this, &CompareDialog::filter);
  connect(runs_, &QListWidget::itemActivated, this, &CompareDialog::chooseRun);
  connect(compare_, &QPushButton::clicked, this, &CompareDialog::chooseRun);
  connect(file_, &QPushButton::clicked, this, &CompareDialog::chooseFile);
}

/// Selects the first run that is left.
void CompareDialog::filter(const QString& words) {
  QListWidgetItem* first = nullptr;
  for (int row = 0; row < runs_->count(); ++row) {
    QListWidgetItem* item = runs_->item(row);
    item->setHidden(!hasAllWords(item->text(), words));
    if (first == nullptr && !item->isHidden()) first = item;
  }
  runs_->setCurrentItem(first);
  compare_->setEnabled(first != nullptr);
}

void CompareDialog::chooseRun() {
  const QListWidgetItem* run = runs_->currentItem();
  if (run == nullptr) return;
  Q_EMIT chosen(run->text(), run->data(Qt::UserRole).toString());
  accept();
}

void CompareDialog::chooseFile() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Compare with a file"),
                                                    jobs::folderToBeginWith(folder_),
                                                    tr("Experiments (*.yaml *.yml)"));
  if (path.isEmpty()) return;
  Q_EMIT chosen({}, path);
  accept();
}

}  // namespace lockstep::app
