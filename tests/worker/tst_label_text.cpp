#include <QTest>
#include <memory>

#include "engine/worker/font_list.h"
#include "engine/worker/label_text.h"
#include "tests/support/test_main.h"
#include "tests/worker/fonts_of_test.h"

using namespace lockstep;
using tests::FontsOfTest;
using worker::FontList;
using worker::Ink;
using worker::LabelText;

namespace {

constexpr int kHeightPx = 20;

std::string bytes(const char8_t* text) { return reinterpret_cast<const char*>(text); }

/// The columns of ink from the first to the last that has any.
std::vector<std::vector<std::uint8_t>> columnsOf(const Ink& ink) {
  std::vector<std::vector<std::uint8_t>> columns;
  std::size_t used = 0;
  for (int x = 0; x < ink.width; ++x) {
    std::vector<std::uint8_t> column;
    for (int y = 0; y < ink.height; ++y)
      column.push_back(ink.coverage[static_cast<std::size_t>(y * ink.width + x)]);
    const bool hasInk = std::ranges::any_of(column, [](int value) { return value > 0; });
    if (hasInk || !columns.empty()) columns.push_back(std::move(column));
    if (hasInk) used = columns.size();
  }
  columns.resize(used);
  return columns;
}

}  // namespace

class TstLabelText : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<FontsOfTest> fonts_;
  std::unique_ptr<FontList> list_;
  std::unique_ptr<LabelText> text_;

  std::vector<std::vector<std::uint8_t>> columns(const char8_t* text) {
    const auto ink = text_->draw(bytes(text));
    return ink ? columnsOf(*ink) : std::vector<std::vector<std::uint8_t>>();
  }
  bool begins(const char8_t* whole, const char8_t* part) {
    const auto all = columns(whole), first = columns(part);
    return !first.empty() && first.size() < all.size() &&
           std::equal(first.begin(), first.end(), all.begin());
  }
  bool ends(const char8_t* whole, const char8_t* part) {
    const auto all = columns(whole), last = columns(part);
    return !last.empty() && last.size() < all.size() &&
           std::equal(last.rbegin(), last.rend(), all.rbegin());
  }

 private Q_SLOTS:
  void init() {
    if (!FontsOfTest::isInstalled()) QSKIP("needs fonts-dejavu-core");
    fonts_ = std::make_unique<FontsOfTest>(FontsOfTest::Fonts::DejaVu);
    list_ = std::make_unique<FontList>();
    text_ = std::make_unique<LabelText>(*list_, kHeightPx);
  }
  void cleanup() {
    text_.reset();
    list_.reset();
    fonts_.reset();
  }

  void scriptsOfTheFontAreDrawn_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("latin") << QByteArray("person");
    QTest::newRow("accents") << QByteArray("Löffel für Crème brûlée");
    QTest::newRow("combining accent") << QByteArray("cafe\u0301");
    QTest::newRow("greek") << QByteArray("άνθρωπος");
    QTest::newRow("cyrillic") << QByteArray("человек");
    QTest::newRow("arabic") << QByteArray("شخص");
    QTest::newRow("hebrew") << QByteArray("אדם");
    QTest::newRow("several") << QByteArray("cup κύπελλο כוס чашка 12");
    QTest::newRow("line's end") << QByteArray("two\nlines");
  }
  void scriptsOfTheFontAreDrawn() {
    QFETCH(QByteArray, text);
    const auto ink = text_->draw(text.toStdString());
    QVERIFY(ink);
    QCOMPARE(ink->coverage.size(), static_cast<std::size_t>(ink->width * ink->height));
    QVERIFY(columnsOf(*ink).size() > 20);
    QVERIFY(ink->height >= kHeightPx && ink->height < 2 * kHeightPx);
    QVERIFY(ink->baseline > ink->height / 2 && ink->baseline < ink->height);
  }

  void textWithMissingGlyphsIsNotDrawn_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("chinese") << QByteArray("人");
    QTest::newRow("devanagari") << QByteArray("व्यक्ति");
    QTest::newRow("one of many") << QByteArray("person 人");
    QTest::newRow("no UTF-8") << QByteArray("per\xffson");
    QTest::newRow("half a character") << QByteArray("\xd0");
    QTest::newRow("nothing") << QByteArray("");
    QTest::newRow("spaces") << QByteArray("  ");
  }
  void textWithMissingGlyphsIsNotDrawn() {
    QFETCH(QByteArray, text);
    QVERIFY(!text_->draw(text.toStdString()));
  }

  void withoutAnyFontNothingIsDrawn() {
    const FontsOfTest none(FontsOfTest::Fonts::None);
    QVERIFY(!LabelText(FontList(), kHeightPx).draw("person"));
  }

  void lettersKeepTheirOrder() {
    QVERIFY(begins(u8"Hi", u8"H"));
    QVERIFY(ends(u8"Hi", u8"i"));
  }

  void rightToLeftTextStartsAtTheRight() {
    QVERIFY(ends(u8"אב", u8"א"));
    QVERIFY(begins(u8"אב", u8"ב"));
    QVERIFY(ends(u8"אב H", u8"אב"));  // the first letter's direction is the line's
    QVERIFY(begins(u8"H אב", u8"H"));
    QVERIFY(ends(u8"H אב", u8"א"));
  }

  void digitsKeepTheirOrderInRightToLeftText() {
    QVERIFY(begins(u8"אב 12", u8"12"));
    QVERIFY(ends(u8"אב 12", u8"אב"));
    QVERIFY(ends(u8"H 12", u8"12"));
  }

  void arabicLettersJoin() {
    const auto apart = columns(u8"ل").size() + columns(u8"ا").size();
    QVERIFY(columns(u8"لا").size() > 0);
    QVERIFY(columns(u8"لا").size() < apart);
    // In the middle of a word a letter has another shape than alone.
    const auto alone = columns(u8"ه");
    const auto word = columns(u8"ههه");
    QVERIFY(std::search(word.begin(), word.end(), alone.begin(), alone.end()) == word.end());
  }

  void heightFollowsTheSize() {
    const int width = text_->draw("person")->width;
    QVERIFY(LabelText(*list_, 2 * kHeightPx).draw("person")->width > 1.8 * width);
  }
};

LOCKSTEP_TEST(TstLabelText)
#include "tst_label_text.moc"
