#pragma once

#include <QScrollArea>

namespace lockstep::app {

/// Scroll area around a page, for windows that are lower than the page. Narrower than the page's
/// minimum width only in windows that are narrower than 1000 px.
class PageScroll : public QScrollArea {
  Q_OBJECT

 public:
  explicit PageScroll(QWidget* page);
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  bool isInNarrowWindow() const;

  bool wasNarrow_ = false;
};

}  // namespace lockstep::app
