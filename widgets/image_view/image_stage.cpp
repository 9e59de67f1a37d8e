#include "widgets/image_view/image_stage.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <algorithm>
#include <utility>

#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNoticeEdgePx = 14, kLowStagePx = 200;

}  // namespace

ImageStage::ImageStage(QWidget* parent) : QWidget(parent) {
  canvas_ = new ImageCanvas(this);
  problem_ = new EmptyState(this);
  problem_->hide();
  notice_ = new QFrame(this);
  setRole(notice_, "card");
  noticeText_ = new QLabel;
  noticeAction_ = new QPushButton;
  setRole(noticeAction_, "primary");
  auto* row = new QHBoxLayout(notice_);
  row->setContentsMargins(14, 8, 10, 8);
  row->setSpacing(12);
  row->addWidget(noticeText_, 1);
  row->addWidget(noticeAction_);
  notice_->hide();
  setMinimumSize(200, 120);
  connect(noticeAction_, &QPushButton::clicked, this, &ImageStage::noticeActionTriggered);
  connect(problem_, &EmptyState::actionTriggered, this, &ImageStage::retryRequested);
}

void ImageStage::setProblem(const QString& title, const QString& cause) {
  problem_->setContent(title, cause, tr("Try again"));
  problem_->setVisible(!title.isEmpty());
}

QString ImageStage::problem() const { return problem_->isHidden() ? QString() : problem_->title(); }

void ImageStage::setNotice(const QString& text, const QString& action,
                           const QString& disabledReason) {
  noticeText_->setText(text);
  noticeAction_->setText(action);
  noticeAction_->setVisible(!action.isEmpty());
  noticeAction_->setEnabled(disabledReason.isEmpty());
  noticeAction_->setToolTip(disabledReason);
  notice_->setVisible(!text.isEmpty());
  placeNotice();
}

QString ImageStage::notice() const { return notice_->isHidden() ? QString() : noticeText_->text(); }

void ImageStage::resizeEvent(QResizeEvent* event) {
  if (event->size().width() != event->oldSize().width()) Q_EMIT widthChanged(width());
  canvas_->setGeometry(rect());
  const bool isLow = height() < scaledPx(kLowStagePx);
  if (std::exchange(isLow_, isLow) != isLow) problem_->setCompact(isLow);
  problem_->setGeometry(rect());
  placeNotice();
}

void ImageStage::placeNotice() {
  noticeText_->setWordWrap(false);
  const int widest = std::max(120, width() - 2 * kNoticeEdgePx);
  if (notice_->sizeHint().width() > widest) noticeText_->setWordWrap(true);
  notice_->setFixedWidth(std::min(notice_->sizeHint().width(), widest));
  const int height = noticeText_->wordWrap() ? notice_->heightForWidth(notice_->width())
                                             : notice_->sizeHint().height();
  notice_->setFixedHeight(height);
  notice_->move((width() - notice_->width()) / 2,
                std::max(0, this->height() - height - kNoticeEdgePx));
}

}  // namespace lockstep::widgets
