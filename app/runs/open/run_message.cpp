#include "app/runs/open/run_message.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/text/window_words.h"

namespace lockstep::app {
namespace {

struct RunMessageText {
  Q_DECLARE_TR_FUNCTIONS(RunBanner)
};

RunMessage failureOf(const RunController& run) {
  const protocol::RunError& error = *run.info().error;
  QStringList where;
  if (error.step > 0) where << RunMessageText::tr("step %1").arg(error.step);
  if (!error.phase.isEmpty()) where << QString::fromStdString(error.phase.text());
  if (error.rank >= 0 && !error.host.empty())
    where << RunMessageText::tr("rank %1 on %2")
                 .arg(error.rank)
                 .arg(QString::fromStdString(error.host));
  RunMessage message;
  message.folder = run.folder();
  message.isFailure = true;
  message.kind = QStringLiteral("attempt %1").arg(run.info().attempt);
  const bool isUnreadable = error.cause == protocol::FailureCause::RunJson;
  message.title = isUnreadable ? RunMessageText::tr("The run cannot be read")
                               : RunMessageText::tr("The run failed");
  message.detail = inWindowWords(error.message);
  if (!where.isEmpty()) message.detail += QLatin1Char('\n') + where.join(QStringLiteral(" · "));
  if (isUnreadable || !run.canResume()) return message;
  const std::int64_t step = run.resumeStep();
  message.action = step == 0 ? RunMessageText::tr("Restart the run")
                             : RunMessageText::tr("Resume from step %1").arg(step);
  if (error.cause == protocol::FailureCause::BadImage) {
    message.skipAction = step == 0 ? RunMessageText::tr("Restart and skip unreadable images")
                                   : RunMessageText::tr("Resume and skip unreadable images");
  }
  return message;
}

/// Its waiting process was killed, or the machine has been restarted.
RunMessage leftQueue(const RunController& run) {
  return {
      run.folder(),
      QStringLiteral("left the queue"),
      RunMessageText::tr("It no longer waits for its devices"),
      RunMessageText::tr(
          "Its waiting process is gone. “Resume when its devices are free” in its menu queues it "
          "again."),
      {},
      {},
      false};
}

}  // namespace

std::optional<RunMessage> runMessage(const ShownRun& shown, bool leads, bool isOnly) {
  std::optional<RunMessage> message;
  if (!shown.run) return message;
  if (const auto& error = shown.run->accessError()) {
    message =
        RunMessage{shown.run->folder(), error->title, error->title, error->detail, {}, {}, false};
  } else if (leads && shown.run->info().error &&
             shown.run->info().state == protocol::RunState::Failed) {
    message = failureOf(*shown.run);
  } else if (leads && shown.run->info().error && !shown.run->isAlive() &&
             shown.run->info().state == protocol::RunState::Queued) {
    message = leftQueue(*shown.run);
  }
  if (message && !isOnly) message->title = shown.name + QStringLiteral(": ") + message->title;
  return message;
}

}  // namespace lockstep::app
