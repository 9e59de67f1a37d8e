#include "engine/cli/coco_evaluation.h"

#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/coco/report/report.h"

namespace lockstep::cli {
namespace {

coco::ResultsComparison compare(const coco::Dataset& groundTruth, const ComparedResults& compared,
                                const ResultsRequest& request, const coco::WeightedAp& own) {
  const auto matches =
      coco::matchResults(groundTruth, compared.results, iouTypeOf(request.type), request.params);
  const coco::WeightedAp weighted(matches, groundTruth.categories(), request.params);
  return {compared.nameA, compared.nameB, groundTruth.images().size(),
          coco::accumulate(matches, groundTruth.categories(), request.params),
          coco::compareAp(own, weighted)};
}

}  // namespace

coco::IouType iouTypeOf(const std::string& name) {
  if (name == "bbox") return coco::IouType::Box;
  return name == "segm" ? coco::IouType::Mask : coco::IouType::Boundary;
}

CocoEvaluation evaluateResults(const coco::Dataset& groundTruth, const coco::ResultsFile& results,
                               const ResultsRequest& request, const ComparedResults* compared) {
  const coco::IouType type = iouTypeOf(request.type);
  const auto& categories = groundTruth.categories();
  const auto matches = coco::matchResults(groundTruth, results, type, request.params);
  CocoEvaluation evaluation;
  evaluation.type = request.type;
  evaluation.metrics = coco::accumulate(matches, categories, request.params);
  if (request.withArrays)
    evaluation.arrays = coco::accumulateArrays(matches, categories, request.params);
  const double iouThreshold = request.iouThreshold.value_or(.5);
  if (!request.extra.empty()) {
    evaluation.extra =
        coco::extraMetrics(groundTruth, results, type,
                           {request.extra, request.scoreThreshold, iouThreshold}, request.params);
  }
  if (!request.withAnalysis && compared == nullptr) return evaluation;
  const coco::WeightedAp weighted(matches, categories, request.params);
  if (compared != nullptr)
    evaluation.comparison = compare(groundTruth, *compared, request, weighted);
  if (request.withAnalysis) {
    evaluation.analysis =
        coco::analyse(coco::OverlapSet(groundTruth, results, type, request.params), weighted,
                      {iouThreshold, request.scoreThreshold});
  }
  return evaluation;
}

void writeReport(const OutputFile& file, const ReportNames& names, const coco::Dataset& groundTruth,
                 const coco::ResultsFile& results, const CocoEvaluation& evaluation) {
  const coco::Report report =
      coco::makeReport({.groundTruthName = names.groundTruth,
                        .resultsName = names.results,
                        .type = iouTypeOf(evaluation.type),
                        .groundTruth = groundTruth,
                        .results = results,
                        .figures = evaluation.metrics,
                        .analysis = *evaluation.analysis,
                        .comparison = evaluation.comparison ? &*evaluation.comparison : nullptr,
                        .extra = evaluation.extra ? &*evaluation.extra : nullptr,
                        .imagesFolder = names.imagesFolder,
                        .maxDetectionsSetting = names.maxDetectionsSetting});
  file.write(report.html);
  if (report.missingImages.empty()) return;
  const std::size_t count = report.missingImages.size();
  base::logWarning("report", file.name() + ": " + std::to_string(count) +
                                 (count == 1 ? " image is missing: "
                                             : " images are missing, the first of them ") +
                                 report.missingImages.front());
}

}  // namespace lockstep::cli
