#pragma once

#include "app/controllers/document_controller.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// What there is to say about the document, over the pages. What came back or waits is said on
/// every page, the rest on the page of the document.
class DocumentBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit DocumentBanner(QWidget* parent = nullptr);

  void setDocument(DocumentController* document);
  /// Whether the document's own page is in front.
  void setOnItsPage(bool isInFront);

 Q_SIGNALS:
  /// The person wants to see the document.
  void documentWanted();

 private:
  void showNotice();

  DocumentController* document_ = nullptr;
  bool isOnItsPage_ = false;
};

}  // namespace lockstep::app
