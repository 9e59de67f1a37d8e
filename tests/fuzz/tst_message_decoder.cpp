#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/fuzz/check_messages.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/message_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Choices;

class TstMessageDecoder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    tests::allowFuzzingTime();
    file_ = folder_.filePath(QStringLiteral("line")).toStdString();
    for (const auto& [name, line] : tests::fuzzCorpus("messages")) lines_.push_back(line);
    for (const protocol::Work& work : tests::sampleWorks())
      add(protocol::SupervisorMessage(protocol::Job{tests::kSamplePlacement, work}));
    for (const protocol::Action& action : tests::sampleActions())
      add(protocol::SupervisorMessage(protocol::Control{"1", action}));
    for (const protocol::Result& result : tests::sampleResults())
      add(protocol::WorkerMessage(protocol::Finished{6, true, result}));
  }

  void theCorpusPasses() {
    const std::string failures =
        tests::failuresOfInputs(check(tests::checkDecoders), tests::fuzzCorpus("messages"));
    QVERIFY2(failures.empty(), failures.c_str());
  }

  void damagedLinesDecodeOrAreErrors() {
    const std::string failures =
        tests::failuresOf(check(tests::checkDecoders), tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }

  void streamsAreSplitIntoLines() {
    tests::ReadingCheck reading = check(tests::checkLineBuffer);
    reading.name = "stream";
    reading.damage = [this](Choices& choices) { return stream(choices); };
    const std::string failures = tests::failuresOf(reading, tests::chosenVariants(60));
    QVERIFY2(failures.empty(), failures.c_str());
  }

 private:
  void add(const auto& message) { lines_.push_back(protocol::encode(message)); }
  tests::ReadingCheck check(void (*function)(std::string_view)) {
    tests::ReadingCheck reading{"line",
                                file_,
                                {},
                                [this](Choices& choices) { return damagedLine(choices); },
                                [this, function] { function(base::readFile(file_)); }};
    reading.namesFile = false;
    return reading;
  }

  /// Mostly a line whose members are not what they should be, sometimes under another's type.
  std::string damagedLine(Choices& choices) const {
    const std::string& line = choices.of(lines_);
    if (!choices.oneIn(5)) return tests::damagedJson(line, choices);
    auto message = nlohmann::json::parse(line, nullptr, false);
    const auto other = nlohmann::json::parse(choices.of(lines_), nullptr, false);
    if (!message.is_object() || !other.is_object() || !other.contains("type")) return line;
    message["type"] = other["type"];
    if (choices.oneIn(2)) message.update(other);
    return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  /// Lines and newlines, and up to 1 MiB of one byte (checkLineBuffer).
  std::string stream(Choices& choices) const {
    std::string bytes;
    for (std::size_t i = 1 + choices.below(12); i > 0; --i) {
      if (choices.oneIn(3)) bytes += static_cast<char>(0xf8 + choices.below(8));
      if (choices.oneIn(2)) bytes += choices.of(lines_);
      if (!choices.oneIn(3)) bytes += '\n';
    }
    return choices.oneIn(4) ? tests::damagedBytes(bytes, choices) : bytes;
  }

  QTemporaryDir folder_;
  std::filesystem::path file_;
  std::vector<std::string> lines_;
};

LOCKSTEP_TEST(TstMessageDecoder)
#include "tst_message_decoder.moc"
