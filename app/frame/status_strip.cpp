#include "app/frame/status_strip.h"

#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QStorageInfo>
#include <QThread>
#include <chrono>

#include "app/controllers/run_controller.h"
#include "widgets/elided_label.h"
#include "widgets/theme.h"

namespace lockstep::app {

StatusStrip::StatusStrip(QWidget* parent) : QStatusBar(parent) {
  setSizeGripEnabled(false);
  connection_ = new widgets::ElidedLabel(Qt::ElideMiddle);
  connection_->setObjectName(QStringLiteral("connection"));
  disk_ = new QLabel;
  for (QLabel* label : {connection_, disk_}) {
    label->setFont(widgets::interfaceFont(12));
    widgets::setRole(label, "muted");
    label->setContentsMargins(14, 0, 14, 0);
  }
  addWidget(connection_, 1);
  addPermanentWidget(disk_);
  diskTimer_.setInterval(std::chrono::seconds(10));
  connect(&diskTimer_, &QTimer::timeout, this, &StatusStrip::updateDisk);
  diskTimer_.start();
  showRun(nullptr);
}

void StatusStrip::showRun(const RunController* run) {
  if (!run) {
    connection_->setText(tr("no run selected"));
    return;
  }
  const run_folder::RunInfo& info = run->info();
  QStringList texts;
  switch (run->linkState()) {
    case EngineLink::State::Connected:
      texts << tr("connected") << tr("pid %1").arg(info.pid);
      break;
    case EngineLink::State::Connecting:
      texts << (run->linkError().isEmpty()
                    ? tr("connecting")
                    : tr("engine not responding (%1), retrying").arg(run->linkError()))
            << tr("pid %1").arg(info.pid);
      break;
    case EngineLink::State::Off:
      texts << (run->isLoaded() ? tr("not running") : tr("reading…"));
      break;
  }
  if (info.ranks > 0) texts << (info.ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(info.ranks));
  if (info.attempt > 1) texts << tr("attempt %1").arg(info.attempt);
  texts << run->folder();
  connection_->setText(texts.join(QStringLiteral(" · ")));
}

void StatusStrip::setRunsFolder(const QString& folder) {
  folder_ = folder;
  updateDisk();
}

void StatusStrip::updateDisk() {
  QString existing = folder_;
  while (!existing.isEmpty() && !QFileInfo::exists(existing))
    existing = QFileInfo(existing).absolutePath();
  const QStorageInfo storage(existing);
  disk_->setText(storage.isValid() ? tr("disk %1 free")
                                         .arg(QLocale(QLocale::English)
                                                  .formattedDataSize(storage.bytesAvailable(), 0,
                                                                     QLocale::DataSizeSIFormat))
                                   : QString());
}

}  // namespace lockstep::app
