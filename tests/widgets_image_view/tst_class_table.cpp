#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/image_view/class_model.h"
#include "widgets/image_view/class_table.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstClassTable : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  ClassTable* classes() { return view_->findChild<ClassTable*>(); }
  QString row(int at) {
    QStringList texts;
    for (int column = 0; column < ClassModel::kColumns; ++column)
      texts << classes()->model()->index(at, column).data().toString();
    return texts.join(QLatin1Char(' '));
  }
  QString className(int place) {
    return QString::fromStdString(dataset_->categories()[static_cast<std::size_t>(place)].name);
  }
  void click(int at) {
    const QModelIndex index = classes()->model()->index(at, 0);
    classes()->scrollTo(index);
    QTest::mouseClick(classes()->viewport(), Qt::LeftButton, {},
                      classes()->visualRect(index).center());
  }
  QComboBox* classCombo() {
    for (auto* combo : view_->findChildren<QComboBox*>())
      if (combo->accessibleName() == QStringLiteral("Class on the images shown")) return combo;
    return nullptr;
  }

 private Q_SLOTS:
  void init() {
    openPage();
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
  }

  void theModelPassesQtsModelTester() {
    ClassModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setClasses(dataset_->categories());
    model.setFigures({{dataset_->categories()[0].id, 1, 2, {3, 4, 5}, 0.5}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, ClassModel::Ap).data().toString(), QStringLiteral("–"));
    model.setClasses({});
    QCOMPARE(model.rowCount(), 0);
  }

  void itHasTheFiguresOfEachClassAtTheThresholds() {
    // Class 1: two found before one false positive; class 2: one of two. On two images each.
    QCOMPARE(row(0), className(0) + QStringLiteral(" 2 2 2 1 0 1.000"));
    QCOMPARE(row(1), className(1) + QStringLiteral(" 2 2 1 0 1 0.505"));
    panel()->stepScore(35);
    QTRY_COMPARE(row(0), className(0) + QStringLiteral(" 2 2 1 0 1 0.505"));
    QCOMPARE(row(1), className(1) + QStringLiteral(" 2 2 0 0 2 0.000"));
  }

  void aTitleSorts() {
    QHeaderView* header = classes()->horizontalHeader();
    const auto clickTitle = [&] {
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        {header->sectionViewportPosition(ClassModel::Ap) + 5, 5});
    };
    clickTitle();
    const QString first = row(0);
    clickTitle();
    QCOMPARE(row(1), first);
    QVERIFY(row(0) != first);
  }

  void theOrderIsKept() {
    QSignalSpy changed(view_.get(), &PredictionsView::viewStateChanged);
    classes()->sortByColumn(ClassModel::Ap, Qt::DescendingOrder);
    QVERIFY(changed.count() > 0);
    const QVariantMap kept = view_->viewState();
    classes()->sortByColumn(ClassModel::Name, Qt::AscendingOrder);
    view_->restoreViewState(kept);
    QCOMPARE(classes()->horizontalHeader()->sortIndicatorSection(), int{ClassModel::Ap});
    QCOMPARE(classes()->horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
  }

  void aClickShowsTheImagesOfAClassAndAnotherAllOfThem() {
    click(1);
    QTRY_COMPARE(classCombo()->currentText(), className(1));
    click(1);
    QTRY_COMPARE(classCombo()->currentIndex(), 0);
    classes()->setFocus();
    QTest::keyClick(classes(), Qt::Key_Down);
    QTest::keyClick(classes(), Qt::Key_Return);
    QTRY_VERIFY(classCombo()->currentIndex() > 0);
    classCombo()->setCurrentIndex(0);  // there and here are the same choice
    QVERIFY(!classes()->currentIndex().isValid());
  }
};

LOCKSTEP_TEST(TstClassTable)
#include "tst_class_table.moc"
