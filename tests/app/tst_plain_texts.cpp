// Texts of files are shown as plain text everywhere.
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/cards/tag_sections.h"
#include "app/compare/compare_page.h"
#include "app/frame/desktop_notice.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/listed_run.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/events/reader.h"
#include "engine/pack/pack_run.h"
#include "engine/protocol/event.h"
#include "engine/run_folder/run_notes.h"
#include "tests/app/fake_ssh.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "tests/support/watched_fifo.h"
#include "widgets/instances/class_name.h"

using namespace lockstep;
using app::Page;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

void append(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

protocol::Alert alertThatSays(const std::string& text) {
  protocol::Alert alert;
  alert.kind = protocol::AlertKind::LearningRateTooHigh;
  alert.severity = protocol::Severity::Warning;
  alert.text = alert.key = alert.value = text;
  alert.tags = {text, "train/loss_total"};
  alert.from = 3;
  alert.to = 9;
  return alert;
}

/// Two runs, one of another program, their data, results and an experiment file with the same text
/// in every field.
class FilesThatSay {
 public:
  explicit FilesThatSay(const std::string& text) : text_(text) {
    writeData();
    run_ = writeRun("made");
    other_ = writeRun("other");
    writeForeignRun();
    writeResults();
    writeExperiment();
  }
  QString run() const { return run_; }
  QStringList paths() const { return {run_, other_, foreign_, experiment_}; }
  /// Results, and the annotations that they are evaluated against.
  app::ResultsSource results() const {
    return {QString::fromStdString(path("results.json")), QString::fromStdString(path("val.json"))};
  }
  /// The run as one file.
  QString pack() const {
    const QString file = folder_.filePath(QStringLiteral("packed.lockstep"));
    pack::packRun(run_folder::Layout(run_.toStdString()), file.toStdString(), {});
    return file;
  }

 private:
  fs::path path(const char* name) const {
    return folder_.filePath(QLatin1String(name)).toStdString();
  }
  /// Names of files have no slash and a limited length.
  std::string nameOf(int image) const {
    std::string name = text_.substr(0, 200) + std::to_string(image) + ".png";
    std::ranges::replace(name, '/', '_');
    return name;
  }
  void writeData() const {
    json data{{"images", json::array()}, {"annotations", json::array()}};
    data["info"] = {{"description", text_}};
    data["categories"] = {{{"id", 1}, {"name", text_}, {"supercategory", text_}}};
    QImage picture(32, 32, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const int id : {3, 5}) {
      data["images"].push_back(
          {{"id", id}, {"file_name", nameOf(id)}, {"width", 32}, {"height", 32}});
      data["annotations"].push_back(
          {{"id", id},
           {"image_id", id},
           {"category_id", 1},
           {"iscrowd", 0},
           {"area", 100},
           {"bbox", {4, 4, 40, 10}},  // beyond the image
           {"segmentation", json::array({{4, 4, 14, 4, 14, 14, 4, 14}})}});
      QVERIFY(picture.save(folder_.filePath(QString::fromStdString(nameOf(id)))));
    }
    std::ofstream(path("val.json")) << data;
  }
  QString writeRun(const char* name) const {
    tests::MadeRun plan;
    plan.name = name;
    plan.valImages = plan.trainImages = folder_.path().toStdString();
    plan.valAnnotations = plan.trainAnnotations = path("val.json").string();
    plan.watchedImages = {3, 5};
    plan.keptCheckpoints = {20, 40};
    const QString run = tests::makeFailedRun(folder_.path(), plan, text_ + ": " + text_);
    const run_folder::Layout layout{run.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.name = info.host = text_;
    info.forkedFrom = run_folder::ForkedFrom{.run = "/" + text_, .step = 20};
    run_folder::writeRunInfo(layout, info);
    run_folder::RunNotes notes;
    notes.note = text_;
    notes.tags = {text_};
    run_folder::writeRunNotes(layout, notes);
    const fs::path log = events::findEventFile(layout.folder());
    using events::encodeRecord;
    append(log, encodeRecord(tests::scalarRecord(41, {{text_, 1.F}, {text_ + "/x", 2.F}})));
    for (const protocol::Event& event :
         {protocol::Event(alertThatSays(text_)), protocol::Event(protocol::Log{.text = text_}),
          protocol::Event(protocol::Checkpoint{.path = text_})})
      append(log, encodeRecord(tests::eventRecord(41, protocol::encodeEvent(event))));
    const fs::path predictions = layout.predictionsOfPart(40, "val");
    fs::create_directories(predictions.parent_path());
    std::ofstream(predictions) << R"({"image_ids": [3, 5], "detections": )" << detections() << "}";
    return run;
  }
  json detections() const {
    json found = json::array();
    for (const int id : {3, 5})
      found.push_back(
          {{"image_id", id}, {"category_id", 1}, {"score", 0.9}, {"bbox", {4, 4, 12, 10}}});
    return found;
  }
  /// A run in detectron2's format.
  void writeForeignRun() {
    foreign_ = folder_.filePath(QStringLiteral("foreign"));
    fs::create_directories(foreign_.toStdString());
    std::ofstream file(foreign_.toStdString() + "/metrics.json");
    for (const int step : {20, 40})
      file << json{{"iteration", step}, {"total_loss", 1}, {text_, 2}, {text_ + "/x", 3}} << "\n";
  }
  void writeResults() const { std::ofstream(path("results.json")) << detections(); }
  void writeExperiment() {
    experiment_ = folder_.filePath(QStringLiteral("experiment.yaml"));
    const std::string quoted = json(text_).dump();
    std::ofstream(path("experiment.yaml"))
        << "name: " << quoted << "\nsolver: {optimizer: " << quoted << ", base_lr: " << quoted
        << "}\nmodel: {weights: " << quoted << "}\ndataset:\n  val: {images: " << quoted
        << ", annotations: " << path("val.json").string() << "}\n"
        << quoted << ": 1\n";
  }

  std::string text_;
  QTemporaryDir folder_;
  QString run_, other_, foreign_, experiment_;
};

void askForTip(QWidget* widget, const QPoint& at) {
  QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QCoreApplication::sendEvent(widget, &event);
}

/// Shows the tool tips of widgets and of the rows of lists.
void showAllTips(QWidget& window) {
  QList<QPointer<QWidget>> widgets;  // a tool tip deletes the one before it
  for (auto* widget : window.findChildren<QWidget*>()) widgets << widget;
  for (const QPointer<QWidget>& widget : widgets) {
    if (!widget || !widget->isVisible()) continue;
    askForTip(widget, widget->rect().center());
    const auto* view = qobject_cast<QAbstractItemView*>(widget.data());
    if (!view || !view->model()) continue;
    for (int row = 0; row < std::min(view->model()->rowCount(), 20); ++row)
      for (int column = 0; column < view->model()->columnCount(); ++column)
        askForTip(view->viewport(), view->visualRect(view->model()->index(row, column)).center());
  }
  QToolTip::hideText();
}

/// Rich text of our own.
bool isOurs(const QLabel* label) {
  return label->window()->objectName() == QStringLiteral("shortcutSheet");
}

void verifyIsPlain(QWidget& window) {
  showAllTips(window);
  QVERIFY(!window.grab().isNull());
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    if (label && label->isVisible() && !isOurs(label))
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text().left(200)));
  }
  const QSize screen = tests::SharedWindow::kSize;
  QVERIFY2(window.width() <= screen.width() && window.height() <= screen.height(),
           qPrintable(window.objectName() + window.windowTitle()));
}

