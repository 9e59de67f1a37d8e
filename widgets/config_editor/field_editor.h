#pragma once

#include <QString>
#include <QWidget>
#include <functional>

#include "engine/config/fields.h"
#include "widgets/experiment/form_fields.h"

namespace lockstep::widgets {

/// Edits the value of one key with the input widget for its type.
class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual void showValue(const ShownValue& value) = 0;
  /// Commits what is being typed without waiting for the pause.
  virtual void finishTyping() {}

 Q_SIGNALS:
  /// `typed`: as typed, not yet YAML. Empty: remove the key from the document.
  void edited(const QString& typed);
};

/// A switch, a combo box, a line, or a line with a browse button. `folder` returns the folder that
/// relative paths start from.
FieldEditor* makeFieldEditor(const config::Field& field, std::function<QString()> folder,
                             QWidget* parent);

}  // namespace lockstep::widgets
