#pragma once

#include <QString>
#include <QWidget>
#include <functional>

#include "engine/config/fields.h"
#include "widgets/experiment/form_fields.h"

class QHBoxLayout;

namespace lockstep::widgets {

/// Edits the value of one key with the input widget for its type.
class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual void showValue(const ShownValue& value) = 0;
  /// Commits what is being typed without waiting for the pause.
  virtual void finishTyping() {}
  /// Drops what is being typed, and what was typed and could not be written.
  virtual void forgetTyping() {}

 Q_SIGNALS:
  /// `typed`: as typed, not yet YAML. Empty: remove the key from the document.
  void edited(const QString& typed);
  /// What is wrong with what is typed so far; empty: nothing.
  void typedFault(const QString& fault);

 protected:
  static void setInvalid(QWidget* input, bool invalid);
  static QHBoxLayout* plainRow(QWidget* widget);
};

/// A switch, a combo box, a line, a line with arrows, with a slider, or with a browse button.
/// `folder` returns the folder that relative paths start from.
FieldEditor* makeFieldEditor(const config::Field& field, std::function<QString()> folder,
                             QWidget* parent);

}  // namespace lockstep::widgets
