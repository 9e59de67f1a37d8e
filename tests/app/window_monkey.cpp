// A monkey at the window: random clicks, drags, keys, wheels, sizes, themes and actions on all
// pages, while a run is live. What it did can be repeated by its seed, which it prints first.
//
//   window_monkey [--events N | --seconds S] [--seed N]
//
// Exit status 1 if Qt warned of a misuse, or if points of the live run are missing at the end. It
// is in a folder without lockstep-engine, so that it trains nothing.
#include <QApplication>
#include <QCommandLineParser>
#include <QDialog>
#include <QElapsedTimer>
#include <QImage>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <random>

#include "app/frame/main_window.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/open/run_controller.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/live_run.h"
#include "tests/app/window_options.h"
#include "widgets/language.h"
#include "widgets/named_action.h"

using namespace lockstep;

namespace {

constexpr int kLivePoints = 400;
constexpr const char* kLeftOut = "window.close";

int misuses = 0;

void noteMessage(QtMsgType type, const QMessageLogContext&, const QString& text) {
  static const QStringList misused{QStringLiteral("QObject::"), QStringLiteral("QPainter::"),
                                   QStringLiteral("QWidget::"), QStringLiteral("QLayout::"),
                                   QStringLiteral("QTimer::"),  QStringLiteral("QAction::"),
                                   QStringLiteral("Ambiguous"), QStringLiteral("QModelIndex")};
  const bool isMisuse =
      type != QtDebugMsg && type != QtInfoMsg &&
      std::ranges::any_of(misused, [&](const QString& each) { return text.startsWith(each); });
  misuses += isMisuse;
  if (isMisuse) std::fprintf(stderr, "%s\n", qPrintable(text));
}

class Monkey {
 public:
  Monkey(app::MainWindow& window, widgets::ThemeSwitch& theme, unsigned seed)
      : window_(window), theme_(theme), random_(seed) {
    QObject::connect(&closer_, &QTimer::timeout, &closer_, [this] { closeWhatIsOpen(); });
    closer_.start(15);
  }

