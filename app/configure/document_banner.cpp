#include "app/configure/document_banner.h"

namespace lockstep::app {

DocumentBanner::DocumentBanner(QWidget* parent) : Banner(parent) {
  connect(this, &Banner::actionTriggered, this, [this] {
    const bool opens = document_->notice().kind == DocumentNotice::Kind::DraftsFound;
    document_->acceptNotice();
    if (opens) Q_EMIT documentRequested();
  });
  connect(this, &Banner::dismissed, this, [this] { document_->dismissNotice(); });
}

void DocumentBanner::setDocument(DocumentController* document) {
  document_ = document;
  connect(document_, &DocumentController::noticeChanged, this, &DocumentBanner::showNotice);
  showNotice();
}

void DocumentBanner::setOnDocumentPage(bool isShown) {
  isOnDocumentPage_ = isShown;
  showNotice();
}

void DocumentBanner::showNotice() {
  if (!document_) return;
  const DocumentNotice& notice = document_->notice();
  if (notice.kind == DocumentNotice::Kind::None || (!isOnDocumentPage_ && !notice.isForEveryPage()))
    return hide();
  showMessage(notice.isWarning() ? Kind::Warning : Kind::Info, notice.title, notice.detail,
              notice.action, notice.dismiss);
}

}  // namespace lockstep::app
