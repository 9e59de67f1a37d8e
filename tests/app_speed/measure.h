#pragma once

#include <QElapsedTimer>
#include <QSize>
#include <QStringList>
#include <functional>
#include <vector>

#include "app/frame/main_window.h"

namespace lockstep::speed {

/// Prints `name=value` on a line of its own.
void print(const char* name, double value);

double median(std::vector<double> values);
/// The value that a share of `values` (0 … 1) do not exceed.
double percentile(std::vector<double> values, double share);

double millisecondsOf(const QElapsedTimer& clock);
/// Memory of this process that it shares with no other, MiB.
double privateMebibytes();
/// CPU time of this process so far, of all its threads, seconds.
double cpuSeconds();
/// CPU time of the calling thread so far.
double threadCpuMilliseconds();

/// Runs the event loop until `condition` holds, without the pauses of QTest::qWaitFor(). Ends the
/// program with a message that names `what` if it does not within a minute.
void waitUntil(const char* what, const std::function<bool()>& condition);
/// Runs the event loop for this long.
void runFor(int milliseconds);

/// A window of 1600 x 1000 on these paths, without a saved layout.
app::MainWindowOptions windowOn(const QStringList& paths);

// The measurements, each prints its figures.
void measureFirstPaint();
int showEmptyWindow(double startedAt);
void measureOpening();
void measureTenMillionPoints();
void measureHundredRuns();
void measurePointToPixel();
void measureIdleLive();
void measureRunList();
void measureRunFacts();
void measureExport();
void measureHeatMap();
void measureCanvas();
void measureStrip();
void measurePredictions();
/// The files that it measures with.
int makePredictions(const QString& folder);
void measureThemeSwitch();
void measureHourOfUse();

}  // namespace lockstep::speed