  void act() {
    using Act = void (Monkey::*)();
    static constexpr std::array<Act, 16> kActs{
        &Monkey::click,   &Monkey::click,    &Monkey::click,  &Monkey::click,
        &Monkey::drag,    &Monkey::drag,     &Monkey::wheel,  &Monkey::wheel,
        &Monkey::key,     &Monkey::key,      &Monkey::key,    &Monkey::trigger,
        &Monkey::trigger, &Monkey::goToPage, &Monkey::resize, &Monkey::switchTheme};
    (this->*kActs[below(kActs.size())])();
    QCoreApplication::processEvents();
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  QWidget* anyWidget() {
    QList<QWidget*> shown;
    for (QWidget* widget : window_.findChildren<QWidget*>())
      if (widget->isVisible() && widget->isEnabled() && !widget->size().isEmpty()) shown << widget;
    return shown.isEmpty()
               ? &window_
               : shown[static_cast<qsizetype>(below(static_cast<std::size_t>(shown.size())))];
  }
  QPoint anyPointIn(const QWidget* widget) {
    return {static_cast<int>(below(static_cast<std::size_t>(widget->width()))),
            static_cast<int>(below(static_cast<std::size_t>(widget->height())))};
  }

  void click() {
    QWidget* widget = anyWidget();
    const Qt::MouseButton button = below(6) == 0 ? Qt::RightButton : Qt::LeftButton;
    const Qt::KeyboardModifiers held = below(8) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
    if (below(8) == 0)
      QTest::mouseDClick(widget, Qt::LeftButton, held, anyPointIn(widget));
    else
      QTest::mouseClick(widget, button, held, anyPointIn(widget));
  }
  void drag() {
    const QPointer<QWidget> widget = anyWidget();
    QTest::mousePress(widget, Qt::LeftButton, {}, anyPointIn(widget));
    for (std::size_t i = below(4); i > 0 && widget; --i)
      QTest::mouseMove(widget, anyPointIn(widget));
    if (widget) QTest::mouseRelease(widget, Qt::LeftButton, {}, anyPointIn(widget));
  }
  void wheel() {
    QWidget* widget = anyWidget();
    const QPointF at = anyPointIn(widget);
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, below(2) == 0 ? 120 : -120},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
  }
  void key() {
    static constexpr auto kKeys = std::to_array<Qt::Key>({Qt::Key_A,           Qt::Key_B,
                                                          Qt::Key_D,           Qt::Key_F,
                                                          Qt::Key_G,           Qt::Key_L,
                                                          Qt::Key_M,           Qt::Key_N,
                                                          Qt::Key_O,           Qt::Key_P,
                                                          Qt::Key_R,           Qt::Key_S,
                                                          Qt::Key_T,           Qt::Key_X,
                                                          Qt::Key_0,           Qt::Key_1,
                                                          Qt::Key_Plus,        Qt::Key_Minus,
                                                          Qt::Key_Comma,       Qt::Key_Period,
                                                          Qt::Key_BracketLeft, Qt::Key_BracketRight,
                                                          Qt::Key_Up,          Qt::Key_Down,
                                                          Qt::Key_Left,        Qt::Key_Right,
                                                          Qt::Key_Tab,         Qt::Key_Backtab,
                                                          Qt::Key_Return,      Qt::Key_Space,
                                                          Qt::Key_Escape,      Qt::Key_Home,
                                                          Qt::Key_End,         Qt::Key_Backspace,
                                                          Qt::Key_Delete});
    const Qt::Key pressed = kKeys[below(kKeys.size())];
    const Qt::KeyboardModifiers held = below(5) == 0    ? Qt::ShiftModifier
                                       : below(12) == 0 ? Qt::ControlModifier
                                                        : Qt::NoModifier;
    QWidget* focused = QApplication::focusWidget();
    QTest::keyClick(focused ? focused : &window_, pressed, held);
  }
  void trigger() {
    const QList<QAction*> actions = widgets::namedActions(&window_);
    QAction* action =
        actions[static_cast<qsizetype>(below(static_cast<std::size_t>(actions.size())))];
    if (action->objectName() != QLatin1String(kLeftOut)) action->trigger();
  }
  void goToPage() {
    static const QStringList pages{QStringLiteral("page.configure"), QStringLiteral("page.monitor"),
                                   QStringLiteral("page.predictions"), QStringLiteral("page.data"),
                                   QStringLiteral("page.compare")};
    const QString id = pages[static_cast<qsizetype>(below(static_cast<std::size_t>(pages.size())))];
    for (QAction* action : widgets::namedActions(&window_))
      if (action->objectName() == id) action->trigger();
  }
  void resize() {
    window_.resize(800 + static_cast<int>(below(1200)), 500 + static_cast<int>(below(700)));
  }
  void switchTheme() {
    theme_.setMode(below(2) == 0 ? widgets::ThemeSwitch::Mode::Dark
                                 : widgets::ThemeSwitch::Mode::Light);
  }

  /// Menus and dialogs run event loops of their own: nothing else goes on until they are closed.
  void closeWhatIsOpen() {
    if (QWidget* popup = QApplication::activePopupWidget()) {
      popup->close();
    } else if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
      dialog->reject();
    } else if (QWidget* other = QApplication::activeModalWidget()) {
      other->close();
    }
  }

  app::MainWindow& window_;
  widgets::ThemeSwitch& theme_;
  std::mt19937 random_;
  QTimer closer_;
};

/// Images with objects, as a held-out set and as the training set of an experiment.
void makeData(const QString& folder, int images) {
  std::string list, annotations;
  for (int i = 1; i <= images; ++i) {
    QImage image(96, 64, QImage::Format_RGB32);
    image.fill(QColor::fromHsv(i * 29 % 360, 80, 200));
    image.save(QStringLiteral("%1/%2.png").arg(folder).arg(i));
    const std::string comma = i > 1 ? "," : "", id = std::to_string(i);
    list +=
        comma + R"({"id":)" + id + R"(,"file_name":")" + id + R"(.png","width":96,"height":64})";
    annotations +=
        comma + R"({"id":)" + id + R"(,"image_id":)" + id + R"(,"category_id":)" +
        std::to_string(1 + i % 2) +
        R"(,"bbox":[8,8,30,24],"area":720,"iscrowd":0,"segmentation":[[8,8,38,8,38,32,8,32]]})";
  }
  std::ofstream(folder.toStdString() + "/data.json")
      << R"({"images":[)" << list << R"(],"annotations":[)" << annotations
      << R"(],"categories":[{"id":1,"name":"cell"},{"id":2,"name":"dot"}]})";
  std::ofstream(folder.toStdString() + "/experiment.yaml")
      << "name: monkey\ndataset:\n  train: {images: ., annotations: data.json}\n  val: {images: ., "
         "annotations: data.json}\n";
}

