#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QtConcurrentRun>
#include <type_traits>
#include <utility>

namespace lockstep::app {

/// Runs `work` in a worker thread and calls `deliver` with its result in the thread of `context`,
/// always from its event loop (QFuture::then may call back immediately). Nothing is delivered once
/// `context` is destroyed. `work` must not throw.
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
