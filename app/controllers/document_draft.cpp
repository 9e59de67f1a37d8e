#include "app/controllers/document_draft.h"

#include <chrono>
#include <utility>

#include "app/controllers/draft_keeper.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPause{200};

}  // namespace

DocumentDraft::DocumentDraft(const QString& folder, std::function<std::optional<Draft>()> unsaved,
                             QObject* parent)
    : QObject(parent), folder_(folder), unsaved_(std::move(unsaved)) {
  pause_.setSingleShot(true);
  pause_.setInterval(kPause);
  connect(&pause_, &QTimer::timeout, this, [this] {
    if (std::exchange(isDue_, false)) update();
  });
}

DocumentDraft::~DocumentDraft() {
  if (isDue_) update();
}

bool DocumentDraft::isEditedElsewhere(const QString& file) const {
  return folder_.isEditedElsewhere(file, keeper_.get());
}

bool DocumentDraft::take(const OrphanedDraft& left) {
  keeper_ = folder_.take(left.id);
  if (!keeper_) return false;
  connectKeeper();
  text_ = left.draft.text;
  return true;
}

std::unique_ptr<DraftKeeper> DocumentDraft::setAside() {
  isDue_ = false;
  update();
  text_.clear();
  if (keeper_) keeper_->disconnect(this);
  return std::exchange(keeper_, nullptr);
}

void DocumentDraft::resume(std::unique_ptr<DraftKeeper> keeper, const QString& text) {
  keeper_ = std::move(keeper);
  text_ = keeper_ ? text : QString();
  connectKeeper();
}

void DocumentDraft::markEdited() {
  if (pause_.isActive()) {
    isDue_ = true;
  } else {
    pause_.start();
    update();
  }
}

void DocumentDraft::update() {
  std::optional<Draft> draft = unsaved_();
  if (!draft) return drop();
  if (keeper_ && draft->text == text_) return;
  try {
    if (!keeper_) {
      keeper_ = folder_.make();
      connectKeeper();
    }
  } catch (const std::exception& error) {
    reportFailure(QString::fromUtf8(error.what()));
  }
  if (!keeper_) return;
  text_ = draft->text;
  keeper_->keep(*draft);
}

void DocumentDraft::finish() {
  isDue_ = false;
  update();
  if (keeper_) keeper_->finish();
}

void DocumentDraft::drop() {
  isDue_ = false;
  text_.clear();
  if (const auto keeper = std::exchange(keeper_, nullptr)) keeper->drop();
}

void DocumentDraft::connectKeeper() {
  if (!keeper_) return;
  connect(keeper_.get(), &DraftKeeper::failed, this, &DocumentDraft::reportFailure);
  connect(keeper_.get(), &DraftKeeper::recovered, this, [this] {
    isFailureReported_ = false;
    Q_EMIT backupRecovered();
  });
}

void DocumentDraft::reportFailure(const QString& reason) {
  if (!std::exchange(isFailureReported_, true)) Q_EMIT backupFailed(reason);
}

}  // namespace lockstep::app
