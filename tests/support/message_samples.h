#pragma once

#include <variant>
#include <vector>

#include "engine/protocol/worker_messages.h"

/// One message of each kind between supervisor and worker; every member differs from its default
/// and from its neighbours.
namespace lockstep::tests {

inline const protocol::RankPlacement kSamplePlacement{
    1, 2, 3, 4, 5, 6, "GPU 6 (NVIDIA H200)", "10.0.0.7", 29500, true};
inline const protocol::TrainedModel kSampleModel{"name: \"a\"\nsolver: {max_steps: 3}\n",
                                                 "/w.safetensors", 10};

inline std::vector<protocol::Work> sampleWorks() {
  using namespace protocol;
  return {TrainJob{"name: ä\n", "/runs/ä", "/runs/ä/checkpoints/step-00000010", 10, true},
          EvaluateJob{kSampleModel, Split::Train, true, true, "/tmp/o.json", "/tmp/d.json"},
          PredictJob{kSampleModel,
                     Split::Train,
                     {"a.png", "b c.jpg"},
                     "/tmp/list",
                     0.25,
                     "/tmp/o.json",
                     "/tmp/overlays",
                     0.75},
          InspectJob{kSampleModel},
          ReplayJob{kSampleModel, {3, 7}},
          CheckJob{"name: a\n", "/runs/a/checkpoints/step-00000010", 64},
          ShapesJob{"/tmp/shapes", 7, 8, -5},
          ImportJob{"/data", "/tmp/in", "yolo", 0.25, 7, "video(\\d+)", "/names.txt", true,
                    "ignore", true},
          ExportJob{"/data", "/tmp/out", "cvat"},
          CheckDatasetJob{"name: a\n", "/a.yaml", "/tmp/o.json", "/tmp/clean"},
          PreviewJob{"name: a\n", "/tmp/sheets", 4},
          InfoJob{}};
}

inline std::vector<protocol::Result> sampleResults() {
  using namespace protocol;
  const std::vector<Figure> losses{{"loss_mask", 0.25}, {"loss_box_reg", 0.5}};
  const ImageIssues cutOff{3, {1, 2}, "a.png: is cut off"}, dark{1, {5}, "b.png: is dark"};
  return {
      std::monostate(),
      EvaluateResult{7, 3, 1, losses, {5}, {{"AP", 0.4}}, {{"AP", 0.3}}, "AP counts only the best"},
      PredictResult{3, 12, 1},
      ReplayResult{losses, 1.5, "loss_mask", {{4, "a.png", losses}}},
      CheckResult{WeightsError{"do not fit", 2}, {4, 90, cutOff, dark}, {5, 60, dark, cutOff}},
      DatasetReport{"format: yolo\n", {"1 fault"}, "3 images cannot be read"},
      InfoResult{"2.11.0", "AVX512", true, "80-real 90", 2}};
}

inline std::vector<protocol::Action> sampleActions() {
  using namespace protocol;
  Predict predict{{.imageIds = {}, .paths = {"x.png"}, .weights = "/w.safetensors"}, "/a.json"};
  predict.request.scoreThreshold = 0.7;
  return {Pause(),
          Resume(),
          Stop(),
          SaveCheckpoint(),
          Evaluate{"/e.json"},
          predict,
          Explain{{.imageId = 7, .split = Split::Train}, "/x.json"},
          Explain{{.path = "x.png", .weights = "/w.safetensors"}, "/x.json"},
          Load{"/w.safetensors"},
          Detect{{{"/1.image", 2, 0.3, {4, 5}, AnswerForm::Overlay, "/1.answer"}, {"/2.image"}}}};
}

}  // namespace lockstep::tests
