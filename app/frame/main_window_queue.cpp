// MainWindow's handling of the queue: Train's offer of it, and its runs' places.
#include "app/engines/engine_request.h"
#include "app/frame/busy_devices.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/top_bar.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"

namespace lockstep::app {

void MainWindow::connectQueue() {
  connect(topBar_, &TopBar::queueRequested, this, &MainWindow::addToQueue);
  connect(devices_, &BusyDevices::changed, this, [this] { topBar_->setBusy(devices_->text()); });
  connect(runs_, &RunsPanel::queueMoveRequested, this, [this](const QString& folder, int position) {
    askEngine(folder, protocol::QueueRequest{"1", position},
              tr("The run was not moved in the queue"));
  });
  connect(runs_, &RunsPanel::leaveQueueRequested, this, [this](const QString& folder) {
    askEngine(folder, protocol::Command{"1", protocol::CommandName::Dequeue},
              tr("The run was not removed from the queue"));
  });
}

/// Sends a request to the engine of a listed run on this machine.
void MainWindow::askEngine(const QString& folder, const protocol::ClientMessage& request,
                           const QString& failure) {
  const QModelIndex run = runList_->index(runList_->rowOf(folder));
  const QString name = run.data(RunListModel::NameRole).toString();
  sendRequest(this, run.data(RunListModel::SocketRole).toString(), request,
              [this, name, failure](const QString& error) {
                if (!error.isEmpty()) pages_->showFailure(failure, tr("%1: %2").arg(name, error));
                runList_->refresh();
              });
}

}  // namespace lockstep::app
