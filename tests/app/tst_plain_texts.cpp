// Texts of files are shown as plain text everywhere.
#include <QAbstractItemView>
#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/frame/desktop_notice.h"
#include "engine/events/reader.h"
#include "engine/protocol/event.h"
#include "engine/run_folder/run_notes.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "tests/support/watched_fifo.h"

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

/// A run, its data and an experiment file with the same text in every field.
class FilesThatSay {
 public:
  explicit FilesThatSay(const std::string& text) : text_(text) {
    writeData();
    writeRun();
    writeExperiment();
  }
  QStringList paths() const { return {run_, experiment_}; }

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
  void writeRun() {
    tests::MadeRun plan;
    plan.valImages = plan.trainImages = folder_.path().toStdString();
    plan.valAnnotations = plan.trainAnnotations = path("val.json").string();
    plan.watchedImages = {3, 5};
    run_ = tests::makeFailedRun(folder_.path(), plan, text_ + ": " + text_);
    const run_folder::Layout layout{run_.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.name = text_;
    run_folder::writeRunInfo(layout, info);
    run_folder::RunNotes notes;
    notes.note = text_;
    notes.tags = {text_};
    run_folder::writeRunNotes(layout, notes);
    const fs::path log = events::findEventFile(run_.toStdString());
    using events::encodeRecord;
    append(log, encodeRecord(tests::scalarRecord(41, {{text_, 1.F}, {text_ + "/x", 2.F}})));
    for (const protocol::Event& event :
         {protocol::Event(alertThatSays(text_)), protocol::Event(protocol::Log{.text = text_}),
          protocol::Event(protocol::Checkpoint{.path = text_})})
      append(log, encodeRecord(tests::eventRecord(41, protocol::encodeEvent(event))));
  }
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
  QString run_, experiment_;
};

void askForTip(QWidget* widget, const QPoint& at) {
  QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QCoreApplication::sendEvent(widget, &event);
}

/// Shows the tool tips of widgets and of the rows of lists.
void showAllTips(app::MainWindow& window) {
  for (auto* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    askForTip(widget, widget->rect().center());
    const auto* view = qobject_cast<QAbstractItemView*>(widget);
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
    for (const Page page :
         {Page::Configure, Page::Monitor, Page::Predictions, Page::Data, Page::Compare}) {
      window.showPage(page);
      QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), 20000);
      showAllTips(window);
      QVERIFY(!window.grab().isNull());
      for (const QWidget* widget : QApplication::allWidgets()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (label && label->isVisible() && !isOurs(label))
          QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text().left(200)));
      }
      QVERIFY(!fifo.wasRead());
      QCOMPARE(window.size(), size);
    }
  }

  void aNoticeOfTheDesktopHasNoTags() {
    QCOMPARE(app::withoutTags(QStringLiteral("<img src=/dev/zero> a<b")),
             QStringLiteral("\u2039img src=/dev/zero> a\u2039b"));
  }

 private:
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstPlainTexts)
#include "tst_plain_texts.moc"
