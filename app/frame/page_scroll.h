#pragma once

#include <QScrollArea>

namespace lockstep::app {

/// Scroll area around a page, for windows that are lower than the page. Never narrower than the
/// page's minimum width.
class PageScroll : public QScrollArea {
  Q_OBJECT

 public:
  explicit PageScroll(QWidget* page);
  QSize minimumSizeHint() const override;
};

}  // namespace lockstep::app
