#include "widgets/config_editor/field_editor.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

#include "widgets/config_editor/line_editor.h"
#include "widgets/config_editor/list_editor.h"
#include "widgets/config_editor/path_editor.h"
#include "widgets/config_editor/switch_button.h"
#include "widgets/experiment/value_steps.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// A combo box that shows an inherited value in the faint colour, like a placeholder.
class WordBox : public QComboBox {
 public:
  using QComboBox::QComboBox;

  void setInherited(const QString& text) {
    inherited_ = text;
    update();
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QComboBox::paintEvent(event);
    if (currentIndex() >= 0) return;
    QPainter painter(this);
    painter.setPen(currentTheme().textFaint);
    painter.drawText(rect().adjusted(9, 0, -22, 0), Qt::AlignVCenter | Qt::AlignLeft, inherited_);
  }

 private:
  QString inherited_;
};

class ChoiceEditor : public FieldEditor {
 public:
  ChoiceEditor(const config::Field& field, QWidget* parent) : FieldEditor(parent) {
    combo_ = new WordBox(this);
    combo_->setMinimumWidth(scaledPx(60));
    combo_->setFocusPolicy(Qt::StrongFocus);
    combo_->installEventFilter(this);
    for (const std::string& choice : field.choices) combo_->addItem(QString::fromStdString(choice));
    if (field.nullable) combo_->addItem(QStringLiteral("null"));
    known_ = combo_->count();
    combo_->setCurrentIndex(-1);
    plainRow(this)->addWidget(combo_, 1);
    setFocusProxy(combo_);
    connect(combo_, &QComboBox::activated, this,
            [this](int index) { Q_EMIT edited(combo_->itemText(index)); });
  }

  void showValue(const ShownValue& value) override {
    setInvalid(combo_, value.hasError);
    while (combo_->count() > known_) combo_->removeItem(known_);
    combo_->setInherited(value.text);
    if (!value.isGiven) return combo_->setCurrentIndex(-1);
    if (combo_->findText(value.text) < 0) combo_->addItem(value.text);
    combo_->setCurrentIndex(combo_->findText(value.text));
  }

 protected:
  /// Scrolling the form must not change the value under the pointer.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Wheel && !combo_->hasFocus()) {
      event->ignore();
      return true;
    }
    return FieldEditor::eventFilter(watched, event);
  }

 private:
  WordBox* combo_ = nullptr;
  int known_ = 0;
};

class SwitchEditor : public FieldEditor {
 public:
  explicit SwitchEditor(const QString& name, QWidget* parent) : FieldEditor(parent) {
    switch_ = new SwitchButton(this);
    switch_->setAccessibleName(name);
    auto* row = plainRow(this);
    row->addWidget(switch_);
    row->addStretch();
    setFocusProxy(switch_);
    connect(switch_, &QAbstractButton::clicked, this, [this](bool on) {
      Q_EMIT edited(on ? QStringLiteral("true") : QStringLiteral("false"));
    });
  }

  void showValue(const ShownValue& value) override {
    switch_->setChecked(value.text == QStringLiteral("true"));
    switch_->setInherited(!value.isGiven);
  }

 private:
  SwitchButton* switch_ = nullptr;
};

}  // namespace

void FieldEditor::setInvalid(QWidget* input, bool invalid) {
  if (input->property("invalid").toBool() == invalid) return;
  input->setProperty("invalid", invalid);
  input->update();
}

QHBoxLayout* FieldEditor::plainRow(QWidget* widget) {
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  return row;
}

FieldEditor* makeFieldEditor(const config::Field& field, std::function<QString()> folder,
                             QWidget* parent) {
  switch (field.type) {
    case config::FieldType::Bool:
      return new SwitchEditor(QString::fromStdString(field.key), parent);
    case config::FieldType::Choice:
      return new ChoiceEditor(field, parent);
    case config::FieldType::Path:
      return new PathEditor(field, std::move(folder), parent);
    default:
      if (config::isList(field.type)) return new ListEditor(field, parent);
      if (isFraction(field)) return new FractionEditor(field, parent);
      return new LineEditor(field, parent);
  }
}

}  // namespace lockstep::widgets
