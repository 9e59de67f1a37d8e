#include "widgets/config_editor/line_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/edit.h"
#include "engine/config/value_text.h"
#include "widgets/config_editor/step_box.h"
#include "widgets/experiment/field_words.h"
#include "widgets/experiment/value_steps.h"
#include "widgets/role.h"
#include "widgets/slider.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTypingPauseMilliseconds = 500;
constexpr int kMinLinePx = 60, kFractionLinePx = 84, kMinSliderPx = 40;
constexpr int kSliderSteps = 100;
constexpr qsizetype kLongestShown = 2000;  ///< laying out a line takes time

QString beginOf(const QString& text) {
  return text.size() <= kLongestShown ? text : text.left(kLongestShown) + QStringLiteral("…");
}

/// Whether a text can have this value: "[1, 2" would break it.
bool isWritable(const config::Field& field, const std::string& yaml) {
  try {
    config::setValue({}, field.key, yaml);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LineEditor::LineEditor(const config::Field& field, QWidget* parent)
    : FieldEditor(parent), field_(field) {
  buildUi();
  connectSignals();
}

void LineEditor::buildUi() {
  if (isStepped(field_)) {
    auto* box = new StepBox(this);
    line_ = box->lineEdit();
    input_ = box;
    connect(box, &StepBox::stepRequested, this,
            [this](int steps) { type(stepped(field_, effectiveText(), steps)); });
    connect(box, &StepBox::editingFinished, this, &LineEditor::commit);
    line_->installEventFilter(this);
  } else {
    line_ = new QLineEdit(this);
    input_ = line_;
  }
  line_->setFont(monoFont(12));
  input_->setMinimumWidth(scaledPx(kMinLinePx));
  unit_ = new QLabel(line_);
  unit_->setFont(interfaceFont(11));
  unit_->setAttribute(Qt::WA_TransparentForMouseEvents);
  setRole(unit_, "faint");
  auto* inside = new QHBoxLayout(line_);
  inside->setContentsMargins(0, 0, 8, 0);
  inside->addStretch();
  inside->addWidget(unit_);
  plainRow(this)->addWidget(input_, 1);
  setFocusProxy(input_);
  input_->installEventFilter(this);
  pause_.setSingleShot(true);
  pause_.setInterval(kTypingPauseMilliseconds);
  showUnit();
}

void LineEditor::connectSignals() {
  connect(line_, &QLineEdit::textEdited, this, &LineEditor::noteTyping);
  connect(line_, &QLineEdit::editingFinished, this, &LineEditor::commit);
  connect(&pause_, &QTimer::timeout, this, [this] {
    if (isHeld()) return pause_.start();
    commit();
  });
}

void LineEditor::showValue(const ShownValue& value) {
  hasError_ = value.hasError;
  if (!value.isGiven) {
    inherited_ = value.text;
    line_->setPlaceholderText(value.text == QStringLiteral("null") ? tr("not set")
                                                                   : beginOf(value.text));
  }
  const QString own = value.isGiven ? value.text : QString();
  // Do not change the text while the user types: "0.0" may become "0.01".
  if (pause_.isActive() || isUnwritable_) return;
  setInvalid(input_, hasError_);
  showWhetherTooLong(value.text.size() > kLongestShown);
  if (own != shown_) {
    shown_ = own;
    line_->setText(beginOf(own));
  }
  showUnit();
}

void LineEditor::showWhetherTooLong(bool isTooLong) {
  if (isTooLong == std::exchange(isTooLong_, isTooLong)) return;
  line_->setReadOnly(isTooLong);
  line_->setToolTip(isTooLong ? tr("Too long for a line: edit it in the text") : QString());
}

void LineEditor::finishTyping() {
  if (pause_.isActive()) commit();
}

QString LineEditor::effectiveText() const {
  const QString own = line_->text().trimmed();
  return own.isEmpty() ? inherited_ : own;
}

void LineEditor::type(const QString& text) {
  if (isTooLong_ || text == effectiveText()) return;
  line_->setText(text);
  noteTyping();
}

void LineEditor::noteTyping() {
  pause_.start();
  isUnwritable_ = false;
  showUnit();
  const QString typed = line_->text().trimmed();
  config::Experiment scratch;
  const QString fault = typed.isEmpty()
                            ? QString()
                            : QString::fromStdString(field_.assign(scratch, yamlOf(field_, typed)));
  setInvalid(input_, !fault.isEmpty());
  Q_EMIT typedFault(fault);
}

void LineEditor::commit() {
  pause_.stop();
  if (isTooLong_) return;
  const QString typed = line_->text().trimmed();
  if (typed == shown_) return setInvalid(input_, hasError_);
  shown_ = typed;
  isUnwritable_ = !typed.isEmpty() && !isWritable(field_, yamlOf(field_, typed));
  Q_EMIT edited(typed);
}

void LineEditor::forgetTyping() {
  pause_.stop();
  isUnwritable_ = false;
}

/// A duration that is a bare number is one of steps; others name their unit, as sizes do.
void LineEditor::showUnit() {
  QString unit;
  if (isTooLong_) {
    unit = tr("edit the text");
  } else if (field_.type == config::FieldType::Duration) {
    bool isBare = false;
    effectiveText().toDouble(&isBare);
    if (isBare) unit = tr("steps");
  } else if (field_.type != config::FieldType::Bytes) {
    unit = unitOf(field_);
  }
  unit_->setText(unit);
  const int needed = unit.isEmpty() ? 0 : unit_->fontMetrics().horizontalAdvance(unit) + 8;
  line_->setTextMargins(0, 0, needed, 0);
}

/// Undo and redo belong to the document, not to the line: pass them on to the parents. Scrolling
/// the form must not change the value under the pointer.
bool LineEditor::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      commit();
      event->ignore();
      return true;
    }
  }
  if (event->type() == QEvent::Wheel && !input_->hasFocus()) {
    event->ignore();
    return true;
  }
  return FieldEditor::eventFilter(watched, event);
}

FractionEditor::FractionEditor(const config::Field& field, QWidget* parent)
    : LineEditor(field, parent) {
  slider_ = new Slider(this);
  slider_->setRange(0, kSliderSteps);
  slider_->setMinimumWidth(kMinSliderPx);
  slider_->setAccessibleName(QString::fromStdString(field.key));
  slider_->installEventFilter(this);
  focusProxy()->setMaximumWidth(scaledPx(kFractionLinePx));
  static_cast<QHBoxLayout*>(layout())->addWidget(slider_, 2);
  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    type(QString::fromStdString(config::writeNumber(static_cast<double>(value) / kSliderSteps)));
  });
  // One drag is one change of the text.
  connect(slider_, &QSlider::sliderReleased, this, &FractionEditor::commit);
  connect(line(), &QLineEdit::textChanged, this, &FractionEditor::showAtSlider);
}

void FractionEditor::showValue(const ShownValue& value) {
  LineEditor::showValue(value);
  showAtSlider();
}

bool FractionEditor::isHeld() const { return slider_->isSliderDown(); }

void FractionEditor::showAtSlider() {
  if (slider_->isSliderDown()) return;
  const QSignalBlocker blocker(slider_);
  slider_->setValue(static_cast<int>(std::lround(effectiveText().toDouble() * kSliderSteps)));
}

}  // namespace lockstep::widgets
