#include "widgets/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPalette>
#include <QScreen>
#include <QWidget>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/role.h"
#include "widgets/workbench_style.h"

// A static library's resources must be initialised, and Q_INIT_RESOURCE must be outside a
// namespace.
static void initialiseResources() { Q_INIT_RESOURCE(lockstep); }

namespace lockstep::widgets {
namespace {

Theme makeDark() {
  Theme theme;
  theme.isDark = true;
  theme.window = QColor(0x14, 0x17, 0x1c);
  theme.panel = QColor(0x1b, 0x1f, 0x26);
  theme.card = QColor(0x20, 0x25, 0x2d);
  theme.cardBorder = QColor(0x30, 0x37, 0x42);
  theme.divider = QColor(0x2a, 0x30, 0x39);
  theme.field = QColor(0x14, 0x17, 0x1c);
  theme.hover = QColor(0x27, 0x2d, 0x37);
  theme.selection = QColor(0x2a, 0x33, 0x40);
  theme.text = QColor(0xe6, 0xe9, 0xee);
  theme.textMuted = QColor(0xa3, 0xac, 0xb9);
  theme.textFaint = QColor(0x7f, 0x89, 0x97);
  theme.accent = QColor(0x4c, 0x9a, 0xff);
  theme.accentText = QColor(0x0b, 0x16, 0x27);
  theme.good = QColor(0x3f, 0xb6, 0x8b);
  theme.warning = QColor(0xf0, 0xa2, 0x3c);
  theme.error = QColor(0xf0, 0x6a, 0x62);
  theme.grid = QColor(0x2d, 0x33, 0x3d);
  theme.truePositive = QColor(0x3d, 0xa5, 0xf4);
  theme.falsePositive = QColor(0xf0, 0x80, 0x3c);
  theme.missed = QColor(0xe9, 0xc4, 0x46);
  theme.groundTruth = QColor(0xff, 0xff, 0xff);
  theme.groundTruthHalo = QColor(0x10, 0x12, 0x16);
  theme.labelGround = QColor(0x10, 0x14, 0x1a, 225);
  theme.syntaxKey = QColor(0x7c, 0xb7, 0xff);
  theme.syntaxString = QColor(0x8c, 0xd0, 0xa8);
  theme.syntaxNumber = QColor(0xf2, 0xb3, 0x6b);
  theme.syntaxComment = QColor(0x84, 0x8e, 0x9c);
  return theme;
}

Theme makeLight() {
  Theme theme;
  theme.isDark = false;
  theme.window = QColor(0xee, 0xf0, 0xf4);
  theme.panel = QColor(0xf8, 0xf9, 0xfb);
  theme.card = QColor(0xff, 0xff, 0xff);
  theme.cardBorder = QColor(0xd5, 0xda, 0xe2);
  theme.divider = QColor(0xdd, 0xe1, 0xe8);
  theme.field = QColor(0xff, 0xff, 0xff);
  theme.hover = QColor(0xec, 0xef, 0xf4);
  theme.selection = QColor(0xdf, 0xea, 0xfa);
  theme.text = QColor(0x1a, 0x20, 0x2a);
  theme.textMuted = QColor(0x55, 0x60, 0x70);
  theme.textFaint = QColor(0x79, 0x84, 0x93);
  theme.accent = QColor(0x17, 0x66, 0xd6);
  theme.accentText = QColor(0xff, 0xff, 0xff);
  theme.good = QColor(0x0b, 0x7d, 0x58);
  theme.warning = QColor(0x9c, 0x5b, 0x00);
  theme.error = QColor(0xc0, 0x2b, 0x24);
  theme.grid = QColor(0xe6, 0xe9, 0xee);
  theme.truePositive = QColor(0x00, 0x72, 0xb2);
  theme.falsePositive = QColor(0xd5, 0x5e, 0x00);
  theme.missed = QColor(0xe6, 0x9f, 0x00);
  theme.groundTruth = QColor(0xff, 0xff, 0xff);
  theme.groundTruthHalo = QColor(0x10, 0x12, 0x16);
  theme.labelGround = QColor(0x10, 0x14, 0x1a, 225);
  theme.syntaxKey = QColor(0x0b, 0x56, 0xb3);
  theme.syntaxString = QColor(0x0b, 0x6e, 0x4f);
  theme.syntaxNumber = QColor(0x9a, 0x4b, 0x00);
  theme.syntaxComment = QColor(0x66, 0x70, 0x7e);
  return theme;
}

double channelLuminance(double value) {
  return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * channelLuminance(color.redF()) + 0.7152 * channelLuminance(color.greenF()) +
         0.0722 * channelLuminance(color.blueF());
}

// Based on the Okabe-Ito palette. There are six: a seventh could not keep its distance from the
// others under every kind of colour blindness and 3:1 contrast with the background.
constexpr int kColors = 6;

const std::array<QColor, kColors>& runColors(const Theme& theme) {
  static const std::array<QColor, kColors> kLight{
      QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00), QColor(0x05, 0xa8, 0x5c),
      QColor(0xb1, 0x65, 0x8c), QColor(0x22, 0x26, 0x2c), QColor(0x61, 0x57, 0x41)};
  static const std::array<QColor, kColors> kDark{
      QColor(0x4c, 0x9a, 0xff), QColor(0xf0, 0x80, 0x3c), QColor(0x3f, 0xd4, 0x9b),
      QColor(0xd9, 0x86, 0xb8), QColor(0xe6, 0xe9, 0xee), QColor(0xff, 0xd2, 0x3c)};
  return theme.isDark ? kDark : kLight;
}

std::size_t styleRow(int index) { return static_cast<std::size_t>(std::max(index, 0)); }

/// Of the desktop's font, which may have been chosen in pixels.
double desktopPoints() {
  const QFont font = QApplication::font();
  return font.pointSizeF() > 0 ? font.pointSizeF() : QFontInfo(font).pointSizeF();
}

double pointsOf(int size) {
  constexpr double kLeastPoints = 7.5;
  return std::max(kLeastPoints, desktopPoints() * size / kDesktopFontSize);
}

bool isDarkPalette(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128;
}

}  // namespace

