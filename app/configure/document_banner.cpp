#include "app/configure/document_banner.h"

namespace lockstep::app {
namespace {

using NoticeKind = DocumentNotice::Kind;

bool isWarning(NoticeKind kind) {
  return kind == NoticeKind::ChangedOutside || kind == NoticeKind::Gone ||
         kind == NoticeKind::NotKept;
}

bool isForEveryPage(NoticeKind kind) {
  return kind == NoticeKind::CameBack || kind == NoticeKind::Left || kind == NoticeKind::NotKept;
}

}  // namespace

DocumentBanner::DocumentBanner(QWidget* parent) : Banner(parent) {
  connect(this, &Banner::actionTriggered, this, [this] {
    const bool opens = document_->notice().kind == NoticeKind::Left;
    document_->actOnNotice();
    if (opens) Q_EMIT documentWanted();
  });
  connect(this, &Banner::dismissed, this, [this] { document_->dismissNotice(); });
}

void DocumentBanner::setDocument(DocumentController* document) {
  document_ = document;
  connect(document_, &DocumentController::noticeChanged, this, &DocumentBanner::showNotice);
  showNotice();
}

void DocumentBanner::setOnItsPage(bool isInFront) {
  isOnItsPage_ = isInFront;
  showNotice();
}

void DocumentBanner::showNotice() {
  if (!document_) return;
  const DocumentNotice& notice = document_->notice();
  if (notice.kind == NoticeKind::None || (!isOnItsPage_ && !isForEveryPage(notice.kind)))
    return hide();
  showMessage(isWarning(notice.kind) ? Kind::Warning : Kind::Info, notice.title, notice.detail,
              notice.action, notice.dismiss);
}

}  // namespace lockstep::app
