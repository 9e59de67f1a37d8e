#include "widgets/config_editor/field_row.h"

#include <QAbstractButton>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "widgets/elided_label.h"
#include "widgets/experiment/field_words.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNameWidthPx = 152, kOriginWidthPx = 104, kMarkPx = 5;
constexpr int kNarrowOriginWidthPx = 14, kNarrowPx = 480, kNotImplementedWidthPx = 78;
/// Limit of the name in a narrow row, whose editor needs the room.
constexpr double kNameFraction = 0.36;
constexpr int kFlashMilliseconds = 900;

/// Resets to the inherited value. Custom-painted because there are a hundred of them.
class ResetButton : public QAbstractButton {
 public:
  explicit ResetButton(QWidget* parent) : QAbstractButton(parent) {
    setFixedSize(scaledPx(24), scaledPx(24));
    setFocusPolicy(Qt::TabFocus);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() ? QPen(theme.accent) : QPen(Qt::NoPen));
    painter.setBrush(underMouse() ? QBrush(theme.hover) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    painter.setPen(underMouse() ? theme.text : theme.textMuted);
    painter.drawText(rect(), Qt::AlignCenter, QStringLiteral("↺"));
  }
  void enterEvent(QEnterEvent*) override { update(); }
  void leaveEvent(QEvent*) override { update(); }
};

}  // namespace

FieldRow::FieldRow(const config::Field& field, std::function<QString()> folder, QWidget* parent)
    : QWidget(parent), field_(field) {
  buildUi(std::move(folder));
  connect(editor_, &FieldEditor::edited, this, &FieldRow::edited);
  connect(editor_, &FieldEditor::typedFault, this, &FieldRow::showError);
  connect(reset_, &QAbstractButton::clicked, this, &FieldRow::resetRequested);
}

void FieldRow::buildUi(std::function<QString()> folder) {
  const QString help = helpOf(field_);
  name_ = new ElidedLabel(labelOf(field_.key), Qt::ElideRight, this);
  name_->setFont(interfaceFont(12));
  name_->setToolTip(help);
  editor_ = makeFieldEditor(field_, std::move(folder), this);
  editor_->setToolTip(help);
  editor_->setAccessibleName(name_->text());
  name_->setBuddy(editor_);
  editor_->setEnabled(field_.isImplemented);
  if (QWidget* input = editor_->focusProxy()) {
    input->setAccessibleName(QString::fromStdString(field_.key));
    input->installEventFilter(this);
  }
  origin_ = new ElidedLabel(Qt::ElideLeft, this);
  origin_->setFixedWidth(scaledPx(kOriginWidthPx));
  origin_->setFont(interfaceFont(11));
  setRole(origin_, "faint");
  reset_ = new ResetButton(this);
  reset_->setAccessibleName(tr("Reset %1").arg(name_->text()));
  QSizePolicy keepsPlace = reset_->sizePolicy();
  keepsPlace.setRetainSizeWhenHidden(true);
  reset_->setSizePolicy(keepsPlace);
  reset_->hide();
  error_ = new QLabel(this);
  error_->setWordWrap(true);
  error_->setFont(interfaceFont(11));
  setRole(error_, "error");
  error_->hide();

  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(kMarkPx + 7, 1, 4, 1);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(1);
  grid_->setColumnStretch(1, 1);
  grid_->addWidget(name_, 0, 0);
  grid_->addWidget(editor_, 0, 1);
  grid_->addWidget(origin_, 0, 2);
  grid_->addWidget(reset_, 0, 3);
  grid_->addWidget(error_, 1, 1, 1, 3);
  colourLabel();
}

void FieldRow::setState(const FieldState& state) {
  const bool givenChanges = state.value.isGiven != state_.value.isGiven;
  state_ = state;
  editor_->showValue(state.value);
  showOrigin();
  reset_->setVisible(state.value.isGiven);
  reset_->setToolTip(
      state.replacedFrom.isEmpty()
          ? tr("Remove it from this file, so that the default applies: %1").arg(state.replaced)
          : tr("Remove it from this file, so that the value of %1 applies: %2")
                .arg(state.replacedFrom, state.replaced));
  showError(state.error);
  if (givenChanges) colourLabel();
  update();
}

