#pragma once

#include "engine/coco/report/report.h"

/// The sections of the page, each a <section> or empty. Used only in this folder.
namespace lockstep::coco::report {

std::string pageStyle();

/// "score ≥ 0.38 and IoU ≥ 0.5".
std::string thresholdsText(const Analysis& analysis);

std::string summary(const ReportSource& source);
std::string verdict(const ReportSource& source);
std::string figuresTable(const ReportSource& source);
std::string sizesTable(const ReportSource& source);
std::string classesTable(const ReportSource& source);
/// Empty without extra metrics.
std::string extraMetrics(const ReportSource& source);

std::string precisionRecallCurves(const Analysis& analysis);
std::string classCurves(const Analysis& analysis);
std::string scoreCurves(const Analysis& analysis);
std::string errorTypeBars(const Analysis& analysis);
std::string confusionMap(const Analysis& analysis);

/// Adds to report.missingImages.
std::string worstImages(const ReportSource& source, Report& report);

}  // namespace lockstep::coco::report
