#include "engine/coco/report/html.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco {
namespace {

const char* typeText(IouType type) {
  switch (type) {
    case IouType::Box:
      return "boxes";
    case IouType::Mask:
      return "masks";
    case IouType::Boundary:
      return "mask boundaries";
  }
  return "";
}

std::string head(const ReportSource& source) {
  // The policy blocks scripts and external resources, in case a text were not escaped.
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; img-src data:\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>COCO results: " +
         report::escaped(source.resultsName) + "</title>\n<style>\n" + report::pageStyle() +
         "</style>\n</head>\n";
}

std::string heading(const ReportSource& source) {
  const auto row = [](const char* name, const std::string& content) {
    return std::string("<div><dt>") + name + "</dt><dd>" + content + "</dd></div>";
  };
  const Dataset& groundTruth = source.groundTruth;
  std::string text = "<header>\n<h1>" + report::escaped(source.resultsName) + "</h1>\n<dl>";
  text += row("ground truth", report::escaped(source.groundTruthName));
  if (source.comparison) text += row("compared with", report::escaped(source.comparison->nameB));
  text += row("IoU of", typeText(source.type));
  text += row("dataset", report::groupedCount(groundTruth.images().size(), "image") + ", " +
                             report::groupedCount(groundTruth.annotationCount(), "object") + ", " +
                             report::grouped(groundTruth.categories().size()) +
                             (groundTruth.categories().size() == 1 ? " class, " : " classes, ") +
                             report::groupedCount(source.results.count(), "detection"));
  text += row("limit", report::groupedCount(source.figures.pastLimit.limit, "detection") +
                           " per class and image");
  return text + "</dl>\n</header>\n";
}

}  // namespace

Report makeReport(const ReportSource& source) {
  Report made;
  const Analysis& analysis = source.analysis;
  const auto pair = [](const std::string& left, const std::string& right) {
    return "<div class=\"pair\">\n" + left + right + "</div>\n";
  };
  made.html = head(source) + "<body>\n<main>\n" + heading(source) + report::summary(source) +
              report::verdict(source);
  made.html += pair(report::figuresTable(source), report::errorTypeBars(analysis));
  made.html += pair(report::precisionRecallCurves(analysis), report::scoreCurves(analysis));
  made.html += report::sizesTable(source) + report::classCurves(analysis) +
               report::confusionMap(analysis) + report::classesTable(source) +
               report::extraMetrics(source);
  made.html += report::worstImages(source, made);
  made.html += "<footer>Made by lockstep-engine.</footer>\n</main>\n</body>\n</html>\n";
  return made;
}

}  // namespace lockstep::coco
