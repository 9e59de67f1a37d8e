// app_speed [NAME]…: measures the speed of the app on this machine and prints `name=value` lines.
// On the display where there is one (Xvfb), else offscreen.
#include <QApplication>
#include <QSettings>
#include <cstdio>
#include <string>

#include "engine/base/free_memory.h"
#include "tests/app_speed/measure.h"
#include "widgets/language.h"

int main(int argc, char** argv) {
  using namespace lockstep::speed;
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && !qEnvironmentVariableIsSet("DISPLAY"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  lockstep::base::returnLargeBlocks();  // as the program of the window does
  QApplication application(argc, argv);
  lockstep::widgets::installLanguage();
  QCoreApplication::setApplicationName(QStringLiteral("lockstep-app-speed"));
  if (argc == 3 && std::string(argv[1]) == "--first-paint")
    return showEmptyWindow(std::stod(argv[2]));
  if (argc == 3 && std::string(argv[1]) == "--make-predictions")
    return makePredictions(QString::fromLocal8Bit(argv[2]));
  const struct {
    const char* name;
    void (*measure)();
  } kMeasurements[] = {{"first_paint", measureFirstPaint},
                       {"opening", measureOpening},
                       {"ten_million", measureTenMillionPoints},
                       {"hundred_runs", measureHundredRuns},
                       {"point_to_pixel", measurePointToPixel},
                       {"idle_live", measureIdleLive},
                       {"run_list", measureRunList},
                       {"run_facts", measureRunFacts},
                       {"export", measureExport},
                       {"heat_map", measureHeatMap},
                       {"canvas", measureCanvas},
                       {"strip", measureStrip},
                       {"predictions", measurePredictions},
                       {"theme_switch", measureThemeSwitch},
                       {"hour_of_use", measureHourOfUse}};
  std::printf("platform=%s\n", qPrintable(QGuiApplication::platformName()));
  for (const auto& [name, measure] : kMeasurements) {
    const bool isWanted =
        argc == 1 || std::any_of(argv + 1, argv + argc, [name = name](const char* wanted) {
          return std::string(wanted) == name;
        });
    if (isWanted) measure();
  }
  return 0;
}
