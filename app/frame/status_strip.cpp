#include "app/frame/status_strip.h"

#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QStorageInfo>
#include <QThread>
#include <chrono>
#include <optional>

#include "app/runs/open/run_controller.h"
#include "widgets/elided_label.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

/// Of the folder, or the nearest one above it that exists. Blocks.
std::optional<qint64> freeBytesAt(QString folder) {
  while (!folder.isEmpty() && !QFileInfo::exists(folder)) folder = QFileInfo(folder).absolutePath();
  const QStorageInfo storage(folder);
  return storage.isValid() ? std::optional(storage.bytesAvailable()) : std::nullopt;
}

}  // namespace

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
  const auto process = [&] {
    return run->place() ? run->place()->hostText() : tr("pid %1").arg(info.pid);
  };
  switch (run->linkState()) {
    case EngineLink::State::Connected:
      texts << tr("connected") << process();
      break;
    case EngineLink::State::Connecting:
      texts << (run->linkError().isEmpty()
                    ? tr("connecting")
                    : tr("engine not responding (%1), retrying").arg(run->linkError()))
            << process();
      break;
    case EngineLink::State::Off:
      texts << (!run->isLoaded() ? tr("reading…")
                : run->place()   ? tr("not connected")
                                 : tr("not running"));
      break;
  }
  if (run->place() && run->place()->isPackedRun() && run->isKnown())
    texts = {tr("packed run, read-only"), process()};
  if (run->program())
    texts = {tr("read from files of %1").arg(QLatin1String(base::textOf(*run->program())))};
  if (info.ranks > 0) texts << tr("%n rank(s)", "", info.ranks);
  if (info.attempt > 1) texts << tr("attempt %1").arg(info.attempt);
  texts << run->folder();
  connection_->setText(texts.join(QStringLiteral(" · ")));
}

void StatusStrip::setRunsFolder(const QString& folder) {
  folder_ = folder;
  updateDisk();
}

/// A disk that does not answer leaves the figure as it is.
void StatusStrip::updateDisk() {
  if (diskJob_.isRunning() || folder_.isEmpty()) return;
  diskJob_ = jobs::start(
      this, jobs::Kind::Disk, [folder = folder_] { return freeBytesAt(folder); },
      [this](const std::optional<qint64>& bytes) {
        disk_->setText(bytes
                           ? tr("disk %1 free")
                                 .arg(QLocale(QLocale::English)
                                          .formattedDataSize(*bytes, 0, QLocale::DataSizeSIFormat))
                           : QString());
      });
}

}  // namespace lockstep::app
