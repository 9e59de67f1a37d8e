#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QtConcurrentRun>
#include <type_traits>
#include <utility>

namespace lockstep::app {

/// Runs `work` in a worker thread and hands its result to `deliver` in the thread of `context`,
/// always on a later turn of its event loop (QFuture::then delivers at once when the work is done
/// already). Nothing is delivered once `context` is gone. `work` must not throw.
template <typename Work, typename Deliver>
void runInBackground(QObject* context, Work work, Deliver deliver) {
  using Result = std::invoke_result_t<Work>;
  auto* watcher = new QFutureWatcher<Result>(context);
  QObject::connect(watcher, &QFutureWatcherBase::finished, context,
                   [watcher, deliver = std::move(deliver)]() mutable {
                     watcher->deleteLater();
                     deliver(watcher->future().takeResult());
                   });
  watcher->setFuture(QtConcurrent::run(std::move(work)));
}

}  // namespace lockstep::app
