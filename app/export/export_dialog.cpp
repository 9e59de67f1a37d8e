#include "app/export/export_dialog.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "widgets/jobs/awaited.h"
#include "widgets/message_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kWidthPx = 460;
constexpr std::chrono::milliseconds kProgressEvery{100};

}  // namespace

ExportDialog::ExportDialog(std::vector<Exportable> choices, int chosen, const QString& folder,
                           QWidget* parent)
    : QDialog(parent), choices_(std::move(choices)), folder_(folder) {
  setObjectName(QStringLiteral("exportDialog"));
  setWindowTitle(tr("Export"));
  setAttribute(Qt::WA_DeleteOnClose);
  setMinimumWidth(widgets::scaledPx(kWidthPx));
  widgets::setRole(this, "panel");
  buildUi();
  connectSignals();
  what_->setCurrentIndex(chosen);
  showFormats();
}

void ExportDialog::buildUi() {
  auto* heading = new QLabel(tr("Export"));
  heading->setFont(widgets::interfaceFont(14, QFont::DemiBold));
  what_ = new QComboBox;
  what_->setObjectName(QStringLiteral("what"));
  for (const Exportable& each : choices_) what_->addItem(each.name);
  format_ = new QComboBox;
  format_->setObjectName(QStringLiteral("format"));
  note_ = new QLabel;
  note_->setObjectName(QStringLiteral("note"));
  widgets::setRole(note_, "muted");
  progress_ = new QProgressBar;
  progress_->setObjectName(QStringLiteral("progress"));
  progress_->setAccessibleName(tr("Exported images"));
  progress_->hide();
  fault_ = new widgets::MessageText;
  fault_->setObjectName(QStringLiteral("fault"));
  fault_->hide();
  widgets::setRole(fault_, "error");
  note_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  column->addWidget(heading);
  auto* form = new QFormLayout;
  form->setSpacing(8);
  form->addRow(tr("What"), what_);
  form->addRow(tr("Format"), format_);
  column->addLayout(form);
  column->addWidget(note_);
  column->addWidget(progress_);
  column->addWidget(fault_);
  column->addStretch();
  column->addLayout(buildButtons());
}

QLayout* ExportDialog::buildButtons() {
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setAutoDefault(false);
  copy_ = new QPushButton;
  copy_->setObjectName(QStringLiteral("copy"));
  copy_->setAutoDefault(false);
  save_ = new QPushButton(tr("Save…"));
  save_->setObjectName(QStringLiteral("save"));
  save_->setDefault(true);
  widgets::setRole(save_, "primary");
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(copy_);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(save_);
  return buttons;
}

void ExportDialog::connectSignals() {
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormats);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormat);
  connect(save_, &QPushButton::clicked, this, &ExportDialog::save);
  connect(copy_, &QPushButton::clicked, this, &ExportDialog::copy);
  progressTimer_.setInterval(kProgressEvery);
  connect(&progressTimer_, &QTimer::timeout, this, &ExportDialog::showProgress);
}

const Exportable& ExportDialog::choice() const {
  return choices_[static_cast<std::size_t>(what_->currentIndex())];
}

const ExportFormat& ExportDialog::format() const {
  return choice().formats[static_cast<std::size_t>(std::max(0, format_->currentIndex()))];
}

/// Of the choice; the same kind of file as before if it has that.
void ExportDialog::showFormats() {
  const QString before = format_->currentText();
  {
    const QSignalBlocker blocker(format_);
    format_->clear();
    for (const ExportFormat& each : choice().formats) format_->addItem(each.name);
    format_->setCurrentIndex(std::max(0, format_->findText(before)));
  }
  showFormat();
}

void ExportDialog::showFormat() {
  copy_->setText(format().copyText);
  copy_->setVisible(format().copy != nullptr);
  note_->setText(format().note);
  fitTexts();
  findNote();
}

void ExportDialog::findNote() {
  noteJob_.cancel();
  showProgress();
  if (!format().findNote) return;
  noteJob_ = jobs::start(
      this, jobs::Kind::Disk,
      [find = format().findNote](const jobs::Token& token) {
        try {
          return find(token);
        } catch (const std::exception& error) {
          return QString::fromUtf8(error.what());
        }
      },
      [this](const QString& note) {
        note_->setText(note);
        fitTexts();
      });
  progressTimer_.start();
}

/// Of what is being found or written.
void ExportDialog::showProgress() {
  const bool isWorking = noteJob_.isRunning() || !save_->isEnabled();
  if (!isWorking) progressTimer_.stop();
  const ExportProgress* const made = format().progress.get();
  progress_->setVisible(isWorking && made != nullptr && made->of > 0);
  if (progress_->isHidden()) return;
  progress_->setFormat(tr("%v of %n image(s)", "", made->of));
  progress_->setRange(0, made->of);
  progress_->setValue(made->done);
}

void ExportDialog::setBusy(bool busy) {
  for (QWidget* each : std::initializer_list<QWidget*>{save_, copy_, what_, format_})
    each->setEnabled(!busy);
  if (busy) {
    progressTimer_.start();
  } else {
    showProgress();
  }
}

/// The dialog asks before a file is replaced.
QString ExportDialog::askPath() {
  QFileDialog dialog(this, tr("Export"), {},
                     QStringLiteral("%1 (*.%2)").arg(format_->currentText(), format().suffix));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(format().suffix);
  dialog.setDirectory(jobs::folderToBeginWith(folder_));
  dialog.selectFile(choice().file + QLatin1Char('.') + format().suffix);
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
  return dialog.selectedFiles().front();
}

void ExportDialog::save() {
  isAsking_ = true;
  const QString path = askPath();
  isAsking_ = false;
  const QString written = std::exchange(written_, {});
  if (path.isEmpty()) {
    if (!written.isEmpty()) endSave(asked_, written, {});
    return;
  }
  fault_->hide();
  noteJob_.cancel();  // both would tell how far they are
  setBusy(true);
  const int asked = ++asked_;
  format().save(path, this,
                [this, path, asked](const QString& error) { endSave(asked, path, error); });
}

/// While the path of the next save is asked for, the dialog stays: it closes if that is given up.
/// It stays for a copy that is being made, too.
void ExportDialog::endSave(int asked, const QString& path, const QString& error) {
  if (asked != asked_) return;
  if (isAsking_ && error.isEmpty()) {
    written_ = path;
    return;
  }
  if (!finish(error)) return;
  Q_EMIT saved(path);
  if (!isCopying_) accept();
}

void ExportDialog::copy() {
  isCopying_ = true;
  setBusy(true);
  format().copy(this, [this](const QString& error) {
    isCopying_ = false;
    if (finish(error)) accept();
  });
}

/// Returns whether it went well.
bool ExportDialog::finish(const QString& error) {
  setBusy(isCopying_);
  fault_->setMessage(error);
  fault_->setVisible(!error.isEmpty());
  if (!error.isEmpty()) findNote();  // saving has stopped that
  fitTexts();
  return error.isEmpty();
}

/// A layout gives wrapped texts no more room in a window that is shown.
void ExportDialog::fitTexts() {
  layout()->activate();
  const int needed = layout()->totalHeightForWidth(width());
  if (height() < needed) resize(width(), needed);
}

}  // namespace lockstep::app
