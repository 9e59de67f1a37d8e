#include <QTest>

#include "engine/worker/label_places.h"
#include "tests/support/test_main.h"

using namespace lockstep::worker;

namespace {

constexpr PixelRect kFull{0, 0, 60, 12}, kShort{0, 0, 24, 12};

LabelRequest request(PixelRect object) { return {object, {kFull, kShort}}; }

QString text(const std::optional<LabelPlacement>& place) {
  if (!place) return QStringLiteral("none");
  const PixelRect& r = place->rect;
  return QStringLiteral("variant %1 at %2, %3").arg(place->variant).arg(r.x).arg(r.y);
}

}  // namespace

class TstLabelPlaces : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void labelsArePlacedAboveElseBelowElseInside_data() {
    QTest::addColumn<int>("x");
    QTest::addColumn<int>("y");
    QTest::addColumn<int>("height");
    QTest::addColumn<QString>("place");
    QTest::newRow("above") << 50 << 40 << 80 << QStringLiteral("variant 0 at 50, 28");
    QTest::newRow("below") << 50 << 5 << 80 << QStringLiteral("variant 0 at 50, 85");
    QTest::newRow("inside") << 50 << 0 << 200 << QStringLiteral("variant 0 at 50, 0");
    QTest::newRow("at the right border")
        << 180 << 40 << 80 << QStringLiteral("variant 0 at 140, 28");
    QTest::newRow("beyond the left") << -9 << 40 << 80 << QStringLiteral("variant 0 at 0, 28");
  }
  void labelsArePlacedAboveElseBelowElseInside() {
    QFETCH(int, x);
    QFETCH(int, y);
    QFETCH(int, height);
    QFETCH(QString, place);
    QCOMPARE(text(placeLabels(200, 200, {request({x, y, 100, height})}).front()), place);
  }

  void labelsDoNotOverlap() {
    const PixelRect object{20, 60, 100, 100};
    const auto places = placeLabels(200, 200, {request(object), request(object), request(object)});
    QCOMPARE(text(places[0]), QStringLiteral("variant 0 at 20, 48"));
    QCOMPARE(text(places[1]), QStringLiteral("variant 0 at 20, 160"));
    QCOMPARE(text(places[2]), QStringLiteral("variant 0 at 20, 60"));
  }

  void aLabelDoesNotHideAnObject() {
    // Small objects are above and below it.
    const PixelRect object{20, 60, 60, 30}, above{50, 46, 20, 14}, below{50, 90, 20, 14};
    const auto places = placeLabels(200, 200, {request(object), {above, {}}, {below, {}}});
    QCOMPARE(text(places[0]), QStringLiteral("variant 1 at 20, 48"));  // the short variant fits
  }

  void crowdedObjectsHaveNoLabel() {
    std::vector<LabelRequest> crowd;
    for (int y = 0; y < 200; y += 10)
      for (int x = 0; x < 200; x += 10) crowd.push_back(request({x, y, 10, 10}));
    for (const auto& place : placeLabels(200, 200, crowd)) QCOMPARE(text(place), QString("none"));
  }

  void aLabelWiderThanTheImageIsShortened() {
    QCOMPARE(text(placeLabels(40, 200, {request({0, 50, 40, 40})}).front()),
             QStringLiteral("variant 1 at 0, 38"));
  }
};

LOCKSTEP_TEST(TstLabelPlaces)
#include "tst_label_places.moc"
