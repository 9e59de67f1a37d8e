#include "widgets/config_editor/field_editor.h"

#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QTimer>
#include <QToolButton>

#include "engine/base/home_path.h"
#include "widgets/config_editor/switch_button.h"
#include "widgets/experiment/field_words.h"
#include "widgets/icon.h"
#include "widgets/jobs/awaited.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTypingPauseMilliseconds = 500;

void setInvalid(QWidget* input, bool invalid) {
  if (input->property("invalid").toBool() == invalid) return;
  input->setProperty("invalid", invalid);
  input->update();
}

QHBoxLayout* plainRow(QWidget* widget) {
  auto* row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  return row;
}

/// A line of text, committed when typing pauses or the line loses the focus.
class LineEditor : public FieldEditor {
 public:
  LineEditor(const QString& unit, QWidget* parent) : FieldEditor(parent) {
    line_ = new QLineEdit(this);
    line_->setFont(monoFont(12));
    line_->setMinimumWidth(60);
    if (!unit.isEmpty()) addUnit(unit);
    plainRow(this)->addWidget(line_, 1);
    setFocusProxy(line_);
    line_->installEventFilter(this);
    pause_.setSingleShot(true);
    pause_.setInterval(kTypingPauseMilliseconds);
    connect(line_, &QLineEdit::textEdited, this, [this] { pause_.start(); });
    connect(line_, &QLineEdit::editingFinished, this, [this] { commit(); });
    connect(&pause_, &QTimer::timeout, this, [this] { commit(); });
  }

  void showValue(const ShownValue& value) override {
    setInvalid(line_, value.hasError);
    const QString own = value.isGiven ? value.text : QString();
    if (!value.isGiven) {
      line_->setPlaceholderText(value.text == QStringLiteral("null") ? tr("not set") : value.text);
    }
    // Do not change the text while the user types: "0.0" may become "0.01".
    if (pause_.isActive() || own == shown_) return;
    shown_ = own;
    line_->setText(own);
  }

  void finishTyping() override {
    if (pause_.isActive()) commit();
  }

 protected:
  QLineEdit* line() const { return line_; }

  /// Undo and redo belong to the document, not to the line: pass them on to the parents.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
        commit();
        event->ignore();
        return true;
      }
    }
    return FieldEditor::eventFilter(watched, event);
  }

  void commit() {
    pause_.stop();
    const QString typed = line_->text().trimmed();
    if (typed == shown_) return;
    shown_ = typed;
    Q_EMIT edited(typed);
  }

 private:
  /// Shows the unit inside the line, at its right end.
  void addUnit(const QString& unit) {
    auto* label = new QLabel(unit, line_);
    label->setFont(interfaceFont(11));
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    setRole(label, "faint");
    auto* inside = new QHBoxLayout(line_);
    inside->setContentsMargins(0, 0, 8, 0);
    inside->addStretch();
    inside->addWidget(label);
    line_->setTextMargins(0, 0, QFontMetrics(label->font()).horizontalAdvance(unit) + 8, 0);
  }

  QLineEdit* line_ = nullptr;
  QTimer pause_;
  QString shown_;  ///< the document's value
};

class PathEditor : public LineEditor {
 public:
  PathEditor(bool isFolder, std::function<QString()> folder, QWidget* parent)
      : LineEditor({}, parent), isFolder_(isFolder), folder_(std::move(folder)) {
    browse_ = new QToolButton(this);
    browse_->setToolTip(isFolder ? tr("Choose a folder") : tr("Choose a file"));
    browse_->setAccessibleName(browse_->toolTip());
    setRole(browse_, "quiet");
    colourIcon();
    layout()->addWidget(browse_);
    connect(browse_, &QToolButton::clicked, this, [this] { browse(); });
  }

 protected:
  void changeEvent(QEvent* event) override {
    if (event->type() == QEvent::PaletteChange) colourIcon();
    FieldEditor::changeEvent(event);
  }

 private:
  void colourIcon() { browse_->setIcon(icon(QStringLiteral("folder"), currentTheme().textMuted)); }

  void browse() {
    const QDir folder(folder_());
    const std::string typed = line()->text().trimmed().toStdString();
    const QString start = jobs::folderToBeginWith(
        folder.absoluteFilePath(QString::fromStdString(base::expandHome(typed).value_or(typed))));
    const QString chosen =
        isFolder_ ? QFileDialog::getExistingDirectory(this, tr("Choose a folder"), start)
                  : QFileDialog::getOpenFileName(this, tr("Choose a file"), start);
    if (chosen.isEmpty()) return;
    const QString relative = folder.relativeFilePath(chosen);
    line()->setText(relative.startsWith(QStringLiteral("../..")) ? chosen : relative);
    commit();
  }

  bool isFolder_;
  std::function<QString()> folder_;
  QToolButton* browse_ = nullptr;
};

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
    combo_->setMinimumWidth(60);
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

FieldEditor* makeFieldEditor(const config::Field& field, std::function<QString()> folder,
                             QWidget* parent) {
  switch (field.type) {
    case config::FieldType::Bool:
      return new SwitchEditor(QString::fromStdString(field.key), parent);
    case config::FieldType::Choice:
      return new ChoiceEditor(field, parent);
    case config::FieldType::Path:
      return new PathEditor(field.key.ends_with(".images"), std::move(folder), parent);
    case config::FieldType::Duration:
    case config::FieldType::Bytes:
      return new LineEditor({}, parent);  // the value itself names its unit
    default:
      return new LineEditor(unitOf(field), parent);
  }
}

}  // namespace lockstep::widgets
