#include "app/runs/panel/fork_dialog.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kWidthPx = 520, kChangesPx = 96;

QLabel* section(const QString& text, QWidget* of) {
  auto* label = new QLabel(text);
  label->setBuddy(of);
  widgets::setRole(label, "section");
  return label;
}

}  // namespace

ForkDialog::ForkDialog(const QString& run, const QList<Checkpoint>& checkpoints, Check check,
                       QWidget* parent)
    : QDialog(parent),
      check_(std::move(check)),
      checking_([this](const QString& fault) { showFault(fault); }, jobs::Kind::Disk) {
  setObjectName(QStringLiteral("forkDialog"));
  setWindowTitle(tr("Fork a run"));
  setMinimumWidth(widgets::scaledPx(kWidthPx));
  widgets::setRole(this, "panel");
  buildUi(run);
  // The newest first.
  for (auto each = checkpoints.crbegin(); each != checkpoints.crend(); ++each)
    checkpoints_->addItem(
        each->isBest ? tr("Step %1 (best)").arg(each->step) : tr("Step %1").arg(each->step),
        each->step);
  connect(checkpoints_, &QComboBox::currentIndexChanged, this, &ForkDialog::update);
  connect(changes_, &QPlainTextEdit::textChanged, this, &ForkDialog::update);
  update();
}

void ForkDialog::buildUi(const QString& run) {
  auto* heading = new QLabel(tr("Fork %1").arg(run));
  heading->setFont(widgets::interfaceFont(14, QFont::DemiBold));
  auto* text = new QLabel(tr("A new run continues from a checkpoint, with its curves and its "
                             "optimizer state. %1 is not changed.")
                              .arg(run));
  widgets::setRole(text, "muted");
  checkpoints_ = new QComboBox;
  checkpoints_->setObjectName(QStringLiteral("checkpoints"));
  changes_ = new QPlainTextEdit;
  changes_->setObjectName(QStringLiteral("changes"));
  changes_->setFont(widgets::monoFont(12));
  changes_->setFixedHeight(widgets::scaledPx(kChangesPx));
  changes_->setTabChangesFocus(true);
  changes_->setPlaceholderText(QStringLiteral("solver.base_lr=0.005\nsolver.max_steps=800"));
  fault_ = new QLabel;
  fault_->setObjectName(QStringLiteral("fault"));
  widgets::setRole(fault_, "error");
  for (QLabel* label : {heading, text, fault_}) label->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  column->addWidget(heading);
  column->addWidget(text);
  column->addWidget(section(tr("From"), checkpoints_));
  column->addWidget(checkpoints_);
  column->addWidget(section(tr("Overrides, one KEY=VALUE per line"), changes_));
  column->addWidget(changes_);
  column->addWidget(fault_);
  column->addLayout(buildButtons());
}

QLayout* ForkDialog::buildButtons() {
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setAutoDefault(false);
  start_ = new QPushButton(tr("Train the fork"));
  start_->setObjectName(QStringLiteral("start"));
  start_->setDefault(true);
  widgets::setRole(start_, "primary");
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(start_, &QPushButton::clicked, this, &QDialog::accept);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(start_);
  return buttons;
}

void ForkDialog::propose(const QString& change, qint64 step) {
  changes_->setPlainText(change);
  for (int i = 0; i < checkpoints_->count(); ++i) {
    if (checkpoints_->itemData(i).toLongLong() > step) continue;
    checkpoints_->setCurrentIndex(i);  // the newest are first
    break;
  }
}

qint64 ForkDialog::step() const { return checkpoints_->currentData().toLongLong(); }

QStringList ForkDialog::overrides() const {
  QStringList lines;
  for (const QString& line : changes_->toPlainText().split(u'\n'))
    if (const QString text = line.trimmed(); !text.isEmpty()) lines << text;
  return lines;
}

/// What is not checked cannot be started.
void ForkDialog::update() {
  start_->setEnabled(false);
  checking_.request(
      [check = check_, step = step(), changes = overrides()] { return check(step, changes); });
}

void ForkDialog::showFault(const QString& fault) {
  fault_->setText(fault);
  fault_->setVisible(!fault.isEmpty());
  start_->setEnabled(fault.isEmpty());
}

}  // namespace lockstep::app
