/// Random sequences of edits of form and text, undo and redo, with broken texts between, against a
/// slow model: the values of the parsed text. LOCKSTEP_EDIT_SEQUENCES (default 200) and
/// LOCKSTEP_EDIT_SEED (default 1) make longer ones.

#include <QDir>
#include <array>
#include <map>

#include "engine/base/atomic_file.h"
#include "engine/config/edit.h"
#include "engine/config/yaml_tree.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"

using namespace lockstep;
using config::YamlNode;
using tests::nextRandom;

namespace {

using Values = std::map<std::string, std::string>;  ///< by dotted key

constexpr int kStepsPerSequence = 14, kSequencesPerComparison = 7;
constexpr std::array kBreakers{"{", "]", "\t", "\"", ": :", "\n  x\n", "'"};

std::string plain(const YamlNode& value) {
  if (value.kind != YamlNode::Kind::List) return value.text;
  std::string all = "[";
  for (const YamlNode& item : value.items) all += plain(item) + "|";
  return all + "]";
}

void collect(const YamlNode& map, const std::string& prefix, Values& values) {
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    const std::string key = prefix + map.keys[i].text;
    if (map.items[i].kind == YamlNode::Kind::Map) {
      collect(map.items[i], key + ".", values);
    } else if (config::findField(key) != nullptr && !map.items[i].isEmptyNull()) {
      values.emplace(key, plain(map.items[i]));
    }
  }
}

/// What the document is at one place of its history.
struct State {
  std::string text;
  std::optional<Values> values;  ///< nullopt: it is no YAML
  bool isTampered = false;       ///< characters were inserted anywhere
};

State stateOf(const std::string& text, bool isTampered) {
  State state{text, {}, isTampered};
  try {
    Values values;
    collect(config::parseYaml(text), "", values);
    state.values = std::move(values);
  } catch (const config::YamlError&) {
  }
  return state;
}

/// The bytes of `before` and `after` that differ: what is between their common ends.
struct Change {
  std::size_t begin = 0, removed = 0, added = 0;
};
Change changeOf(const std::string& before, const std::string& after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  Change change;
  while (change.begin < shorter && before[change.begin] == after[change.begin]) ++change.begin;
  std::size_t tail = 0;
  while (tail < shorter - change.begin &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  change.removed = before.size() - change.begin - tail;
  change.added = after.size() - change.begin - tail;
  return change;
}

}  // namespace

class TstEditSequences : public QObject, protected tests::ConfigEditorBench {
  Q_OBJECT

 private:
  std::vector<State> history_;
  std::size_t now_ = 0;
  std::uint64_t seed_ = 1;

  std::size_t below(std::size_t limit) {
    return nextRandom(seed_) % std::max<std::size_t>(limit, 1);
  }
  std::string shown() { return yaml()->utf8(); }

  void push(State state) {
    history_.resize(now_ + 1);
    history_.push_back(std::move(state));
    ++now_;
  }

  const config::Field& anyField() { return config::fields()[below(config::fields().size())]; }

  void setAnyValue() {
    const config::Field& field = anyField();
    const std::string value = tests::randomValue(field, seed_);
    editor_->setValue(QString::fromStdString(field.key), QString::fromStdString(value));
    const State& before = history_[now_];
    const std::string after = shown();
    if (after == before.text) return checkUnchanged(field.key, value);
    QVERIFY2(before.values, after.c_str());
    Values expected = *before.values;
    expected[field.key] = plain(config::parseYamlValue(value));
    checkEdit(field.key, expected, after);
    const auto old = config::findValue(before.text, field.key);
    const bool isOneLine =
        old &&
        before.text.substr(old->begin, old->end - old->begin).find('\n') == std::string::npos;
    if (isOneLine && old->end > old->begin)
      QCOMPARE(after, before.text.substr(0, old->begin) + value + before.text.substr(old->end));
    if (!old) QCOMPARE(lostCharacters(before.text, after), std::string());
    push(stateOf(after, before.isTampered));
  }

  void removeAnyValue() {
    const State& before = history_[now_];
    std::string key = anyField().key;
    if (before.values && !before.values->empty())
      key =
          std::next(before.values->begin(), static_cast<int>(below(before.values->size())))->first;
    Q_EMIT form()->valueRemoved(QString::fromStdString(key));
    const std::string after = shown();
    if (after == before.text) return checkUnchanged(key, {});
    QVERIFY2(before.values, after.c_str());
    Values expected = *before.values;
    expected.erase(key);
    checkEdit(key, expected, after);
    push(stateOf(after, before.isTampered));
  }

  /// Characters of a text that an addition took away: a null section may become braces.
  static std::string lostCharacters(const std::string& before, const std::string& after) {
    const Change change = changeOf(before, after);
    const std::string lost = before.substr(change.begin, change.removed);
    return lost == "null" || lost == "~" ? "" : lost;
  }

