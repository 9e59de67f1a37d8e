#include "widgets/config_editor/field_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/config_editor/field_words.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNameWidthPx = 158, kOriginWidthPx = 104, kMarkPx = 5;
constexpr int kFlashMilliseconds = 900;

}  // namespace

FieldRow::FieldRow(const config::Field& field, std::function<QString()> folder, QWidget* parent)
    : QWidget(parent), field_(field) {
  buildUi(std::move(folder));
  connect(editor_, &FieldEditor::edited, this, &FieldRow::edited);
  connect(reset_, &QToolButton::clicked, this, &FieldRow::resetRequested);
}

void FieldRow::buildUi(std::function<QString()> folder) {
  const QString help = QString::fromStdString(field_.key) % QStringLiteral("\n") %
                       QString::fromStdString(field_.help) % QStringLiteral("\n") % factsOf(field_);
  name_ = new QLabel(labelOf(field_.key));
  name_->setFixedWidth(kNameWidthPx);
  name_->setToolTip(help);
  editor_ = makeFieldEditor(field_, std::move(folder), this);
  editor_->setToolTip(help);
  editor_->setAccessibleName(name_->text());
  name_->setBuddy(editor_);
  if (QWidget* input = editor_->focusProxy()) {
    input->setAccessibleName(QString::fromStdString(field_.key));
    input->installEventFilter(this);
  }
  origin_ = new QLabel;
  origin_->setFixedWidth(kOriginWidthPx);
  origin_->setFont(interfaceFont(11));
  setRole(origin_, "faint");
  reset_ = new QToolButton;
  reset_->setText(QStringLiteral("↺"));
  reset_->setAccessibleName(tr("Reset %1").arg(name_->text()));
  reset_->setFixedSize(24, 24);
  reset_->setStyleSheet(QStringLiteral("padding: 0;"));
  setRole(reset_, "quiet");
  QSizePolicy keepsPlace = reset_->sizePolicy();
  keepsPlace.setRetainSizeWhenHidden(true);
  reset_->setSizePolicy(keepsPlace);
  reset_->hide();
  fault_ = new QLabel;
  fault_->setWordWrap(true);
  fault_->setFont(interfaceFont(11));
  fault_->setContentsMargins(kNameWidthPx + 8, 0, 0, 3);
  setRole(fault_, "error");
  fault_->hide();

  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(name_);
  row->addWidget(editor_, 1);
  row->addWidget(origin_);
  row->addWidget(reset_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kMarkPx + 7, 1, 4, 1);
  column->setSpacing(1);
  column->addLayout(row);
  column->addWidget(fault_);
  colourLabel();
}

void FieldRow::setState(const State& state) {
  const bool givenChanges = state.value.isGiven != state_.value.isGiven;
  state_ = state;
  editor_->showValue(state.value);
  origin_->setText(origin_->fontMetrics().elidedText(state.origin, Qt::ElideLeft, kOriginWidthPx));
  origin_->setToolTip(state.origin.isEmpty() ? QString()
                                             : tr("Inherited from %1").arg(state.origin));
  reset_->setVisible(state.value.isGiven);
  reset_->setToolTip(
      tr("Take this line out of the file, so that the inherited value or the default (%1) holds")
          .arg(QString::fromStdString(field_.defaultText())));
  fault_->setText(state.fault);
  fault_->setVisible(!state.fault.isEmpty());
  if (givenChanges) colourLabel();
  update();
}

bool FieldRow::matches(const QStringList& words) const {
  const QString all = QString::fromStdString(field_.key) % QLatin1Char(' ') % name_->text() %
                      QLatin1Char(' ') % QString::fromStdString(field_.help);
  for (const QString& word : words) {
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

void FieldRow::flash() {
  isFlashing_ = true;
  update();
  QTimer::singleShot(kFlashMilliseconds, this, [this] {
    isFlashing_ = false;
    update();
  });
}

/// Values the document gives stand out by weight and by the bar at the left.
void FieldRow::colourLabel() {
  name_->setFont(interfaceFont(12, state_.value.isGiven ? QFont::DemiBold : QFont::Normal));
  setRole(name_, state_.value.isGiven ? "given" : "muted");
}

void FieldRow::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (isFlashing_) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.selection);
    painter.drawRoundedRect(rect(), 4, 4);
  }
  if (!state_.value.isGiven && state_.fault.isEmpty()) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(state_.fault.isEmpty() ? theme.accent : theme.error);
  painter.drawRoundedRect(QRectF(2, 5, 3, height() - 10), 1.5, 1.5);
}

void FieldRow::enterEvent(QEnterEvent*) { Q_EMIT pointedAt(); }

void FieldRow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) Q_EMIT pointedAt();
  return QWidget::eventFilter(watched, event);
}

}  // namespace lockstep::widgets
