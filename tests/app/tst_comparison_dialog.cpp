#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/compare_dialog.h"
#include "app/configure/configure_page.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/field_row.h"

using lockstep::app::CompareDialog;
using lockstep::app::ConfigurePage;

/// The run or file that an open experiment is compared with.
class TstComparisonDialog : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  QString write(const QString& name, const QByteArray& text) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(text);
    return file.fileName();
  }

 private Q_SLOTS:
  void aRunIsFoundByItsWordsAndChosenWithReturn() {
    QPointer<CompareDialog> dialog =
        new CompareDialog({{QStringLiteral("/runs/a"), QStringLiteral("droplets-r18")},
                           {QStringLiteral("/runs/b"), QStringLiteral("droplets-r50")}});
    QSignalSpy chosen(dialog, &CompareDialog::chosen);
    dialog->show();
    QVERIFY(QTest::qWaitForWindowExposed(dialog));
    auto* search = dialog->findChild<QLineEdit*>();
    QTest::keyClicks(search, QStringLiteral("r50 drop"));
    auto* list = dialog->findChild<QListWidget*>();
    QVERIFY(list->item(0)->isHidden() && !list->item(1)->isHidden());
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front()[0].toString(), QStringLiteral("droplets-r50"));
    QCOMPARE(chosen.front()[1].toString(), QStringLiteral("/runs/b"));
    QTRY_VERIFY(!dialog);
  }

  void aFileIsReadAndItsDifferencesShown() {
    const QString data = QStringLiteral("dataset: {train: {images: ., annotations: other.yaml}}\n");
    const QString other = write(QStringLiteral("other.yaml"),
                                (data + QStringLiteral("solver: {base_lr: 0.005}\n")).toUtf8());
    const QString mine = write(QStringLiteral("mine.yaml"), data.toUtf8());
    ConfigurePage page;
    page.show();
    QVERIFY(page.open(mine));
    auto* form = page.editor()->findChild<lockstep::widgets::ConfigForm*>();
    QTRY_VERIFY(page.editor()->isReady());
    page.compareWith(QStringLiteral("other"), other);
    QTRY_VERIFY(form->row("solver.base_lr")->isOther());
    QVERIFY(!form->row("solver.momentum")->isOther());
  }

  void aFileThatCannotBeReadIsSaid() {
    ConfigurePage page;
    QSignalSpy failed(&page, &ConfigurePage::failed);
    page.compareWith(QStringLiteral("gone.yaml"), folder_.filePath(QStringLiteral("gone.yaml")));
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed.front()[1].toString().contains(QStringLiteral("gone.yaml")));
  }
};

LOCKSTEP_TEST(TstComparisonDialog)
#include "tst_comparison_dialog.moc"
