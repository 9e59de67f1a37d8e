// Edits several documents at random until it is killed, and says each edit.
// usage: edited_documents FOLDER SEED FIRST_NUMBER
#include <QCoreApplication>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/app/document_bench.h"

using namespace lockstep;

namespace {

constexpr int kTickMs = 3, kMostLines = 400;

class Editing {
 public:
  Editing(const QString& folder, unsigned seed, int first)
      : window_(folder + QStringLiteral("/state")), random_(seed), number_(first) {
    auto& document = window_.document;
    for (const char* name : {"a.yaml", "b.yaml", "c.yaml"})
      document.open(folder + QLatin1Char('/') + tests::text(name));
    const auto left = app::DraftFolder(folder + QStringLiteral("/state")).orphaned();
    const auto unnamed =
        std::ranges::find_if(left, [](const auto& each) { return each.draft.file.isEmpty(); });
    if (unnamed == left.end()) {
      document.openText({}, folder + QStringLiteral("/new.yaml"));
    } else {
      document.openDraft(unnamed->id);
    }
  }

  void act() {
    const unsigned kind = random_() % 20;
    if (kind < 3) return window_.document.showDocument(static_cast<int>(random_() % 4));
    if (kind < 4 && window_.document.hasFile()) {
      window_.document.save();
      return;
    }
    window_.shown += QStringLiteral("# %1\n").arg(++number_);
    window_.document.markEdited();
    std::printf("%d %s\n", number_, qPrintable(window_.document.name()));
    std::fflush(stdout);
  }

 private:
  tests::DocumentWindow window_;
  std::mt19937 random_;
  int number_;
};

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  const QStringList arguments = QCoreApplication::arguments();
  Editing editing(arguments.at(1), arguments.at(2).toUInt(), arguments.at(3).toInt());
  int left = kMostLines;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, [&] {
    if (left-- > 0) return editing.act();
    timer.stop();  // and waits to be killed
    std::puts(tests::kAllSaid);
    std::fflush(stdout);
  });
  timer.start(kTickMs);
  return QCoreApplication::exec();
}
