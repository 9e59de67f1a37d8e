#include "app/documents/document_draft.h"

#include <chrono>
#include <utility>

#include "app/documents/draft_keeper.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPause{200}, kMakingFrame{16};
constexpr std::chrono::seconds kMakingPatience{1};

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
  if (isDue_ || making_) finish();
}

QString DocumentDraft::id() const { return keeper_ ? keeper_->id() : QString(); }

void DocumentDraft::adopt(HeldDraft held, const QString& text) {
  hold(std::move(held));
  text_ = text;
}

std::unique_ptr<DraftKeeper> DocumentDraft::setAside() {
  isDue_ = false;
  update();
  if (making_ && making_->ending().wait(kMakingPatience)) update();
  making_.reset();
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
  if (!keeper_ && !make()) return;
  text_ = draft->text;
  keeper_->keep(*draft);
}

/// A file for the draft; true: it is there. Otherwise update() is called again when it is.
bool DocumentDraft::make() {
  if (folder_.isNone()) return false;
  const bool isNew = !making_;
  if (isNew) making_.emplace([folder = folder_] { return folder.make(); });
  if (isNew && !making_->ending().wait(kMakingFrame))
    making_->ending().then(this, [this] {
      takeMade();
      if (keeper_) update();
    });
  takeMade();
  return keeper_ != nullptr;
}

void DocumentDraft::takeMade() {
  if (!making_ || !making_->ending().isReached()) return;
  const auto made = *std::exchange(making_, std::nullopt);
  try {
    hold(made.take());
  } catch (const std::exception& error) {
    reportFailure(QString::fromUtf8(error.what()));
  }
}

void DocumentDraft::finish() {
  isDue_ = false;
  update();
  if (making_ && making_->ending().wait(kMakingPatience)) update();
  if (keeper_) keeper_->finish();
}

void DocumentDraft::drop() {
  isDue_ = false;
  text_.clear();
  if (const auto keeper = std::exchange(keeper_, nullptr)) keeper->drop();
}

void DocumentDraft::hold(HeldDraft held) {
  keeper_ = std::make_unique<DraftKeeper>(folder_, std::move(held));
  connectKeeper();
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
