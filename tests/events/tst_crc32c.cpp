#include <QTest>
#include <random>
#include <string>

#include "engine/base/crc32c.h"
#include "engine/events/record_frame.h"
#include "tests/support/test_main.h"

using lockstep::base::crc32c;
using lockstep::base::crc32cByTables;
using lockstep::events::maskCrc;

namespace {

/// Bit by bit from the definition.
std::uint32_t plainCrc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

}  // namespace

class TstCrc32c : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void publishedVectorsHold();
  void maskedVectorsOfTensorBoardHold();
  void everyLengthAndAlignmentEqualsTheDefinition();
};

void TstCrc32c::publishedVectorsHold() {
  QCOMPARE(crc32c("123456789"), 0xe3069283U);
  QCOMPARE(crc32c(""), 0U);
  // RFC 3720, B.4
  QCOMPARE(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  QCOMPARE(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  QCOMPARE(crc32c(rising), 0x46dd794eU);
}

void TstCrc32c::maskedVectorsOfTensorBoardHold() {
  const std::string lengthOf24 = std::string(1, '\x18') + std::string(7, '\0');
  QCOMPARE(maskCrc(crc32c(lengthOf24)), 0x224b7fa3U);
  const std::string version(
      "\x09\x00\x00\x80\x38\x99\xd6\xd7\x41\x1a\x0d"
      "brain.Event:2",
      24);
  QCOMPARE(maskCrc(crc32c(version)), 0xab364b12U);
}

void TstCrc32c::everyLengthAndAlignmentEqualsTheDefinition() {
  std::mt19937 random(5);
  std::string bytes(200, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; size + begin <= bytes.size(); ++size) {
      const std::string_view part = std::string_view(bytes).substr(begin, size);
      QCOMPARE(crc32c(part), plainCrc32c(part));
      QCOMPARE(crc32cByTables(part), plainCrc32c(part));
      const std::size_t half = size / 2;
      QCOMPARE(crc32c(part.substr(half), crc32c(part.substr(0, half))), plainCrc32c(part));
    }
  }
}

LOCKSTEP_TEST(TstCrc32c)
#include "tst_crc32c.moc"
