#include <QApplication>
#include <QGenericMatrix>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "tests/support/test_main.h"
#include "widgets/icon.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

namespace {

using Triple = std::array<double, 3>;

double linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// Linear RGB as seen with a colour blindness.
Triple seen(const QColor& color, const QGenericMatrix<3, 3, double>& vision) {
  const Triple rgb{linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
  Triple result{};
  for (int row = 0; row < 3; ++row) {
    double sum = 0;
    for (int column = 0; column < 3; ++column) sum += vision(row, column) * rgb[column];
    result[row] = std::clamp(sum, 0.0, 1.0);
  }
  return result;
}

/// CIE 1976 of linear sRGB under D65.
Triple lab(const Triple& rgb) {
  const auto curve = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = curve((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
  const double y = curve(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
  const double z = curve((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double labDistance(const Triple& a, const Triple& b) {
  const Triple one = lab(a), other = lab(b);
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

}  // namespace

class TstTheme : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textIsReadable_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void textIsReadable() {
    QFETCH(bool, dark);
    const Theme& theme = dark ? darkTheme() : lightTheme();
    for (const QColor& ground :
         {theme.window, theme.panel, theme.card, theme.field, theme.selection, theme.hover}) {
      QVERIFY(contrastRatio(theme.text, ground) >= 7);
      QVERIFY2(contrastRatio(theme.textMuted, ground) >= 4.5, qPrintable(ground.name()));
    }
    QVERIFY(contrastRatio(theme.textFaint, theme.card) >= 3);
    QVERIFY(contrastRatio(theme.accentText, theme.accent) >= 4.5);
    for (const QColor& color : {theme.good, theme.warning, theme.error})
      QVERIFY(contrastRatio(color, theme.card) >= 4.5);
    for (const QColor& color :
         {theme.syntaxKey, theme.syntaxString, theme.syntaxNumber, theme.syntaxComment})
      QVERIFY2(contrastRatio(color, theme.field) >= 4.5, qPrintable(color.name()));
  }

  void runColoursHaveContrastAndRepeatWithAnotherDash() {
    for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
      std::set<std::pair<QString, QString>> styles;
      for (int i = 0; i < kRunStyles; ++i) {
        const RunStyle style = runStyle(i, *theme);
        QVERIFY2(contrastRatio(style.color, theme->card) >= 3, qPrintable(style.color.name()));
        QString dashes;
        for (qreal dash : style.dashes) dashes += QString::number(dash) + QLatin1Char(' ');
        styles.insert({style.color.name(), dashes});
      }
      QCOMPARE(styles.size(), std::size_t{kRunStyles});
    }
  }

  /// One of the colours of runs, so that it is distinguishable with every colour blindness.
  void aHeldOutCurveHasAnotherRunsColour() {
    for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
      std::set<QString> colors;
      for (int i = 0; i < kRunStyles; ++i) colors.insert(runStyle(i, *theme).color.name());
      for (int i = 0; i < kRunStyles; ++i) {
        const QColor heldOut = heldOutColor(i, *theme);
        QVERIFY(heldOut != runStyle(i, *theme).color);
        QVERIFY(colors.count(heldOut.name()));
      }
    }
  }

  void onlyARepeatedColourIsDashed() {
    std::set<QString> seenColors;
    for (int i = 0; i < kRunStyles; ++i) {
      const RunStyle style = runStyle(i, lightTheme());
      QCOMPARE(style.dashes.isEmpty(), seenColors.insert(style.color.name()).second);
    }
  }

  void runColoursDifferForEveryEye_data() {
    // Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
    QTest::addColumn<QGenericMatrix<3, 3, double>>("vision");
    const auto row = [](const char* name, std::array<double, 9> values) {
      QTest::newRow(name) << QGenericMatrix<3, 3, double>(values.data());
    };
    row("usual", {1, 0, 0, 0, 1, 0, 0, 0, 1});
    row("protanopia", {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
                       -0.048116, 1.051998});
    row("deuteranopia", {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
                         0.042940, 0.968881});
    row("tritanopia", {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
                       0.691367, 0.303900});
  }
  void runColoursDifferForEveryEye() {
    using Matrix = QGenericMatrix<3, 3, double>;
    QFETCH(Matrix, vision);
    constexpr double kApart = 18;  // in CIELAB, where 2.3 is a just noticeable difference
    for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
      std::set<QString> names;
      std::vector<QColor> colors;
      for (int i = 0; i < kRunStyles; ++i) {
        const QColor color = runStyle(i, *theme).color;
        if (names.insert(color.name()).second) colors.push_back(color);
      }
      QVERIFY(colors.size() > 5);
      for (std::size_t a = 0; a < colors.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
          const double apart = labDistance(seen(colors[a], vision), seen(colors[b], vision));
          QVERIFY2(apart >= kApart,
                   qPrintable(colors[a].name() + QLatin1Char(' ') + colors[b].name() +
                              QLatin1Char(' ') + QString::number(apart)));
        }
    }
  }

  void switchingChangesTheCurrentTheme() {
    ThemeSwitch theme;
    theme.setMode(ThemeSwitch::Mode::Dark);
    QVERIFY(currentTheme().isDark);
    theme.setMode(ThemeSwitch::Mode::Light);
    QVERIFY(!currentTheme().isDark);
    theme.setMode(ThemeSwitch::Mode::System);
    QVERIFY(!currentTheme().isDark);  // offscreen has a light palette
  }

  void everyIconExists() {
    ThemeSwitch theme;
    for (const char* name :
         {"play", "pause", "stop", "fit", "more", "search", "folder", "close", "expand"})
      QVERIFY2(!icon(QString::fromLatin1(name), Qt::red).isNull(), name);
  }
};

LOCKSTEP_TEST(TstTheme)
#include "tst_theme.moc"
