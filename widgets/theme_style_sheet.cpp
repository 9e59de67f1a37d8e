#include <QHash>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

// @name is a colour of the theme; @v is the theme's variant in resources/icons.
const char* const kAreas = R"css(
QMainWindow, QWidget#pages { background: @window; }
QMainWindow::separator { background: @divider; width: 1px; height: 1px; }
QWidget#topBar { background: @panel; border-bottom: 1px solid @divider; }
QDockWidget { color: @textMuted; }
QDockWidget > QWidget { background: @panel; }
QStatusBar { background: @panel; border-top: 1px solid @divider; color: @textMuted; }
QStatusBar::item { border: none; }
QFrame[role="card"] { background: @card; border: 1px solid @cardBorder; border-radius: 8px; }
QFrame[role="panel"], QWidget[role="panel"] { background: @panel; }
QFrame[role="divider"] { background: @divider; border: none; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QSplitter::handle { background: @divider; }
QToolTip { background: @field; color: @text; border: 1px solid @cardBorder; padding: 4px 6px; }
QDialog#question { background: @panel; border: 1px solid @cardBorder; }
QFrame#banner { background: @card; border: 1px solid @accent; border-radius: 8px; margin: 12px 16px 0 16px; }
QFrame#banner[kind="error"] { border-color: @error; }
QFrame#banner[kind="warning"] { border-color: @warning; }
QLabel#bannerIcon { background: @accent; color: @card; border-radius: 10px; font-weight: 700; }
QLabel#bannerIcon[kind="error"] { background: @error; }
QLabel#bannerIcon[kind="warning"] { background: @warning; }
)css";

const char* const kTexts = R"css(
QLabel { background: transparent; }
QLabel[role="heading"] { font-size: 13px; font-weight: 600; color: @text; }
QLabel[role="section"] { font-size: 12px; font-weight: 600; color: @textMuted; }
QLabel[role="given"] { font-weight: 600; }
QLabel[role="muted"] { color: @textMuted; }
QLabel[role="faint"] { color: @textFaint; }
QLabel[role="mono"] { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; font-size: 12px; }
QLabel[role="number"] { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; font-size: 18px; }
QLabel[role="error"] { color: @error; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="good"] { color: @good; }
QLabel:disabled { color: @textFaint; }
)css";

const char* const kButtons = R"css(
QPushButton, QToolButton { background: @card; color: @text; border: 1px solid @cardBorder; border-radius: 6px;
  padding: 5px 12px; }
QToolButton { padding: 4px 8px; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @selection; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @textFaint; background: @panel; border-color: @divider; }
QPushButton:checked, QToolButton:checked { background: @selection; border-color: @accent; }
QPushButton[role="primary"] { background: @accent; color: @accentText; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentHover; }
QPushButton[role="primary"]:focus { border: 1px solid @text; }
QPushButton[role="primary"]:disabled { background: @selection; color: @textFaint; border-color: @selection; }
QPushButton[role="danger"] { color: @error; }
QPushButton[role="quiet"], QToolButton[role="quiet"] { background: transparent; border-color: transparent; color: @textMuted; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover { background: @hover; color: @text; }
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus { border-color: @accent; }
QToolButton[role="quiet"]:checked, QPushButton[role="quiet"]:checked { background: @selection; color: @text; border-color: transparent; }
QPushButton[role="link"], QToolButton[role="link"] { background: transparent; border: none; color: @accent; padding: 2px; }
QToolButton[role="icon"] { background: transparent; border: 1px solid transparent; padding: 1px; }
QToolButton[role="icon"]:hover, QToolButton[role="icon"]:checked { background: @hover; }
QToolButton[role="icon"]:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }
)css";