const Theme& lightTheme() {
  static const Theme theme = makeLight();
  return theme;
}

const Theme& darkTheme() {
  static const Theme theme = makeDark();
  return theme;
}

const Theme& currentTheme() {
  return isDarkPalette(QGuiApplication::palette()) ? darkTheme() : lightTheme();
}

RunStyle runStyle(int index, const Theme& theme) {
  // No pattern looks like the dots of validation losses.
  static const std::array<QVector<qreal>, kRunStyles / kColors> kDashes{
      QVector<qreal>{}, QVector<qreal>{6, 2.5}, QVector<qreal>{3, 1.6},
      QVector<qreal>{7, 2, 1.5, 2}};
  const std::size_t row = styleRow(index);
  // Solid until the colours repeat, then the next dash, because dashes hide the shape of a line.
  const std::size_t dash = row / kColors % kDashes.size();
  return {runColors(theme)[row % kColors], kDashes[dash]};
}

QColor heldOutColor(int index, const Theme& theme) {
  constexpr std::size_t kBlue = 0, kVermilion = 1;
  return runColors(theme)[styleRow(index) % kColors == kVermilion ? kBlue : kVermilion];
}

QFont monoFont(int size) {
  QFont font;
  font.setFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"),
                    QStringLiteral("Menlo"), QStringLiteral("Consolas"),
                    QStringLiteral("monospace")});
  font.setStyleHint(QFont::Monospace);
  font.setPointSizeF(pointsOf(size));
  return font;
}

QFont interfaceFont(int size, QFont::Weight weight) {
  QFont font = QApplication::font();
  font.setPointSizeF(pointsOf(size));
  font.setWeight(weight);
  return font;
}

int scaledPx(int px) {
  constexpr double kPointsPerInch = 72;
  const double desktopPx =
      desktopPoints() * QGuiApplication::primaryScreen()->logicalDotsPerInchY() / kPointsPerInch;
  return std::max(px, static_cast<int>(std::lround(px * desktopPx / kDesktopFontSize)));
}

double contrastRatio(const QColor& first, const QColor& second) {
  const double a = luminance(first), b = luminance(second);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QColor blend(const QColor& from, const QColor& to, double fraction) {
  return QColor::fromRgbF(from.redF() + (to.redF() - from.redF()) * fraction,
                          from.greenF() + (to.greenF() - from.greenF()) * fraction,
                          from.blueF() + (to.blueF() - from.blueF()) * fraction);
}

QPalette paletteOf(const Theme& theme) {
  QPalette palette;
  palette.setColor(QPalette::Window, theme.window);
  palette.setColor(QPalette::WindowText, theme.text);
  palette.setColor(QPalette::Base, theme.field);
  palette.setColor(QPalette::AlternateBase, theme.panel);
  palette.setColor(QPalette::Text, theme.text);
  palette.setColor(QPalette::PlaceholderText, theme.textFaint);
  palette.setColor(QPalette::Button, theme.card);
  palette.setColor(QPalette::ButtonText, theme.text);
  palette.setColor(QPalette::BrightText, theme.error);
  palette.setColor(QPalette::ToolTipBase, theme.field);
  palette.setColor(QPalette::ToolTipText, theme.text);
  palette.setColor(QPalette::Highlight, theme.accent);
  palette.setColor(QPalette::HighlightedText, theme.accentText);
  palette.setColor(QPalette::Link, theme.accent);
  palette.setColor(QPalette::LinkVisited, theme.accent);
  palette.setColor(QPalette::Light, theme.cardBorder);
  palette.setColor(QPalette::Midlight, theme.cardBorder);
  palette.setColor(QPalette::Mid, theme.divider);
  palette.setColor(QPalette::Dark, theme.divider);
  palette.setColor(QPalette::Shadow, theme.window);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, theme.textFaint);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.selection);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, theme.textMuted);
  return palette;
}

ThemeSwitch::ThemeSwitch(QObject* parent) : QObject(parent) {
  initialiseResources();
  qApp->installEventFilter(this);
  QApplication::setStyle(new WorkbenchStyle);  // which the application owns
}

void ThemeSwitch::setMode(Mode mode) {
  mode_ = mode;
  apply();
  Q_EMIT themeChanged();
}

bool ThemeSwitch::eventFilter(QObject* watched, QEvent* event) {
  // Qt posts ThemeChange to each window when the desktop's colours change.
  if (event->type() == QEvent::ThemeChange && mode_ == Mode::System && !applying_) {
    apply();
    Q_EMIT themeChanged();
  }
  return QObject::eventFilter(watched, event);
}

void ThemeSwitch::apply() {
  applying_ = true;
  bool dark = mode_ == Mode::Dark;
  if (mode_ == Mode::System) {
    QApplication::setPalette(QPalette());  // the desktop's palette, to read it
    dark = isDarkPalette(QGuiApplication::palette());
  }
  const Theme& theme = dark ? darkTheme() : lightTheme();
  QApplication::setPalette(paletteOf(theme));
  // Qt posts it to the windows.
  QCoreApplication::sendPostedEvents(nullptr, QEvent::ApplicationPaletteChange);
  for (QWidget* widget : QApplication::allWidgets())
    if (widget->testAttribute(Qt::WA_WState_Polished)) applyRole(widget);
  applying_ = false;
}

}  // namespace lockstep::widgets
