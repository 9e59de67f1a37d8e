#include <QTest>

#include "engine/base/pattern.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::Pattern;

namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

class TstPattern : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Groups of `new RegExp(pattern).exec(text)` in a browser.
  void syntaxIsThatOfEcmaScript_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("groups");
    const auto row = [](const char* pattern, const char* text, const QStringList& groups) {
      QTest::newRow(pattern) << QString::fromLatin1(pattern) << QString::fromLatin1(text) << groups;
    };
    const auto list = [](std::initializer_list<const char*> texts) {
      QStringList all;
      for (const char* text : texts) all << QString::fromLatin1(text);
      return all;
    };
    row("layer[34]", "body.layer3.conv", list({"layer3"}));
    row("video(\\d+)", "set/video12/frame3.png", list({"video12", "12"}));
    row("(a)|(b)", "b", list({"b", "", "b"}));
    row("^(?!.*bn)", "conv1", list({""}));
    row("^(?!.*bn)", "bn1", {});
    row("(x)\\1", "axx", list({"xx", "x"}));
    row("[[:digit:]]+?", "a12", list({"1"}));
    row("\\u0041\\x42", "AB", list({"AB"}));
    row("a.c", "a\nc", {});
    row("b$", "b\n", {});
    row("[^]", "\n", list({"\n"}));
  }
  void syntaxIsThatOfEcmaScript() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(QStringList, groups);
    QStringList found;
    for (const std::string& group : Pattern(pattern.toStdString()).find(text.toStdString()))
      found << QString::fromStdString(group);
    QCOMPARE(found, groups);
  }

  void allOfATextIsMatched() {
    const Pattern pattern("(train|val)([0-9.]*)");
    QCOMPARE(pattern.groupsOf("val2017"), (std::vector<std::string>{"val2017", "val", "2017"}));
    QVERIFY(!pattern.matches("my val2017"));
    QVERIFY(!pattern.matches("val2017\n"));
  }

  void aFaultNamesItsPlace() {
    QCOMPARE(tests::messageOf([] { Pattern("a("); }),
             std::string("missing closing parenthesis (at character 2)"));
  }

  /// Patterns that overflow the stack, or take minutes or gigabytes, without limits.
  void hostilePatternsAreRefused_data() {
    QTest::addColumn<QByteArray>("pattern");
    const auto row = [](const char* name, const std::string& pattern) {
      QTest::newRow(name) << QByteArray::fromStdString(pattern);
    };
    row("20,000 nested groups", repeated("(", 20'000) + repeated(")", 20'000));
    row("1,000 nested groups", repeated("(", 1'000) + "a" + repeated(")", 1'000));
    row("nested look-aheads", repeated("(?=", 1'000) + repeated(")", 1'000));
    row("a million letters", repeated("a", 1'000'000));
    row("nested counts", "((((a{1,100}){1,100}){1,100}){1,100})");
    row("a long count", "((a?){9999}){9999}");
  }
  void hostilePatternsAreRefused() {
    QFETCH(QByteArray, pattern);
    QVERIFY(!tests::messageOf([&] { Pattern{pattern.toStdString()}; }).empty());
  }

  void theirLengthIsLimited() {
    const auto problemOf = [](int letters) {
      return tests::messageOf([=] { Pattern{repeated("a", letters)}; });
    };
    QCOMPARE(problemOf(10'000), std::string());
    QVERIFY(problemOf(10'001).find("10000") != std::string::npos);
  }

  /// Exponential time, and a long text whose recursion would use a stack frame per letter.
  void matchesEnd() {
    const std::string text = repeated("a", 60);
    const std::string message = tests::messageOf([&] { Pattern("(a+)+$").find(text + "b"); });
    QVERIFY2(message.starts_with("'(a+)+$' cannot be matched with 'aaaa") &&
                 message.ends_with("; write it without nested repetitions"),
             message.c_str());
    QCOMPARE(Pattern("(a+)+$").find(text).front(), text);
    const std::string longText = repeated("ab", 1'000'000);
    QCOMPARE(Pattern("[ab]*b$").find(longText).front(), longText);
    QVERIFY(!tests::messageOf([&] { Pattern("(?:a|b)*$").find(longText); }).empty());
  }
};

LOCKSTEP_TEST(TstPattern)
#include "tst_pattern.moc"
