#include "app/frame/page_scroll.h"

#include <QScrollBar>
#include <algorithm>
#include <utility>

namespace lockstep::app {
namespace {

constexpr int kMinHeightPx = 60;
constexpr int kNarrowWindowPx = 1000, kMinWidthThere = 420;

}  // namespace

PageScroll::PageScroll(QWidget* page) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  setWidgetResizable(true);
  setWidget(page);
}

QSize PageScroll::minimumSizeHint() const {
  const int pagePx = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
  return {isInNarrowWindow() ? std::min(pagePx, kMinWidthThere) : pagePx, kMinHeightPx};
}

bool PageScroll::isInNarrowWindow() const { return window()->width() < kNarrowWindowPx; }

void PageScroll::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  const bool isNarrow = isInNarrowWindow();
  if (std::exchange(wasNarrow_, isNarrow) != isNarrow) updateGeometry();
}

}  // namespace lockstep::app
