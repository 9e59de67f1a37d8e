#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <QVector>

class QPalette;
class QWidget;

/// Views only: they get data by setters or models and emit requests as signals. They use no file,
/// process or socket.
namespace lockstep::widgets {

/// Every colour of the window. Widgets that paint themselves read currentTheme() while painting;
/// those that keep colours (plots, the text editor) read it again in changeEvent() on
/// QEvent::PaletteChange, which each widget gets after a switch.
struct Theme {
  bool isDark = true;
  QColor window;                               ///< behind the pages
  QColor panel;                                ///< top bar, docks, side columns
  QColor card;                                 ///< cards and raised areas
  QColor cardBorder;                           ///< 1 px around cards and fields
  QColor divider;                              ///< 1 px between areas
  QColor field;                                ///< inside of inputs and tooltips
  QColor hover;                                ///< row or button under the pointer
  QColor selection;                            ///< selected row
  QColor text;                                 ///< values and titles
  QColor textMuted;                            ///< labels, units, second lines (>= 4.5:1 on card)
  QColor textFaint;                            ///< disabled, axis ticks (>= 3:1 on card)
  QColor accent;                               ///< primary button, active tab, focus ring
  QColor accentText;                           ///< on accent
  QColor good;                                 ///< running, best, progress
  QColor warning;                              ///< alerts, stopped, overridden
  QColor error;                                ///< errors, failed
  QColor grid;                                 ///< grid lines of plots
  QColor truePositive, falsePositive, missed;  ///< boxes and masks: solid, dashed, dotted
  QColor groundTruth, groundTruthHalo;         ///< double line: halo outside, line inside
  QColor labelGround;                          ///< behind light text on a picture, in both themes
  // YAML text
  QColor syntaxKey, syntaxString, syntaxNumber, syntaxComment;
};

const Theme& lightTheme();
const Theme& darkTheme();
/// The theme of the application's palette. GUI thread.
const Theme& currentTheme();

/// Colour and dash of a run, distinguishable with every kind of colour blindness.
struct RunStyle {
  QColor color;
  QVector<qreal> dashes;  ///< in pen widths; empty: solid
};
/// Number of different styles; after that they repeat.
inline constexpr int kRunStyles = 24;
RunStyle runStyle(int index, const Theme& theme);
/// Colour of a held-out loss beside another figure of a run in style `index`: vermilion, or blue if
/// the run is vermilion. Both are distinguishable from the other colours.
QColor heldOutColor(int index, const Theme& theme);

/// The size of fonts and the lengths that go with them are written as they are where the desktop's
/// font, QApplication::font(), is 13 px high; they grow with that font.
inline constexpr int kDesktopFontSize = 13;
/// Monospaced, for numbers, steps, paths and YAML. In points.
QFont monoFont(int size = 12);
/// In the desktop's family. In points.
QFont interfaceFont(int size = kDesktopFontSize, QFont::Weight weight = QFont::Normal);
/// A length around text, in logical pixels; never less than `px`.
int scaledPx(int px);

/// `fraction` of the way from one opaque colour to another, 0 … 1.
QColor blend(const QColor& from, const QColor& to, double fraction);
/// WCAG contrast of two opaque colours, 1 … 21.
double contrastRatio(const QColor& first, const QColor& second);
QPalette paletteOf(const Theme& theme);

/// Gives the application its style, and a theme; Mode::System follows the desktop's.
class ThemeSwitch : public QObject {
  Q_OBJECT

 public:
  enum class Mode { System, Light, Dark };
  explicit ThemeSwitch(QObject* parent = nullptr);

  Mode mode() const { return mode_; }
  void setMode(Mode mode);

 Q_SIGNALS:
  void themeChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void apply();

  Mode mode_ = Mode::System;
  bool applying_ = false;
};

}  // namespace lockstep::widgets
