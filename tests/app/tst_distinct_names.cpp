#include <QTest>

#include "app/text/distinct_names.h"
#include "tests/support/test_main.h"

using lockstep::app::distinctNames;

class TstDistinctNames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pathsHaveTheShortestNamesThatTellThemApart_data() {
    QTest::addColumn<QString>("paths");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* name, const char* paths, const char* names) {
      QTest::newRow(name) << QString::fromLatin1(paths) << QString::fromLatin1(names);
    };
    row("alone", "/data/cars/e.yaml", "e.yaml");
    row("others", "/a/one.yaml /a/two.yaml", "one.yaml two.yaml");
    row("one folder", "/data/cars/e.yaml /data/boats/e.yaml /data/boats/f.yaml",
        "cars/e.yaml boats/e.yaml f.yaml");
    row("as many as needed", "/a/x/runs/e.yaml /a/y/runs/e.yaml /a/z/e.yaml",
        "x/runs/e.yaml y/runs/e.yaml z/e.yaml");
    row("one ends with the other", "/runs/e.yaml /x/runs/e.yaml", "/runs/e.yaml x/runs/e.yaml");
    row("equal paths", "/a/e.yaml /a/e.yaml /b/e.yaml", "a/e.yaml a/e.yaml b/e.yaml");
    row("no folder", "e.yaml /a/e.yaml", "e.yaml a/e.yaml");
    row("nothing", "", "");
  }
  void pathsHaveTheShortestNamesThatTellThemApart() {
    QFETCH(QString, paths);
    QFETCH(QString, names);
    QCOMPARE(distinctNames(paths.split(u' ')).join(u' '), names);
    QVERIFY(distinctNames({}).isEmpty());
  }
};

LOCKSTEP_TEST(TstDistinctNames)
#include "tst_distinct_names.moc"
