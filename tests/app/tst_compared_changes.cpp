// Files that change on the disk while Compare shows what they have.
#include "app/compare/compared_side.h"
#include "tests/app/compare_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::kDataset;
using tests::kOfFirst;
using tests::kOfSecond;

class TstComparedChanges : public tests::CompareBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void resultsThatChangeOnTheDiskAreReadAgain() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->openResults({write("theirs.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY(page_->results()->second.stats != page_->results()->first.stats);
    write("theirs.json", kOfFirst);  // in its place
    const QString changed = QStringLiteral("B has changed on the disk and was read again");
    QTRY_VERIFY2(page_->results() && page_->verdict().contains(changed),
                 qPrintable(page_->verdict()));
    QCOMPARE(page_->results()->second.stats, page_->results()->first.stats);
    QVERIFY(!page_->verdict().contains(QStringLiteral("A has changed")));
  }

  void whatARunReadsIsReadAgain() {
    showTwo();
    const run_folder::Layout layout(runs_.back()->folder().toStdString());
    std::ofstream(layout.predictionsOfPart(40, "val"))
        << R"({"image_ids": [3, 5], "detections": )" << kOfFirst << "}";
    const QString changed = QStringLiteral("B has changed on the disk and was read again");
    QTRY_VERIFY2(page_->results() && page_->verdict().contains(changed),
                 qPrintable(page_->verdict()));
    QCOMPARE(page_->results()->second.stats, page_->results()->first.stats);
    QByteArray other = kDataset;
    write("val.json", other.replace("\"id\": 4, \"image_id\": 5", "\"id\": 4, \"image_id\": 3"));
    QTRY_VERIFY2(page_->results() && page_->verdict().contains(QStringLiteral("A has changed")),
                 qPrintable(page_->verdict()));
    const auto set =
        coco::Dataset::load(parent_->filePath(QStringLiteral("val.json")).toStdString());
    QCOMPARE(
        page_->results()->first.stats,
        coco::evaluate(set, coco::parseDetections(kOfFirst, "made"), coco::IouType::Box).stats);
  }

  /// Where nothing tells of changes, such as on disks of other machines.
  void allIsReadAgainByAKey() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->openResults({write("theirs.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    write("theirs.json", kOfFirst);
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_F5);
    QVERIFY(!page_->results());
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->second.stats, page_->results()->first.stats);
  }

  void aFailureIsForgottenWithItsFile() {
    app::ComparedSide side;
    side.setResults(
        {parent_->filePath(QStringLiteral("nowhere.json")), write("val.json", kDataset)});
    QTRY_VERIFY(!side.failure().isEmpty());
    side.setRun(nullptr);
    QVERIFY(side.failure().isEmpty());
  }

  void masksOfARunThatCannotBeComparedAreNamedAndReadAgain() {
    QByteArray masks = kDataset;
    masks.replace("\"iscrowd\": 0",
                  "\"iscrowd\": 0, \"segmentation\": [[2, 2, 12, 2, 12, 12, 2, 12]]");
    const QString annotations = write("val.json", masks);
    const char* const whole = R"([
      {"image_id": 5, "category_id": 1, "score": 0.9, "segmentation": {"size": [40, 40], "counts": "0Pb1"}}])";
    addRun("one", whole, annotations, true);
    addRun("other", R"([
      {"image_id": 5, "category_id": 1, "score": 0.9, "segmentation": {"size": [20, 30], "counts": "0hb0"}}])",
           annotations, true);
    show();
    QTRY_VERIFY2(page_->verdict().startsWith(
                     QStringLiteral("B cannot be compared: it has masks of 30x20 in an image of "
                                    "40x40 (b.png, image 5).")),
                 qPrintable(page_->verdict()));
    const run_folder::Layout layout(runs_.back()->folder().toStdString());
    std::ofstream(layout.predictionsOfPart(40, "val"))
        << R"({"image_ids": [3, 5], "detections": )" << whole << "}";
    QTest::mouseClick(button("Read again"), Qt::LeftButton);
    QTRY_VERIFY(page_->results() && page_->isReady());
  }
};

LOCKSTEP_TEST(TstComparedChanges)
#include "tst_compared_changes.moc"
