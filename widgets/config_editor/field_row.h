#pragma once

#include <QWidget>
#include <functional>

#include "engine/config/fields.h"
#include "widgets/config_editor/field_editor.h"

class QLabel;
class QAbstractButton;
class QGridLayout;
class QToolButton;

namespace lockstep::widgets {

class ElidedLabel;

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
  /// Shows what the experiment that is compared has instead, with a button that takes it; an empty
  /// text: no difference.
  void setOther(const QString& text);
  bool isOther() const { return isOther_; }
  /// Highlights the row for a moment.
  void flash();

 Q_SIGNALS:
  void edited(const QString& typed);
  void resetRequested();
  /// The value of the experiment that is compared is to be taken.
  void otherTaken();
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
  void buildOther();
  void colourLabel();
  void showOrigin();
  void showReplaced(bool isNarrow);
  void showError(const QString& error);

  const config::Field& field_;
  FieldState state_;
  QGridLayout* grid_ = nullptr;
  QLabel* name_ = nullptr;
  FieldEditor* editor_ = nullptr;
  QLabel* origin_ = nullptr;
  QAbstractButton* reset_ = nullptr;
  QLabel* error_ = nullptr;
  ElidedLabel* other_ = nullptr;  ///< nullptr: never differed
  QToolButton* take_ = nullptr;
  bool isOther_ = false;
  bool isFlashing_ = false;
};

}  // namespace lockstep::widgets
