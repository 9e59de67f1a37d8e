#include "widgets/spoken_value.h"

#include <QAccessibleWidget>

namespace lockstep::widgets {
namespace {

class SpokenWidget : public QAccessibleWidget {
 public:
  SpokenWidget(QWidget* widget, const SpokenValue* spoken)
      : QAccessibleWidget(widget, spoken->spokenRole()), spoken_(spoken) {}

  QString text(QAccessible::Text kind) const override {
    return kind == QAccessible::Value && isValid() ? spoken_->spokenValue()
                                                   : QAccessibleWidget::text(kind);
  }

 private:
  const SpokenValue* spoken_;  ///< the widget
};

QAccessibleInterface* makeSpoken(const QString&, QObject* object) {
  const auto* spoken = dynamic_cast<const SpokenValue*>(object);
  return spoken ? new SpokenWidget(qobject_cast<QWidget*>(object), spoken) : nullptr;
}

}  // namespace

void SpokenValue::announce(QWidget* widget, const SpokenValue& changed) {
  if (!QAccessible::isActive()) return;
  QAccessibleValueChangeEvent event(widget, changed.spokenValue());
  QAccessible::updateAccessibility(&event);
}

/// Before a reader can ask: it keeps what it was given first.
SpokenValue::SpokenValue() {
  static const bool isInstalled = (QAccessible::installFactory(makeSpoken), true);
  Q_UNUSED(isInstalled)
}

}  // namespace lockstep::widgets
