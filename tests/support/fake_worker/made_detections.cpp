#include "tests/support/fake_worker/made_detections.h"

#include <signal.h>
#include <unistd.h>

#include <sstream>

#include "engine/base/atomic_file.h"

namespace lockstep::tests {
namespace {

using protocol::AnswerForm;

std::string answerTo(const protocol::DetectImage& asked, std::size_t bytes,
                     const std::string& weights) {
  if (asked.form == AnswerForm::Labels || asked.form == AnswerForm::Overlay) return "a picture";
  std::ostringstream json;
  json << R"([{"image_id":)" << asked.imageId << R"(,"category_id":1,"bbox":[0,0,)" << bytes << ","
       << weights << R"(],"score":)" << asked.scoreThreshold
       << R"(,"segmentation":{"size":[48,64],"counts":"U?:V100000000000000000kQ2"}}])";
  return json.str() + "\n";
}

}  // namespace

protocol::Detected madeDetections(const protocol::Detect& asked, const std::string& weights,
                                  const std::function<void(Arguments&)>& await) {
  protocol::Detected detected;
  for (const protocol::DetectImage& image : asked.images) {
    const std::string content = base::readFile(image.file);
    Arguments order(content);
    const std::string what = order.word();
    if (what == "die") ::kill(::getpid(), SIGKILL);
    if (what == "await") await(order);
    if (what == "undecodable") {
      detected.images.push_back({.error = "the image is no image", .isUndecodable = true});
      continue;
    }
    base::writeFileAtomically(image.out, answerTo(image, content.size(), weights));
    detected.images.push_back({.width = 64, .height = 48});
  }
  return detected;
}

std::string madeWeights(const std::string& file, const std::function<void(Arguments&)>& await) {
  const std::string content = base::readFile(file);
  Arguments order(content);
  const std::string what = order.word();
  if (what == "die") ::kill(::getpid(), SIGKILL);
  if (what != "await") return content;
  await(order);
  return order.rest();
}

}  // namespace lockstep::tests
