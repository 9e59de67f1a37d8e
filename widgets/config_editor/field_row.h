#pragma once

#include <QWidget>
#include <functional>

#include "engine/config/fields.h"
#include "widgets/config_editor/field_editor.h"

class QLabel;
class QAbstractButton;

namespace lockstep::widgets {

/// One key in the form: mark, name, editor with unit, origin of the value, and a reset button that
/// returns to the inherited value or the default.
class FieldRow : public QWidget {
  Q_OBJECT

 public:
  FieldRow(const config::Field& field, std::function<QString()> folder, QWidget* parent = nullptr);

  void setState(const FieldState& state);
  const FieldState& state() const { return state_; }
  const config::Field& field() const { return field_; }
  FieldEditor* editor() const { return editor_; }
  /// Highlights the row for a moment.
  void flash();

 Q_SIGNALS:
  void edited(const QString& typed);
  void resetRequested();
  /// The pointer entered the row, or its editor got the keyboard focus.
  void pointedAt();
  /// The editor got the keyboard focus.
  void focused();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi(std::function<QString()> folder);
  void colourLabel();
  void showOrigin();
  void showReplaced(bool isNarrow);
  void showError(const QString& error);

  const config::Field& field_;
  FieldState state_;
  QLabel* name_ = nullptr;
  FieldEditor* editor_ = nullptr;
  QLabel* origin_ = nullptr;
  QAbstractButton* reset_ = nullptr;
  QLabel* error_ = nullptr;
  bool isFlashing_ = false;
};

}  // namespace lockstep::widgets
