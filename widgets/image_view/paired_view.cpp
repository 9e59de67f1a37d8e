#include "widgets/image_view/paired_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/elided_label.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/wipe_divider.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPairGapPx = 4;

}  // namespace

PairedView::PairedView(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  place();
}

void PairedView::buildUi() {
  firstName_ = new ElidedLabel(Qt::ElideMiddle);
  secondName_ = new ElidedLabel(Qt::ElideMiddle);
  for (QLabel* name : {firstName_, secondName_}) {
    setRole(name, "given");
    name->setMinimumWidth(0);
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  area_ = new QWidget;
  area_->setMinimumSize(scaledPx(160), scaledPx(120));
  first_ = new ImageCanvas(area_);
  second_ = new ImageCanvas(area_);
  divider_ = new WipeDivider(area_);
  for (ImageCanvas* canvas : {first_, second_}) canvas->setMinimumSize(0, 0);
  auto* names = new QHBoxLayout;
  names->setContentsMargins(8, 4, 8, 4);
  names->setSpacing(12);
  names->addWidget(firstName_, 1);
  names->addWidget(secondName_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(names);
  column->addWidget(area_, 1);
  for (QWidget* watched : {area_, static_cast<QWidget*>(first_), static_cast<QWidget*>(second_)})
    watched->installEventFilter(this);
}

void PairedView::connectSignals() {
  const auto follow = [this](const ImageCanvas* leader, ImageCanvas* follower) {
    connect(leader, &ImageCanvas::viewChanged, this, [this, leader, follower] {
      if (isFollowing_) return;
      const QScopedValueRollback following(isFollowing_, true);
      follower->showAs(*leader);
    });
    connect(leader, &ImageCanvas::magnifierMoved, this,
            [this, follower](std::optional<QPoint> pixel) {
              if (isFollowing_) return;
              const QScopedValueRollback following(isFollowing_, true);
              follower->showMagnifierAt(pixel);
            });
  };
  follow(first_, second_);
  follow(second_, first_);
  connect(divider_, &WipeDivider::moved, this, &PairedView::setDividerAt);
}

void PairedView::setNames(const QString& first, const QString& second) {
  firstName_->setText(first);
  secondName_->setText(second);
  first_->setAccessibleName(tr("Image with the predictions of %1").arg(first));
  second_->setAccessibleName(tr("Image with the predictions of %1").arg(second));
  for (QLabel* name : {firstName_, secondName_}) name->setToolTip(name->text());
}

void PairedView::setImage(const std::shared_ptr<const DecodedImage>& image) {
  hasImage_ = image != nullptr;
  first_->setImage(image);
  second_->setImage(image);
}

void PairedView::setScenes(const std::shared_ptr<const CanvasScene>& first,
                           const std::shared_ptr<const CanvasScene>& second) {
  first_->setScene(first);
  second_->setScene(second);
}

void PairedView::setMode(Mode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  isSecondHeld_ = false;
  place();
  moveDividerAside();
}

void PairedView::setDividerAt(double share) {
  dividerAt_ = share;
  if (mode_ == Mode::Wipe) placeWipe();
}

void PairedView::toggleMagnifier() {
  const bool isAtSecond = second_->isVisible() && second_->underMouse();
  (isAtSecond ? second_ : first_)->toggleMagnifier();
}

void PairedView::uncover(const std::optional<QRectF>& inFirst,
                         const std::optional<QRectF>& inSecond) {
  inFirst_ = inFirst;
  inSecond_ = inSecond;
  moveDividerAside();
}

/// The first scene is before the divider, and the second after it.
void PairedView::moveDividerAside() {
  if (mode_ != Mode::Wipe || area_->width() == 0 || (!inFirst_ && !inSecond_)) return;
  const auto shareOf = [this](double imageX) {
    return std::clamp(first_->toWidget({imageX, 0}).x() / area_->width(), 0.0, 1.0);
  };
  if (!inSecond_) return setDividerAt(std::max(dividerAt_, shareOf(inFirst_->right())));
  if (!inFirst_) return setDividerAt(std::min(dividerAt_, shareOf(inSecond_->left())));
  const QRectF both = *inFirst_ | *inSecond_;
  const bool isBetween = dividerAt_ > shareOf(both.left()) && dividerAt_ < shareOf(both.right());
  if (!isBetween) setDividerAt(shareOf(both.center().x()));
}

void PairedView::holdSecond(bool held) {
  if (held == isSecondHeld_) return;
  isSecondHeld_ = held;
  place();
}

/// In blink mode the second canvas lies on the first, which keeps the focus.
void PairedView::place() {
  const QScopedValueRollback following(isFollowing_, true);
  const QRect all = area_->rect();
  const int half = (all.width() - kPairGapPx) / 2;
  const bool isBeside = mode_ == Mode::SideBySide;
  first_->setGeometry(isBeside ? QRect(0, 0, half, all.height()) : all);
  second_->setGeometry(isBeside ? QRect(half + kPairGapPx, 0, half, all.height()) : all);
  second_->clearMask();
  second_->setVisible(mode_ != Mode::Blink || isSecondHeld_);
  divider_->setVisible(mode_ == Mode::Wipe);
  firstName_->setVisible(mode_ != Mode::Blink || !isSecondHeld_);
  secondName_->setVisible(mode_ != Mode::Blink || isSecondHeld_);
  secondName_->setAlignment(mode_ == Mode::Wipe ? Qt::AlignRight : Qt::AlignLeft);
  if (mode_ == Mode::Wipe) placeWipe();
  second_->showAs(*first_);
}

void PairedView::placeWipe() {
  divider_->setShare(dividerAt_);
  divider_->raise();
  const int from = static_cast<int>(std::lround(dividerAt_ * area_->width()));
  // An empty mask would show all of it.
  second_->setVisible(from < area_->width());
  second_->setMask(QRect(from, 0, std::max(1, area_->width() - from), area_->height()));
}

bool PairedView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == area_ && event->type() == QEvent::Resize) place();
  if (mode_ != Mode::Blink || watched == area_) return false;
  if (event->type() == QEvent::FocusOut) holdSecond(false);
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::KeyRelease) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Tab) return false;  // Shift+Tab leaves
  if (!key->isAutoRepeat()) holdSecond(event->type() == QEvent::KeyPress);
  return true;
}

}  // namespace lockstep::widgets
