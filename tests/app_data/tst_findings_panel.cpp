#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <vector>

#include "tests/support/test_main.h"
#include "widgets/dataset_view/dataset_view.h"
#include "widgets/dataset_view/findings_panel.h"

using namespace lockstep;
using dataset_check::Finding;
using dataset_check::FindingKind;
using dataset_check::Part;
using widgets::FindingsPanel;

class TstFindingsPanel : public QObject {
  Q_OBJECT

 private:
  static bool says(const QWidget& part, const QString& text) {
    for (const QLabel* label : part.findChildren<QLabel*>())
      if (label->text().contains(text)) return true;
    return false;
  }
  static bool offersCleaning(const FindingsPanel& panel) {
    for (const QPushButton* button : panel.findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Export cleaned…")) return !button->isHidden();
    return false;
  }

 private Q_SLOTS:
  void theFaultsOfTheOtherPartAreSaid() {
    const std::vector<Finding> findings{{.kind = FindingKind::BoxEmpty, .part = Part::Val},
                                        {.kind = FindingKind::MaskEmpty, .part = Part::Val},
                                        {.kind = FindingKind::EmptyImage, .part = Part::Val}};
    FindingsPanel panel;
    panel.setFindings(findings, Part::Train);
    QCOMPARE(panel.faultCount(), 0);
    QVERIFY(says(panel, QStringLiteral("0 errors (●), 2 in the validation set")));
    QVERIFY(offersCleaning(panel));
    panel.setFindings(findings, Part::Val);
    QCOMPARE(panel.faultCount(), 2);
    QVERIFY(says(panel, QStringLiteral("2 errors (●); 1 warning (▲)")));
    QVERIFY(offersCleaning(panel));
  }

  void theActionExportsWhereTheButtonDoes() {
    widgets::DatasetView view;
    auto* panel = view.findChild<FindingsPanel*>();
    auto* action = view.findChild<QAction*>(QStringLiteral("data.clean"));
    QVERIFY(panel && action);
    QSignalSpy asked(&view, &widgets::DatasetView::cleaningRequested);
    panel->setFindings({{.kind = FindingKind::BoxEmpty, .part = Part::Val}}, Part::Train);
    QVERIFY(offersCleaning(*panel));
    action->trigger();
    QCOMPARE(asked.count(), 1);
    panel->setFindings({{.kind = FindingKind::EmptyImage, .part = Part::Val}}, Part::Train);
    QVERIFY(!offersCleaning(*panel));
    action->trigger();
    QCOMPARE(asked.count(), 1);
    QVERIFY(says(view, QStringLiteral("nothing to fix")));
  }

  void wherePartsAreWithoutFaultsNothingIsOffered() {
    FindingsPanel panel;
    panel.setFindings({}, Part::Train);
    QVERIFY(says(panel, QStringLiteral("no errors")));
    QVERIFY(!offersCleaning(panel));
  }
};

LOCKSTEP_TEST(TstFindingsPanel)
#include "tst_findings_panel.moc"
