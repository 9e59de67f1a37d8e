#include <QTest>
#include <iterator>

#include "engine/base/enum_text.h"
#include "engine/base/open_enum.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

enum class Split { Train, Val };
constexpr auto enumTexts(Split) {
  using enum Split;
  return std::to_array<base::EnumText<Split>>({{Train, "train"}, {Val, "val"}});
}

}  // namespace

class TstEnumText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyValueHasItsText() {
    QCOMPARE(std::size(base::kEnumTexts<Split>), 2u);
    for (const auto& [value, text] : base::kEnumTexts<Split>) {
      QCOMPARE(base::textOf(value), text);
      QVERIFY(base::parseEnum<Split>(text) == value);
    }
    static_assert(base::parseEnum<Split>("val") == Split::Val);
  }

  void unknownStringsAreNullopt() {
    for (const char* text : {"", "Val", "va", "val ", "test"})
      QVERIFY(!base::parseEnum<Split>(text));
  }

  void anOpenEnumKeepsAnUnknownString() {
    const base::OpenEnum<Split> known("val"), other("test"), none;
    QVERIFY(known == Split::Val && known != Split::Train && known.value() == Split::Val);
    QCOMPARE(known.text(), std::string("val"));
    QVERIFY(!other.value() && other != Split::Val && !other.isEmpty());
    QCOMPARE(other.text(), std::string("test"));
    QVERIFY(none.isEmpty() && none != Split::Train && none != other);
    QCOMPARE(none.text(), std::string());
  }
};

LOCKSTEP_TEST(TstEnumText)
#include "tst_enum_text.moc"