  void checkUnchanged(const std::string& key, const std::string& value) {
    const State& state = history_[now_];
    if (!state.values || state.isTampered) return;  // the editor has said why it cannot
    const auto known = state.values->find(key);
    if (value.empty()) {
      QVERIFY2(known == state.values->end(), (key + " stays in\n" + state.text).c_str());
    } else {
      QVERIFY2(
          known != state.values->end() && known->second == plain(config::parseYamlValue(value)),
          (key + ": " + value + " is not in\n" + state.text).c_str());
    }
  }

  /// The values are as expected, and every comment on a line of its own is still there, but for
  /// those within the value.
  void checkEdit(const std::string& key, const Values& expected, const std::string& after) {
    const State result = stateOf(after, false);
    const std::string& before = history_[now_].text;
    QVERIFY2(result.values, (key + "\n" + before + "\n→\n" + after).c_str());
    QVERIFY2(*result.values == expected, (key + "\n" + before + "\n→\n" + after).c_str());
    const auto old = config::findValue(before, key);
    // Between a key and the end of its value, a comment is the value's.
    const std::size_t entry =
        old ? before.rfind(key.substr(key.rfind('.') + 1), old->begin) : std::string::npos;
    std::size_t begin = 0, found = 0;
    while (begin < before.size()) {
      const std::size_t end = std::min(before.find('\n', begin), before.size());
      const std::string line = before.substr(begin, end - begin);
      const std::size_t first = line.find_first_not_of(' ');
      const bool isOfValue = old && begin < old->end && end > entry;
      if (first != std::string::npos && line[first] == '#' && !isOfValue) {
        found = after.find(line, found);
        QVERIFY2(found != std::string::npos, (key + ": lost " + line + "\n" + after).c_str());
        found += line.size();
      }
      begin = end + 1;
    }
  }

  void addComment() {
    std::string text = history_[now_].text;
    const std::size_t line = text.find('\n', below(text.size()));
    text.insert(line == std::string::npos ? 0 : line + 1,
                "# note " + std::to_string(history_.size()) + "\n");
    yaml()->changeTo(text);
    push(stateOf(text, history_[now_].isTampered));
  }

  void tamper() {
    std::string text = history_[now_].text;
    std::size_t place = below(text.size() + 1);
    while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80) ++place;
    text.insert(place, kBreakers[below(kBreakers.size())]);
    yaml()->changeTo(text);
    push(stateOf(text, true));
  }

  void goBack() {
    editor_->undo();
    if (now_ > 0) --now_;
  }

  void goForward() {
    editor_->redo();
    if (now_ + 1 < history_.size()) ++now_;
  }

  void step() {
    const std::size_t kind = below(16);
    if (kind < 6) return setAnyValue();
    if (kind < 9) return removeAnyValue();
    if (kind == 9) return addComment();
    if (kind == 10) return tamper();
    if (kind < 14) return goBack();
    goForward();
  }

  void compareForm() {
    QTRY_VERIFY(editor_->isReady());
    const State& state = history_[now_];
    if (!state.values) return;
    for (const config::Field& field : config::fields()) {
      const bool isGiven = form()->row(field.key)->state().value.isGiven;
      QVERIFY2(isGiven == state.values->contains(field.key),
               (field.key + "\n" + state.text).c_str());
    }
  }

  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const auto& [name, text] : tests::handwrittenFiles()) all.push_back(text);
    for (const auto& entry : std::filesystem::directory_iterator(tests::sourceFolder() / "configs"))
      all.push_back(base::readFile(entry.path()));
    return all;
  }

 private Q_SLOTS:
  void editsAreThoseOfTheValuesAndNothingElse() {
    openWindow();
    const int sequences = qEnvironmentVariableIsSet("LOCKSTEP_EDIT_SEQUENCES")
                              ? qEnvironmentVariableIntValue("LOCKSTEP_EDIT_SEQUENCES")
                              : 200;
    if (qEnvironmentVariableIsSet("LOCKSTEP_EDIT_SEED"))
      seed_ = static_cast<std::uint64_t>(qEnvironmentVariableIntValue("LOCKSTEP_EDIT_SEED"));
    const std::vector<std::string> all = texts();
    for (int sequence = 0; sequence < sequences; ++sequence) {
      const std::uint64_t start = seed_;
      const std::string& text = all[static_cast<std::size_t>(sequence) % all.size()];
      open(QString::fromStdString(text));
      history_ = {stateOf(shown(), false)};
      now_ = 0;
      for (int i = 0; i < kStepsPerSequence && !QTest::currentTestFailed(); ++i) {
        step();
        if (!QTest::currentTestFailed()) QCOMPARE(shown(), history_[now_].text);
      }
      const bool isCompared = sequence % kSequencesPerComparison == 0;  // it waits for a check
      if (isCompared && !QTest::currentTestFailed()) compareForm();
      if (QTest::currentTestFailed())
        return qWarning("sequence %d began with seed %llu", sequence,
                        static_cast<unsigned long long>(start));
    }
  }
};

LOCKSTEP_TEST(TstEditSequences)
#include "tst_edit_sequences.moc"
