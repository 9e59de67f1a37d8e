#pragma once

#include "app/documents/document_controller.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Banner with the document's notice. Some notices are shown on every page, the rest on the
/// Configure page only.
class DocumentBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit DocumentBanner(QWidget* parent = nullptr);

  void setDocument(DocumentController* document);
  /// Whether the Configure page is shown.
  void setOnDocumentPage(bool isShown);

 Q_SIGNALS:
  /// Show the Configure page.
  void documentRequested();

 private:
  void showNotice();

  DocumentController* document_ = nullptr;
  bool isOnDocumentPage_ = false;
};

}  // namespace lockstep::app
