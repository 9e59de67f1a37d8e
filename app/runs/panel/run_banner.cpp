#include "app/runs/panel/run_banner.h"

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
      dismissedErrors_[shownOf_] = shownKind_;
    }
  });
}

bool RunBanner::isDismissed(const RunMessage& message) const {
  return message.kind == (message.isFailure ? dismissals_.of(message.folder)
                                            : dismissedErrors_.value(message.folder));
}

void RunBanner::showRuns(const std::vector<ShownRun>& runs) {
  std::optional<RunMessage> first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto message = runMessage(runs[i], i == 0, runs.size() == 1);
    if (!message && runs[i].run) dismissedErrors_.remove(runs[i].run->folder());
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
  setOtherAction(first->skipAction);
}

}  // namespace lockstep::app