/// A row has it only once its value differs: most never do.
void FieldRow::buildOther() {
  other_ = new ElidedLabel(Qt::ElideRight, this);
  other_->setFont(interfaceFont(11));
  setRole(other_, "warning");
  take_ = new QToolButton(this);
  take_->setText(tr("Take"));
  take_->setObjectName(QStringLiteral("take"));
  take_->setToolTip(tr("Set this value in the file"));
  setRole(take_, "small");
  setTabOrder(reset_, take_);
  connect(take_, &QToolButton::clicked, this, &FieldRow::otherTaken);
  auto* row = new QHBoxLayout;
  row->addWidget(other_, 1);
  row->addWidget(take_);
  grid_->addLayout(row, 2, 1, 1, 3);
}

void FieldRow::setOther(const QString& text) {
  isOther_ = !text.isEmpty();
  if (other_ == nullptr) {
    if (!isOther_) return;
    buildOther();
  }
  other_->setText(text);
  other_->setVisible(isOther_);
  take_->setVisible(isOther_ && field_.isImplemented);
}

void FieldRow::showError(const QString& error) {
  error_->setText(error);
  error_->setVisible(!error.isEmpty());
}

/// File and line if there is room, else an arrow with a tooltip. Rows of paths are always narrow,
/// because the path needs the room. A key that is not built yet shows that here.
void FieldRow::showOrigin() {
  const bool isPath = field_.type == config::FieldType::Path;
  const bool isNarrow = width() < scaledPx(kNarrowPx) || isPath;
  if (!field_.isImplemented && state_.origin.isEmpty()) {
    origin_->setFixedWidth(scaledPx(isNarrow ? kNotImplementedWidthPx : kOriginWidthPx));
    return origin_->setText(tr("not built yet"));
  }
  origin_->setFixedWidth(scaledPx(isNarrow ? kNarrowOriginWidthPx : kOriginWidthPx));
  if (state_.value.isGiven) return showReplaced(isNarrow);
  origin_->setText(isNarrow && !state_.origin.isEmpty() ? QStringLiteral("↑") : state_.origin);
  origin_->setToolTip(state_.origin.isEmpty() ? QString()
                                              : tr("Inherited from %1").arg(state_.origin));
}

/// Of a value of the document: whether it changes what it inherits.
void FieldRow::showReplaced(bool isNarrow) {
  origin_->setToolTip(replacedText(state_.replaced.toStdString(), state_.replacedFrom.toStdString(),
                                   state_.repeats));
  const bool isBase = field_.key == "base";
  if (isBase || (state_.replacedFrom.isEmpty() && !state_.repeats)) return origin_->setText({});
  if (isNarrow) return origin_->setText(state_.repeats ? QStringLiteral("=") : QStringLiteral("≠"));
  origin_->setText(state_.repeats ? tr("no change") : tr("not %1").arg(state_.replaced));
}

void FieldRow::resizeEvent(QResizeEvent*) {
  name_->setFixedWidth(std::min(scaledPx(kNameWidthPx), static_cast<int>(width() * kNameFraction)));
  showOrigin();
}

void FieldRow::flash() {
  isFlashing_ = true;
  update();
  QTimer::singleShot(kFlashMilliseconds, this, [this] {
    isFlashing_ = false;
    update();
  });
}

/// Values set in the document have a bold name and a bar at the left, faint where the value would
/// be the same without.
void FieldRow::colourLabel() { setRole(name_, state_.value.isGiven ? "given" : "muted"); }

void FieldRow::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (isFlashing_) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.selection);
    painter.drawRoundedRect(rect(), 4, 4);
  }
  if (!state_.value.isGiven && state_.error.isEmpty()) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(!isEnabled()              ? theme.textFaint
                   : !state_.error.isEmpty() ? theme.error
                   : state_.repeats          ? theme.textFaint
                                             : theme.accent);
  painter.drawRoundedRect(QRectF(2, 5, 3, height() - 10), 1.5, 1.5);
}

void FieldRow::enterEvent(QEnterEvent*) { Q_EMIT pointedAt(); }

void FieldRow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) {
    Q_EMIT pointedAt();
    Q_EMIT focused();
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace lockstep::widgets
