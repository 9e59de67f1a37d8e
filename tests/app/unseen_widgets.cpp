#include "tests/app/unseen_widgets.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>

#include "widgets/elided_label.h"
#include "widgets/fold_button.h"

namespace lockstep::tests {
namespace {

QString nameOf(const QWidget& widget) {
  QStringList around;
  for (const QWidget* each = &widget; each; each = each->parentWidget())
    if (around.size() < 4)
      around << QString::fromLatin1(each->metaObject()->className())
                        .remove(QStringLiteral("lockstep::")) +
                    u' ' + each->objectName();
  const QString text = widget.property("text").toString().left(60);
  return QStringLiteral("“%1” %2 (%3 x %4)")
      .arg(text, around.join(QStringLiteral(" < ")))
      .arg(widget.width())
      .arg(widget.height());
}

bool isControl(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return !label->text().isEmpty();
  return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
         qobject_cast<const QLineEdit*>(&widget) ||
         qobject_cast<const QAbstractSpinBox*>(&widget) || qobject_cast<const QTabBar*>(&widget) ||
         (qobject_cast<const QAbstractSlider*>(&widget) &&
          !qobject_cast<const QScrollBar*>(&widget));
}

/// Texts that are cut with a visible "…".
bool isElided(const QWidget& widget) {
  return qobject_cast<const widgets::ElidedLabel*>(&widget) ||
         qobject_cast<const widgets::FoldButton*>(&widget) ||
         widget.objectName() == QStringLiteral("trainButton");
}

QString cutText(const QWidget& widget) {
  if (isElided(widget)) return {};
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
    const int height =
        label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
    if (label->height() < height - 1) return QStringLiteral("too low");
    if (!label->wordWrap() && label->width() < label->sizeHint().width() - 1)
      return QStringLiteral("too narrow");
  }
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget);
      button && !button->text().isEmpty()) {
    if (button->width() < button->fontMetrics().horizontalAdvance(button->text()) ||
        button->height() < button->fontMetrics().height())
      return QStringLiteral("its text is cut");
  }
  if (const auto* tabs = qobject_cast<const QTabBar*>(&widget);
      tabs && !tabs->usesScrollButtons() && tabs->width() < tabs->sizeHint().width())
    return QStringLiteral("a tab is cut");
  return {};
}

/// True if a part of the page can be scrolled to it. The page itself, and areas without a
/// horizontal scroll bar, scroll only up and down.
bool isScrolledTo(const QWidget& widget) {
  for (const QWidget* each = &widget; each->parentWidget(); each = each->parentWidget()) {
    const auto* area = qobject_cast<const QScrollArea*>(each->parentWidget()->parentWidget());
    if (!area || area->viewport() != each->parentWidget()) continue;
    const QRect place(widget.mapTo(area->viewport(), QPoint()), widget.size());
    const QRect seen = area->viewport()->rect();
    const bool isAside = place.left() < seen.left() || place.right() > seen.right();
    const bool hasNoBar = area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff ||
                          qobject_cast<const QStackedWidget*>(area->parentWidget());
    if (isAside && hasNoBar) return false;
    if (place.bottom() < seen.top() || place.top() > seen.bottom()) return true;
    if (isAside || place.top() < seen.top() || place.bottom() > seen.bottom()) return true;
  }
  return false;
}

QString covering(const QWidget& widget, const QWidget& window) {
  const QRect own(widget.mapTo(&window, QPoint()), widget.size());
  if (isElided(widget) && widget.width() == 0) return {};  // it gives way to the others
  if (!window.rect().contains(own)) return QStringLiteral("beyond the window");
  const QRect inner = own.adjusted(2, 2, -2, -2);
  for (const QPoint at :
       {own.center(), inner.topLeft(), inner.topRight(), inner.bottomLeft(), inner.bottomRight()}) {
    const QWidget* top = window.childAt(at);
    if (top != &widget && !(top && widget.isAncestorOf(top)) &&
        !(top && top->isAncestorOf(&widget)))
      return QStringLiteral("covered by ") + (top ? nameOf(*top) : QStringLiteral("nothing"));
    if (top && top != &widget && top->isAncestorOf(&widget) &&
        !widget.testAttribute(Qt::WA_TransparentForMouseEvents))
      return QStringLiteral("cut by ") + nameOf(*top);
  }
  return {};
}

}  // namespace

QStringList unseenWidgets(const QWidget& window) {
  QStringList unseen;
  for (const auto* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->window() != &window || !isControl(*widget)) continue;
    QString fault = cutText(*widget);
    if (fault.isEmpty() && !isScrolledTo(*widget)) fault = covering(*widget, window);
    if (!fault.isEmpty()) unseen << nameOf(*widget) + u' ' + fault;
  }
  return unseen;
}

}  // namespace lockstep::tests
