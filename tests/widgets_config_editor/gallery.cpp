/// Writes screenshots of the Configure page for review: gallery_config_editor EXPERIMENT
/// OUT_FOLDER.

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTimer>
#include <cstdio>

#include "widgets/config_editor/config_editor.h"
#include "widgets/language.h"
#include "widgets/theme.h"

namespace {

using namespace lockstep;

void settle(widgets::ConfigEditor& editor) {
  QCoreApplication::processEvents();
  QEventLoop loop;
  QTimer::singleShot(10000, &loop, &QEventLoop::quit);
  QObject::connect(&editor, &widgets::ConfigEditor::ready, &loop, &QEventLoop::quit);
  if (!editor.isReady()) loop.exec();
  QCoreApplication::processEvents();
}

void save(widgets::ConfigEditor& editor, const QString& folder, const QString& name) {
  settle(editor);
  const QString path = QDir(folder).filePath(name);
  editor.grab().save(path);
  std::printf("%s\n", qPrintable(path));
}

void makePictures(const QString& text, const QString& filePath, const QString& folder) {
  widgets::ThemeSwitch theme;
  for (const bool isDark : {true, false}) {
    theme.setMode(isDark ? widgets::ThemeSwitch::Mode::Dark : widgets::ThemeSwitch::Mode::Light);
    const QString prefix = isDark ? QStringLiteral("dark-") : QStringLiteral("light-");
    QElapsedTimer timer;
    timer.start();
    widgets::ConfigEditor editor;
    std::printf("made in %lld ms\n", static_cast<long long>(timer.elapsed()));
    editor.resize(1365, 800);
    editor.show();
    save(editor, folder, prefix + QStringLiteral("empty.png"));
    timer.restart();
    editor.setDocument(text, filePath);
    editor.setImageCounts(60, 12);
    settle(editor);
    std::printf("document shown in %lld ms\n", static_cast<long long>(timer.elapsed()));
    save(editor, folder, prefix + QStringLiteral("whole.png"));
    editor.goToKey(QStringLiteral("solver.base_lr"));
    config::Experiment other;
    other.solver.schedule = config::Schedule::Cosine;
    editor.setComparison(QStringLiteral("droplets-r18"), other);
    save(editor, folder, prefix + QStringLiteral("solver.png"));
    QString faulty = text;
    faulty.replace(QStringLiteral("max_steps:"), QStringLiteral("max_step:"));
    faulty.replace(QStringLiteral("base_lr: "), QStringLiteral("base_lr: -"));
    faulty += QStringLiteral("augment:\n  horizontal_flip: maybe\n");
    editor.setDocument(faulty, filePath);
    editor.goToLine(35);
    save(editor, folder, prefix + QStringLiteral("faulty.png"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  lockstep::widgets::installLanguage();
  const QStringList arguments = QCoreApplication::arguments();
  QFile file(arguments.value(1));
  if (arguments.size() != 3 || !file.open(QIODevice::ReadOnly)) {
    std::fprintf(stderr, "usage: gallery_config_editor EXPERIMENT OUT_FOLDER\n");
    return 2;
  }
  QDir().mkpath(arguments[2]);
  makePictures(QString::fromUtf8(file.readAll()), arguments[1], arguments[2]);
  return 0;
}
