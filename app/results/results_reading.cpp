#include "app/results/results_reading.h"

#include <chrono>
#include <cstddef>
#include <utility>

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kTick{100};

}  // namespace

ResultsReading::ResultsReading() {
  ticks_.setInterval(kTick);
  connect(&ticks_, &QTimer::timeout, this, &ResultsReading::progressed);
}

ResultsReading::~ResultsReading() { cancel(); }

void ResultsReading::start(const ResultsSource& source, const std::optional<RunDataset>& truth) {
  cancel();
  if (std::exchange(file_, source.results) != source.results || !parsed_)
    parsed_ = std::make_shared<ParsedResults>();
  progress_ = std::make_shared<ReadingProgress>();
  ticks_.start();
  job_ = jobs::start(
      this, jobs::Kind::Disk,
      [source, truth, progress = progress_, parsed = parsed_] {
        return openResults(source, truth, *progress, *parsed);
      },
      [this](const OpenedResults& opened) {
        ticks_.stop();
        progress_.reset();
        Q_EMIT ended(opened);
      });
}

void ResultsReading::cancel() {
  if (!progress_) return;
  progress_->isCancelled = true;
  progress_.reset();
  job_.cancel();
  ticks_.stop();
}

void ResultsReading::forget() {
  cancel();
  parsed_.reset();
}

QString ResultsReading::progress() const {
  if (!progress_) return {};
  const std::size_t all = progress_->all, done = progress_->done;
  return all == 0 ? QString() : tr("%L1 of %Ln image(s)", "", static_cast<int>(all)).arg(done);
}

}  // namespace lockstep::app
