#pragma once

#include <QScrollArea>

namespace lockstep::app {

/// Holds a page: where a low window has no room for all of it, the page is scrolled and the window
/// stays as it is. As wide as the page needs.
class PageScroll : public QScrollArea {
  Q_OBJECT

 public:
  explicit PageScroll(QWidget* page);
  QSize minimumSizeHint() const override;
};

}  // namespace lockstep::app