/// Shows each menu that the window has.
void verifyMenusArePlain(app::MainWindow& window) {
  for (auto* menu : window.findChildren<QMenu*>()) {
    menu->popup({0, 0});
    if (menu->isVisible()) verifyIsPlain(*menu);
    menu->close();
    if (QTest::currentTestFailed()) return;
  }
}

/// Waits for the dialog that each action opens, and closes it.
void verifyDialogsArePlain(app::MainWindow& window) {
  const auto isOpened = [&window](const QWidget* widget) {
    return widget != &window && widget->isVisible() && !widget->inherits("QTipLabel");
  };
  for (const char* id : {"window.palette", "experiment.new", "run.fork", "window.keys"}) {
    window.findChild<QAction*>(QLatin1String(id))->trigger();
    QCoreApplication::processEvents();
    QTRY_VERIFY2(std::ranges::any_of(QApplication::topLevelWidgets(), isOpened), id);
    for (QWidget* shown : QApplication::topLevelWidgets()) {
      if (!isOpened(shown)) continue;
      verifyIsPlain(*shown);
      shown->close();
    }
    if (QTest::currentTestFailed()) return;
  }
}

}  // namespace

class TstPlainTexts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void noTextOfAFileIsRich_data() {
    QTest::addColumn<std::string>("text");
    QTest::newRow("image") << std::string();
    QTest::newRow("link and table") << std::string(
        "<table border=1><tr><td><a href=\"file:///etc/passwd\">here</a></td></tr></table>");
    QTest::newRow("long") << std::string(5000, 'w');
    std::string lines;
    for (int i = 0; i < 2500; ++i) lines += "a\n";
    QTest::newRow("many lines") << lines;
    QTest::newRow("right to left") << std::string("\u202e\u05d0\u05d1\u2066gnp.exe\u202d");
    QTest::newRow("control characters") << std::string("a\x01\x1b[31m\x7f\r\n\tb\u2028c");
  }
  void noTextOfAFileIsRich() {
    QFETCH(std::string, text);
    QTemporaryDir folder;
    const tests::WatchedFifo fifo(folder.filePath(QStringLiteral("fifo")).toStdString());
    const FilesThatSay files(text.empty() ? fifo.image() : text);
    app::MainWindow& window = window_.show(files.paths());
    const QSize size(960, 600);
    window.resize(size);
    const auto look = [&](Page page) {
      window.showPage(page);
      QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), 20000);
      verifyIsPlain(window);
      QVERIFY(!fifo.wasRead());
      QCOMPARE(window.size(), size);
    };
    for (const Page page :
         {Page::Configure, Page::Monitor, Page::Predictions, Page::Data, Page::Compare})
      look(page);
    verifyMenusArePlain(window);
    verifyDialogsArePlain(window);
    window.predictionsPage()->openResults(files.results());
    look(Page::Predictions);
    window.comparePage()->openResults(files.results());
    look(Page::Compare);
  }

  /// Texts of a run on another machine, and of a run as one file.
  void noTextFromElsewhereIsRich() {
    QTemporaryDir folder;
    const tests::WatchedFifo fifo(folder.filePath(QStringLiteral("fifo")).toStdString());
    const FilesThatSay files(fifo.image());
    const tests::FakeSsh ssh(tests::FakeSsh::kRunsHere);
    for (const QString& path : {files.pack(), tests::FakeSsh::address(files.run())}) {
      const auto window = tests::openWindow(window_.theme(), tests::optionsFor({path}));
      for (const Page page : {Page::Monitor, Page::Predictions, Page::Compare}) {
        window->showPage(page);
        QTRY_VERIFY_WITH_TIMEOUT(window->isReady(), 20000);
        verifyIsPlain(*window);
        QVERIFY(!fifo.wasRead());
      }
      QVERIFY(window->runsPanel()->model()->rowCount() > 0);
    }
  }

  /// A line break would draw a name over its neighbours.
  void aNameIsOneLine() {
    const std::string name = "a\nb\u202ec";
    app::ListedRun run;
    run.summary.info.name = name;
    QCOMPARE(app::nameOf(run), std::string("a b c"));
    QCOMPARE(widgets::nameOf({.id = CategoryId{1}, .name = name}), QStringLiteral("a b c"));
    QCOMPARE(app::curveOfTag("x/" + name).name, QStringLiteral("a b c"));
    QCOMPARE(app::tagSections({name + "/x"}, {}).front().name, QStringLiteral("a b c"));
  }

  void aNoticeOfTheDesktopHasNoTags() {
    QCOMPARE(app::withoutTags(QStringLiteral("<img src=/dev/zero> a<b")),
             QStringLiteral("\u2039img src=/dev/zero> a\u2039b"));
    QCOMPARE(app::withoutTags(QStringLiteral("a\u202eb")), QStringLiteral("a\u200bb"));
  }

 private:
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstPlainTexts)
#include "tst_plain_texts.moc"
