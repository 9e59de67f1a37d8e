#include <QComboBox>
#include <QTest>
#include <memory>
#include <vector>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/comparison/recall_view.h"

using namespace lockstep;
using widgets::RecallView;

class TstRecallView : public QObject {
  Q_OBJECT

 private:
  tests::MadePairs made_{4};

  std::shared_ptr<const widgets::MatchedPair> pairOf(const coco::Dataset& dataset) const {
    return std::make_shared<const widgets::MatchedPair>(
        dataset, made_.first, made_.second, widgets::MatchRules{coco::IouType::Box}, 0.5);
  }

 private Q_SLOTS:
  void aWantedClassOutlivesAPairThatLacksIt() {
    coco::Dataset other = made_.dataset;
    std::vector<coco::Category> renamed = other.categories();
    for (coco::Category& category : renamed) category.name += " of another file";
    other.replaceCategories(renamed, [](std::vector<coco::Annotation>&) {});
    const QString first = QString::fromStdString(made_.dataset.categories()[0].name);
    RecallView view;
    view.setPair(pairOf(made_.dataset), 0.5);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTest::keyClick(view.findChild<QComboBox*>(), Qt::Key_Down);
    QCOMPARE(view.shownClass(), first);
    view.setPair(pairOf(other), 0.5);
    QCOMPARE(view.shownClass(), QStringLiteral("All classes, pooled"));
    view.setPair(nullptr, 0);
    QCOMPARE(view.wantedClass(), first);
    view.setPair(pairOf(made_.dataset), 0.5);
    QCOMPARE(view.shownClass(), first);
  }
};

LOCKSTEP_TEST(TstRecallView)
#include "tst_recall_view.moc"