const char* const kInputs = R"css(
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit { background: @field; color: @text;
  border: 1px solid @cardBorder; border-radius: 6px; padding: 4px 8px; selection-background-color: @accent;
  selection-color: @accentText; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit[invalid="true"], QSpinBox[invalid="true"], QDoubleSpinBox[invalid="true"], QComboBox[invalid="true"] { border-color: @error; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled { color: @textFaint; background: @panel; }
QTextEdit#messageText { background: transparent; border: none; padding: 0; color: @textMuted; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-@v.svg); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @card; border: 1px solid @cardBorder; selection-background-color: @selection;
  selection-color: @text; outline: none; padding: 2px; }
QSpinBox::up-button, QDoubleSpinBox::up-button { border: none; width: 16px; subcontrol-position: top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button { border: none; width: 16px; subcontrol-position: bottom right; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(:/icons/chevron-up-@v.svg); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(:/icons/chevron-down-@v.svg); width: 10px; height: 10px; }
QCheckBox, QRadioButton { background: transparent; spacing: 7px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @textFaint; border-radius: 3px; background: @field; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-@v.svg); }
QCheckBox:focus { color: @accent; }
QSlider { background: transparent; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: @cardBorder; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: @accent; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: @handle; }
QSlider::handle:horizontal:focus { background: @accent; border: 2px solid @handle; width: 10px; height: 10px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:disabled, QSlider::sub-page:horizontal:disabled { background: @textFaint; }
QProgressBar { background: @cardBorder; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: @good; border-radius: 2px; }
)css";

// A tab has the same width selected or not, so the bar is laid out once.
const char* const kViews = R"css(
QAbstractItemView { background: @panel; border: none; outline: none; selection-background-color: @selection;
  selection-color: @text; }
QHeaderView::section { background: @panel; color: @textMuted; border: none; padding: 4px 6px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: margin; subcontrol-position: top center;
  width: 8px; height: 6px; }
QTableView { gridline-color: @divider; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @textMuted; padding: 9px 14px 8px 14px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @accent; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar[role="small"]::tab { padding: 5px 10px 4px 10px; }
QTabWidget::pane { border: none; }
QMenu { background: @card; color: @text; border: 1px solid @cardBorder; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @textFaint; }
QMenu::separator { height: 1px; background: @divider; margin: 4px 6px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @cardBorder; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @textFaint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)css";

QHash<QString, QString> colorNames(const Theme& theme) {
  return {{QStringLiteral("window"), theme.window.name()},
          {QStringLiteral("panel"), theme.panel.name()},
          {QStringLiteral("card"), theme.card.name()},
          {QStringLiteral("cardBorder"), theme.cardBorder.name()},
          {QStringLiteral("divider"), theme.divider.name()},
          {QStringLiteral("field"), theme.field.name()},
          {QStringLiteral("hover"), theme.hover.name()},
          {QStringLiteral("selection"), theme.selection.name()},
          {QStringLiteral("text"), theme.text.name()},
          {QStringLiteral("textMuted"), theme.textMuted.name()},
          {QStringLiteral("textFaint"), theme.textFaint.name()},
          {QStringLiteral("accent"), theme.accent.name()},
          {QStringLiteral("accentText"), theme.accentText.name()},
          {QStringLiteral("accentHover"), blend(theme.accent, theme.text, 0.15).name()},
          {QStringLiteral("good"), theme.good.name()},
          {QStringLiteral("warning"), theme.warning.name()},
          {QStringLiteral("error"), theme.error.name()},
          {QStringLiteral("handle"), theme.isDark ? theme.text.name() : theme.accent.name()},
          {QStringLiteral("v"), theme.isDark ? QStringLiteral("dark") : QStringLiteral("light")}};
}

}  // namespace

QColor blend(const QColor& from, const QColor& to, double fraction) {
  return QColor::fromRgbF(from.redF() + (to.redF() - from.redF()) * fraction,
                          from.greenF() + (to.greenF() - from.greenF()) * fraction,
                          from.blueF() + (to.blueF() - from.blueF()) * fraction);
}

QString styleSheetOf(const Theme& theme) {
  const QHash<QString, QString> names = colorNames(theme);
  const QString source = QString::fromLatin1(kAreas) + QLatin1String(kTexts) +
                         QLatin1String(kButtons) + QLatin1String(kInputs) + QLatin1String(kViews);
  QString result;
  result.reserve(source.size() + 1024);
  for (qsizetype at = 0; at < source.size();) {
    if (source[at] != QLatin1Char('@')) {
      result += source[at++];
      continue;
    }
    qsizetype end = ++at;
    while (end < source.size() && source[end].isLetter()) ++end;
    result += names.value(source.mid(at, end - at));
    at = end;
  }
  return result;
}

}  // namespace lockstep::widgets
