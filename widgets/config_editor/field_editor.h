#pragma once

#include <QString>
#include <QWidget>
#include <functional>

#include "engine/config/fields.h"
#include "widgets/experiment/form_fields.h"

namespace lockstep::widgets {

/// Edits the value of one key by what suits its type.
class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual void showValue(const ShownValue& value) = 0;
  /// Takes over at once what is being typed.
  virtual void finishTyping() {}

 Q_SIGNALS:
  /// As typed, not yet YAML. Empty: the document shall not give the value any more.
  void edited(const QString& typed);
};

/// A switch, a list of words, a line, or a line with a button that browses. `folder` tells where
/// relative paths begin.
FieldEditor* makeFieldEditor(const config::Field& field, std::function<QString()> folder,
                             QWidget* parent);

}  // namespace lockstep::widgets
