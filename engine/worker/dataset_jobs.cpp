// Jobs that bring annotations of other formats in and out, and that check a dataset.
#include <map>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/dataset_check/check_report.h"
#include "engine/formats/export.h"
#include "engine/formats/import.h"
#include "engine/formats/report_text.h"
#include "engine/worker/dataset_images.h"
#include "engine/worker/dataset_pictures.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

/// Progress in several phases, which are named; the job stops when the supervisor asks for it.
class PhaseProgress {
 public:
  explicit PhaseProgress(const JobContext& context) : context_(context) {}

  void operator()(const std::string& what, std::size_t done, std::size_t all) {
    throwIfStopped(context_.mailbox);
    const auto [found, isNew] = phases_.try_emplace(what);
    if (isNew) found->second = progressTo(context_.channel, what);
    found->second(static_cast<std::int64_t>(done), static_cast<std::int64_t>(all));
  }

 private:
  const JobContext& context_;
  std::map<std::string, eval::Progress> phases_;
};

protocol::Finished reported(std::string text, std::vector<std::string> warnings,
                            const std::vector<std::string>& faults) {
  warnings.insert(warnings.end(), faults.begin(), faults.end());
  return {.result = protocol::DatasetReport{std::move(text), std::move(warnings)}};
}

}  // namespace

protocol::Finished run(const protocol::ImportJob& job, const JobContext& context) {
  PhaseProgress progress(context);
  formats::ImportOptions options{.source = job.source,
                                 .out = job.out,
                                 .valShare = job.valShare,
                                 .seed = static_cast<std::uint64_t>(job.seed),
                                 .groupPattern = job.groupPattern,
                                 .classes = job.classes,
                                 .copiesImages = job.copiesImages,
                                 .exif = base::parseEnum<formats::ExifUse>(job.exif),
                                 .keepsEmpty = job.keepsEmpty};
  if (!job.format.empty()) options.format = base::parseEnum<formats::Format>(job.format);
  const formats::ImportReport report =
      formats::importDataset(options, DatasetImages(), std::ref(progress));
  return reported(
      formats::summaryOf(report, options),
      formats::warningsOf(report.exif, report.format, report.otherFormats),
      formats::faultLines(report.faults, "; all are in " + (options.out / "faults.txt").string()));
}

protocol::Finished run(const protocol::ExportJob& job, const JobContext& context) {
  PhaseProgress progress(context);
  const formats::ExportOptions options{
      job.source, job.out,
      base::parseEnum<formats::ExportFormat>(job.format).value_or(formats::ExportFormat::LabelMe)};
  const formats::ExportReport report =
      formats::exportDataset(options, DatasetImages(), std::ref(progress));
  return reported(formats::summaryOf(report),
                  formats::warningsOf(report.exif, report.format, report.otherFormats),
                  formats::faultLines(report.faults, ""));
}

protocol::Finished run(const protocol::CheckDatasetJob& job, const JobContext& context) {
  PhaseProgress progress(context);
  const config::Experiment experiment = experimentOf(job.configYaml, /*isResume=*/true);
  const dataset_check::DatasetCheck check =
      dataset_check::checkDataset(experiment, DatasetPictures(), std::ref(progress));
  std::optional<dataset_check::CleanedDataset> cleaned;
  if (!job.fixFolder.empty())
    cleaned = dataset_check::cleanDataset(check, experiment, job.experiment, job.fixFolder);
  const dataset_check::CleanedDataset* fixes = cleaned ? &*cleaned : nullptr;
  if (!job.out.empty())
    base::writeFileAtomically(job.out, dataset_check::jsonOf(check, experiment, fixes));
  protocol::DatasetReport report{.text = dataset_check::summaryOf(check, experiment, fixes)};
  for (const std::string& refusal : dataset_check::refusalsOf(check, fixes))
    report.failure += (report.failure.empty() ? "" : "; ") + refusal;
  return {.result = std::move(report)};
}

}  // namespace lockstep::worker
