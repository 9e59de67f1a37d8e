#include "app/frame/page_scroll.h"

#include <QScrollBar>

namespace lockstep::app {
namespace {

constexpr int kMinHeightPx = 60;

}  // namespace

PageScroll::PageScroll(QWidget* page) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidgetResizable(true);
  setWidget(page);
}

QSize PageScroll::minimumSizeHint() const {
  return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
          kMinHeightPx};
}

}  // namespace lockstep::app
