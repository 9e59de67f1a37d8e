#include <QByteArray>
#include <QTest>

#include "engine/base/free_memory.h"
#include "tests/support/test_main.h"
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HAS_ALLOCATOR_OF_GLIBC
#include <malloc.h>
#endif

using namespace lockstep;

class TstFreeMemory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Also once one was freed, after which the allocator would keep others of its size.
  void aLargeBlockIsReturnedAsSoonAsItIsFreed() {
#ifdef HAS_ALLOCATOR_OF_GLIBC
    constexpr qsizetype kBytes = 3 << 20;
    const auto mappedBytes = [] { return static_cast<qsizetype>(::mallinfo2().hblkhd); };
    base::returnLargeBlocks();
    QByteArray(kBytes, 'a').clear();
    const qsizetype before = mappedBytes();
    QByteArray block(kBytes, 'a');
    QVERIFY(mappedBytes() >= before + kBytes);
    block = QByteArray();
    QCOMPARE(mappedBytes(), before);
#else
    QSKIP("needs the allocator of glibc");
#endif
  }
};

LOCKSTEP_TEST(TstFreeMemory)
#include "tst_free_memory.moc"