/// Points of the training loss that the window holds of a run.
qint64 lossPointsOf(const app::MainWindow& window, const QString& folder) {
  const auto* runs = window.findChild<app::OpenRuns*>();
  const app::RunController* run = runs ? runs->find(folder) : nullptr;
  const app::MetricSeries* loss =
      run ? run->history().metrics().series("train/loss_total") : nullptr;
  return loss ? static_cast<qint64>(loss->size()) : -1;
}

struct Arguments {
  qint64 events = 1500, seconds = 0;
  unsigned seed = std::random_device()();
};

Arguments readArguments(const QApplication& application) {
  QCommandLineParser parser;
  const auto add = [&parser](const char* name) {
    parser.addOption({QLatin1String(name), QString(), QStringLiteral("N")});
  };
  for (const char* name : {"events", "seconds", "seed"}) add(name);
  parser.process(application);
  Arguments arguments;
  if (parser.isSet(QStringLiteral("events")))
    arguments.events = parser.value(QStringLiteral("events")).toLongLong();
  if (parser.isSet(QStringLiteral("seconds")))
    arguments.seconds = parser.value(QStringLiteral("seconds")).toLongLong();
  if (parser.isSet(QStringLiteral("seed")))
    arguments.seed = parser.value(QStringLiteral("seed")).toUInt();
  return arguments;
}

int play(const Arguments& arguments) {
  QTemporaryDir home, data;
  qputenv("XDG_DATA_HOME", home.path().toLocal8Bit());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.path());
  makeData(data.path(), 12);
  tests::MadeRun made = tests::LiveRun::madeLive();
  made.valImages = data.path().toStdString();
  made.valAnnotations = data.filePath(QStringLiteral("data.json")).toStdString();
  made.watchedImages = {1, 2, 3, 4};
  tests::LiveRun live(made);
  const std::int64_t livesFrom = made.steps;
  made.state = "finished";
  made.steps = 40;
  for (const char* name : {"first", "second"}) {
    made.name = name;
    tests::makeRun(live.parent.path(), made);
  }
  QList<QByteArray> lines{live.welcome()};
  for (int i = 1; i <= kLivePoints; ++i) lines << tests::scalars(live.last + i, livesFrom + i);
  if (!live.engine.start(lines)) return 1;

  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme,
                         tests::optionsFor({live.folder, live.parent.path(),
                                            data.filePath(QStringLiteral("experiment.yaml"))}));
  window.show();
  if (!QTest::qWaitFor([&] { return window.isReady(); }, 20000)) return 1;
  Monkey monkey(window, theme, arguments.seed);
  QElapsedTimer clock;
  clock.start();
  qint64 done = 0;
  while (arguments.seconds > 0 ? clock.elapsed() < arguments.seconds * 1000
                               : done < arguments.events) {
    monkey.act();
    if (!window.isVisible()) window.show();
    if (++done % 5000 == 0) std::printf("%lld events, %lld s\n", done, clock.elapsed() / 1000);
  }
  window.runsPanel()->selectRun(live.folder);
  const qint64 expected = livesFrom + kLivePoints;
  const bool isWhole =
      QTest::qWaitFor([&] { return lossPointsOf(window, live.folder) == expected; }, 20000);
  std::printf("%lld events, %lld s, %lld of %lld points, %d misuses\n", done,
              clock.elapsed() / 1000, lossPointsOf(window, live.folder), expected, misuses);
  window.keepDrafts();
  return isWhole && misuses == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  qInstallMessageHandler(noteMessage);
  QApplication application(argc, argv);
  lockstep::widgets::installLanguage();
  const Arguments arguments = readArguments(application);
  std::printf("seed %u\n", arguments.seed);
  std::fflush(stdout);
  return play(arguments);
}
