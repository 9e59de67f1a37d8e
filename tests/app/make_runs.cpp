// make_runs FOLDER [VAL_IMAGES VAL_ANNOTATIONS]: writes run folders to show in the app, without an
// engine.
#include <QString>
#include <cstdio>

#include "tests/app/made_run.h"

int main(int argc, char** argv) {
  using lockstep::tests::MadeRun;
  if (argc < 2) {
    std::fputs("make_runs FOLDER [VAL_IMAGES VAL_ANNOTATIONS]\n", stderr);
    return 2;
  }
  MadeRun base;
  base.maxSteps = 400;
  base.evaluateEvery = 20;
  if (argc >= 4) {
    base.valImages = argv[2];
    base.valAnnotations = argv[3];
  }
  const struct {
    const char* name;
    const char* state;
    std::int64_t steps;
    double offset;
    int ranks = 1;
    bool isSlowForImages = false;
    int gpus = 0;
  } kRuns[] = {{"droplets-lr0.1", "failed", 60, 0.4},
               {"coco-tiny-overfit", "stopped", 250, 0.2, 16, true},
               {"droplets-r50", "finished", 400, -0.06, 8, false, 8},
               {"droplets-r18-cosine", "finished", 400, 0.08},
               {"droplets-r18", "finished", 380, 0, 1, false, 1}};
  for (const auto& plan : kRuns) {
    MadeRun run = base;
    run.name = plan.name;
    run.state = plan.state;
    run.steps = plan.steps;
    run.lossOffset = plan.offset;
    run.ranks = plan.ranks;
    run.gpus = plan.gpus;
    run.isSlowForImages = plan.isSlowForImages;
    base.created += 3600;
    std::puts(qPrintable(lockstep::tests::makeRun(QString::fromLocal8Bit(argv[1]), run)));
  }
  return 0;
}
