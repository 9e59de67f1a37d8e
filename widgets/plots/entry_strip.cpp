#include "widgets/plots/entry_strip.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "widgets/literal_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

EntryStrip::EntryStrip(QWidget* parent) : QWidget(parent) {
  setFont(interfaceFont(12));
  setMouseTracking(true);
}

void EntryStrip::setEntries(std::vector<Named> entries, const QString& title) {
  named_ = std::move(entries);
  const bool isEmpty = named_.empty();
  current_ = isEmpty ? 0 : std::min(current_, static_cast<int>(named_.size()) - 1);
  setFocusPolicy(isEmpty ? Qt::NoFocus : Qt::TabFocus);
  QStringList spoken;
  for (const Named& entry : named_)
    spoken << (entry.isHidden ? tr("%1 (hidden)").arg(entry.name) : entry.name);
  setAccessibleName(isEmpty ? QString()
                            : tr("%1: %2").arg(title, spoken.join(QStringLiteral(", "))));
  spoken << tr("A click on a name hides it or shows it again");
  setToolTip(isEmpty ? QString() : spoken.join(QLatin1Char('\n')));
  updateGeometry();
  update();
}

int EntryStrip::entryAt(const QPoint& position) const {
  const Places places = placesIn(width());
  if (places.more.contains(position)) return kMore;
  const auto found = std::ranges::find_if(
      places.entries, [&](const QRect& entry) { return entry.contains(position); });
  return found == places.entries.end() ? kNone : static_cast<int>(found - places.entries.begin());
}

void EntryStrip::toggle(int entry) {
  current_ = entry;
  Q_EMIT toggled(entry);
}

/// Has all entries, so that each can be reached.
void EntryStrip::openMenu() {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (std::size_t i = 0; i < named_.size(); ++i) {
    QAction* action = menu->addAction(literalText(named_[i].name));
    action->setCheckable(true);
    action->setChecked(!named_[i].isHidden);
    // There may be others by then.
    connect(action, &QAction::triggered, this, [this, i, name = named_[i].name] {
      if (i < named_.size() && named_[i].name == name) toggle(static_cast<int>(i));
    });
  }
  menu->popup(mapToGlobal(placesIn(width()).more.bottomLeft()));
}

void EntryStrip::paintFocus(QPainter* painter) const {
  if (!hasFocus()) return;
  const Places places = placesIn(width());
  const auto current = static_cast<std::size_t>(current_);
  const QRect around = current < places.entries.size() ? places.entries[current] : places.more;
  painter->setPen(QPen(currentTheme().accent, 1.5));
  painter->setBrush(Qt::NoBrush);
  painter->drawRoundedRect(QRectF(around).adjusted(-2, 1, 2, -1), 4, 4);
}

bool EntryStrip::event(QEvent* event) {
  if (event->type() == QEvent::MouseMove) {
    const bool isOver = entryAt(static_cast<QMouseEvent*>(event)->position().toPoint()) != kNone;
    setCursor(isOver ? Qt::PointingHandCursor : Qt::ArrowCursor);
  }
  return QWidget::event(event);
}

void EntryStrip::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->button() == Qt::LeftButton ? entryAt(event->position().toPoint()) : kNone;
  // What is beside the entries belongs to the card.
  if (pressed_ == kNone) event->ignore();
}

void EntryStrip::mouseDoubleClickEvent(QMouseEvent* event) { mousePressEvent(event); }

void EntryStrip::mouseReleaseEvent(QMouseEvent* event) {
  const int pressed = std::exchange(pressed_, kNone);
  if (pressed == kNone || pressed != entryAt(event->position().toPoint())) return event->ignore();
  if (pressed == kMore) return openMenu();
  toggle(pressed);
}

void EntryStrip::keyPressEvent(QKeyEvent* event) {
  const auto last = static_cast<int>(named_.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      current_ = std::max(0, current_ - 1);
      return update();
    case Qt::Key_Right:
      current_ = std::min(last, current_ + 1);
      return update();
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_ > last) break;
      if (static_cast<std::size_t>(current_) >= placesIn(width()).entries.size()) return openMenu();
      return toggle(current_);
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace lockstep::widgets
