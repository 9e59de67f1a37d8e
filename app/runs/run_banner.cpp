#include "app/runs/run_banner.h"

#include "engine/protocol/cause.h"

namespace lockstep::app {

RunBanner::RunBanner(QWidget* parent) : Banner(parent) {
  connect(this, &Banner::actionTriggered, this, [this] { Q_EMIT resumeRequested(shownOf_, {}); });
  connect(this, &Banner::otherActionTriggered, this, [this] {
    Q_EMIT resumeRequested(shownOf_, {QStringLiteral("dataset.bad_images=skip")});
  });
  connect(this, &Banner::dismissed, this, [this] {
    if (showsFailure_) {
      dismissals_.add(shownOf_, shownKind_);
    } else {
      dismissedFaults_[shownOf_] = shownKind_;
    }
  });
}

RunBanner::Message RunBanner::failureOf(const RunController& run) {
  const protocol::RunError& error = *run.info().error;
  QStringList where;
  if (error.step > 0) where << tr("step %1").arg(error.step);
  if (!error.phase.empty()) where << QString::fromStdString(error.phase);
  if (error.rank >= 0 && !error.host.empty())
    where << tr("rank %1 on %2").arg(error.rank).arg(QString::fromStdString(error.host));
  Message message;
  message.folder = run.folder();
  message.isFailure = true;
  message.kind = QStringLiteral("attempt %1").arg(run.info().attempt);
  message.title = tr("The run failed");
  message.detail = QString::fromStdString(error.message);
  if (!where.isEmpty()) message.detail += QLatin1Char('\n') + where.join(QStringLiteral(" · "));
  if (!run.canResume()) return message;
  const std::int64_t step = run.resumeStep();
  message.action = step == 0 ? tr("Start it again") : tr("Resume from step %1").arg(step);
  if (error.cause == protocol::kBadImage) {
    message.skipAction =
        step == 0 ? tr("Start and skip such images") : tr("Resume and skip such images");
  }
  return message;
}

std::optional<RunBanner::Message> RunBanner::messageOf(const ShownRun& shown, bool leads,
                                                       bool isOnly) {
  std::optional<Message> message;
  if (!shown.run) return message;
  if (const auto& fault = shown.run->fault()) {
    message =
        Message{shown.run->folder(), fault->title, fault->title, fault->detail, {}, {}, false};
  } else if (leads && shown.run->info().error && shown.run->info().state == "failed") {
    message = failureOf(*shown.run);
  }
  if (message && !isOnly) message->title = shown.name + QStringLiteral(": ") + message->title;
  return message;
}

bool RunBanner::isDismissed(const Message& message) const {
  return message.kind == (message.isFailure ? dismissals_.of(message.folder)
                                            : dismissedFaults_.value(message.folder));
}

void RunBanner::showRuns(const std::vector<ShownRun>& runs) {
  std::optional<Message> first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto message = messageOf(runs[i], i == 0, runs.size() == 1);
    if (!message && runs[i].run) dismissedFaults_.remove(runs[i].run->folder());
    if (!first && message && !isDismissed(*message)) first = message;
  }
  if (!first) {
    hide();
    return;
  }
  const bool isSame = !isHidden() && shownOf_ == first->folder && title() == first->title &&
                      detail() == first->detail && action() == first->action &&
                      otherAction() == first->skipAction;
  if (isSame) return;
  shownOf_ = first->folder;
  shownKind_ = first->kind;
  showsFailure_ = first->isFailure;
  showMessage(Kind::Error, first->title, first->detail, first->action);
  offerAlso(first->skipAction);
}

}  // namespace lockstep::app
