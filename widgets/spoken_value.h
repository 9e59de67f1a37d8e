#pragma once

#include <QAccessible>
#include <QString>

class QWidget;

namespace lockstep::widgets {

/// A widget that paints what it shows, and tells it to a screen reader as a value. The reader asks
/// when it wants to know: nothing is computed for nobody.
class SpokenValue {
 public:
  virtual ~SpokenValue() = default;
  virtual QAccessible::Role spokenRole() const = 0;
  virtual QString spokenValue() const = 0;

  /// A reader that follows the widget is told of a value that a person has changed.
  static void announce(QWidget* widget, const SpokenValue& changed);

 protected:
  SpokenValue();
};

}  // namespace lockstep::widgets
