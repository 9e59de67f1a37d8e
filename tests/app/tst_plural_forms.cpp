#include <QCoreApplication>
#include <QFile>
#include <QTest>
#include <QXmlStreamReader>

#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

namespace {

/// A count as %n, or as %Ln with separators of thousands.
QString withCount(QString form, const char* grouped, const char* plain) {
  return form.replace(QLatin1String("%Ln"), QLatin1String(grouped))
      .replace(QLatin1String("%n"), QLatin1String(plain));
}

}  // namespace

class TstPluralForms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Each text of lockstep_en.ts, as the program says it.
  void oneIsSingularAndManyArePlural() {
    QFile file(QString::fromStdString(
        (lockstep::tests::sourceFolder() / "resources/translations/lockstep_en.ts").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&file);
    QByteArray context, source;
    QStringList forms;
    int count = 0;
    while (!xml.atEnd()) {
      xml.readNext();
      if (xml.isStartElement() && xml.name() == QLatin1String("name"))
        context = xml.readElementText().toUtf8();
      if (xml.isStartElement() && xml.name() == QLatin1String("source"))
        source = xml.readElementText().toUtf8();
      if (xml.isStartElement() && xml.name() == QLatin1String("numerusform"))
        forms << xml.readElementText();
      if (!xml.isEndElement() || xml.name() != QLatin1String("message")) continue;
      const auto said = [&](int n) {
        return QCoreApplication::translate(context.constData(), source.constData(), "", n);
      };
      QCOMPARE(forms.size(), 2);
      QCOMPARE(said(1), withCount(forms[0], "1", "1"));
      QCOMPARE(said(0), withCount(forms[1], "0", "0"));
      QCOMPARE(said(1234), withCount(forms[1], "1,234", "1234"));
      forms.clear();
      ++count;
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(count > 0);
  }
};

LOCKSTEP_TEST(TstPluralForms)
#include "tst_plural_forms.moc"
