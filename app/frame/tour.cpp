#include "app/frame/tour.h"

#include <QAbstractButton>
#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kTipWidthPx = 340, kGapPx = 10, kRingPx = 2;

QPushButton* makeButton(const char* name, const QString& text = {}) {
  auto* button = new QPushButton(text);
  button->setObjectName(QLatin1String(name));
  button->setAutoDefault(false);
  return button;
}

}  // namespace

/// A line around a part of the window, which takes no events.
class Tour::Ring : public QWidget {
 public:
  explicit Ring(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(widgets::currentTheme().accent, kRingPx));
    painter.drawRoundedRect(rect().adjusted(kRingPx, kRingPx, -kRingPx, -kRingPx), 6, 6);
  }
};

Tour::Tour(QWidget* window, QList<TourStep> steps) : QFrame(window), steps_(std::move(steps)) {
  setObjectName(QStringLiteral("tour"));
  setAccessibleName(tr("Tour"));
  setAttribute(Qt::WA_DeleteOnClose);
  setAutoFillBackground(true);
  widgets::setRole(this, "card");
  ring_ = new Ring(window);
  buildUi();
  window->installEventFilter(this);
  showStep(0);
  ring_->show();
  show();
}

Tour::~Tour() { delete ring_; }

void Tour::buildUi() {
  title_ = new QLabel;
  widgets::setRole(title_, "heading");
  auto* close = new QToolButton;
  close->setObjectName(QStringLiteral("closeTour"));
  close->setText(QStringLiteral("×"));
  close->setToolTip(tr("Close the tour"));
  close->setAccessibleName(close->toolTip());
  widgets::setRole(close, "icon");
  connect(close, &QToolButton::clicked, this, &QWidget::close);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(close);
  text_ = new QLabel;
  text_->setObjectName(QStringLiteral("tourText"));
  text_->setWordWrap(true);
  count_ = new QLabel;
  widgets::setRole(count_, "muted");
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(count_);
  buttons->addStretch();
  act_ = makeButton("tourAction");
  back_ = makeButton("tourBack", tr("Back"));
  next_ = makeButton("tourNext", tr("Next"));
  buttons->addWidget(back_);
  buttons->addWidget(next_);
  connect(act_, &QPushButton::clicked, this, [this] { steps_[step_].act(); });
  connect(back_, &QPushButton::clicked, this, [this] { showStep(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { showStep(step_ + 1); });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 10, 14, 12);
  column->setSpacing(8);
  column->addLayout(head);
  column->addWidget(text_);
  column->addWidget(act_, 0, Qt::AlignLeft);
  column->addLayout(buttons);
  setFixedWidth(widgets::scaledPx(kTipWidthPx));
}

void Tour::showStep(int step) {
  if (step >= steps_.size()) {
    close();
    return;
  }
  step_ = step;
  const TourStep& now = steps_[step];
  title_->setText(now.title);
  text_->setText(now.text);
  count_->setText(tr("%1 of %2").arg(step + 1).arg(steps_.size()));
  act_->setVisible(!now.action.isEmpty());
  act_->setText(now.action);
  back_->setEnabled(step > 0);
  next_->setText(step + 1 < steps_.size() ? tr("Next") : tr("Done"));
  putInPlace();
}

QRect Tour::place() const {
  constexpr int kOut = 2 * kRingPx;
  return steps_[step_].place().adjusted(-kOut, -kOut, kOut, kOut);
}

/// Below the place, else above or beside it; at the lower right inside of a place that leaves no
/// room, whose titles are at its upper left. Over docks that were brought up since.
void Tour::putInPlace() {
  const QRect at = place();
  const QRect room = parentWidget()->rect().adjusted(kGapPx, kGapPx, -kGapPx, -kGapPx);
  ring_->setGeometry(at);
  resize(width(), heightForWidth(width()));
  const auto within = [](int wanted, int low, int high) {
    return std::clamp(wanted, low, std::max(low, high));
  };
  const int left = within(at.left(), room.left(), room.right() - width());
  const int top = within(at.top(), room.top(), room.bottom() - height());
  const QPoint inside(
      within(at.right() - kGapPx - width(), room.left(), room.right() - width()),
      within(at.bottom() - kGapPx - height(), room.top(), room.bottom() - height()));
  const std::initializer_list<QPoint> outside{{left, at.bottom() + kGapPx},
                                              {left, at.top() - kGapPx - height()},
                                              {at.right() + kGapPx, top},
                                              {at.left() - kGapPx - width(), top}};
  const auto free = std::ranges::find_if(
      outside, [&](const QPoint& corner) { return room.contains(QRect(corner, size())); });
  move(free == outside.end() ? inside : *free);
  ring_->raise();
  raise();
}

/// Return presses the focused button of the card, or else Next.
bool Tour::handleReturn(const QKeyEvent& event) {
  if (event.key() != Qt::Key_Return && event.key() != Qt::Key_Enter) return false;
  auto* chosen = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
  (chosen && isAncestorOf(chosen) ? chosen : next_)->click();
  return true;
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (handleReturn(*event)) return;
  if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
  close();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) putInPlace();
  // The focused widget, such as an empty list, ignored the key.
  if (event->type() == QEvent::KeyPress && handleReturn(*static_cast<QKeyEvent*>(event)))
    return true;
  return QFrame::eventFilter(watched, event);
}

}  // namespace lockstep::app
