#include <QApplication>
#include <QTest>
#include <set>

#include "tests/support/test_main.h"
#include "widgets/icon.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

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

  void runColoursStandOutAndRepeatWithAnotherDash() {
    for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
      std::set<std::pair<QString, QString>> styles;
      for (int i = 0; i < 24; ++i) {
        const RunStyle style = runStyle(i, *theme);
        QVERIFY2(contrastRatio(style.color, theme->card) >= 3, qPrintable(style.color.name()));
        QString dashes;
        for (qreal dash : style.dashes) dashes += QString::number(dash) + QLatin1Char(' ');
        styles.insert({style.color.name(), dashes});
      }
      QCOMPARE(styles.size(), std::size_t{24});
    }
  }

  void theSheetNamesNoColourThatIsNotThere() {
    for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
      const QString sheet = styleSheetOf(*theme);
      QVERIFY(!sheet.contains(QLatin1Char('@')));
      QVERIFY(!sheet.contains(QStringLiteral(": ;")) && !sheet.contains(QStringLiteral("solid ;")));
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

  void everyIconIsThere() {
    ThemeSwitch theme;
    for (const char* name :
         {"play", "pause", "stop", "fit", "more", "search", "folder", "close", "expand"})
      QVERIFY2(!icon(QString::fromLatin1(name), Qt::red).isNull(), name);
  }
};

LOCKSTEP_TEST(TstTheme)
#include "tst_theme.moc"
