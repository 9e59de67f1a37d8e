"""Steps of torch.amp.GradScaler with torch.optim.SGD and clip_grad_norm_ on one parameter.

usage: loss_scaling.py STEPS OVERFLOWING_STEP...   prints JSON: the scale of each step, the weights after the last
"""

import json
import math
import sys

import torch


def main():
    steps, overflowing = int(sys.argv[1]), {int(word) for word in sys.argv[2:]}
    weight = torch.nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))
    optimizer = torch.optim.SGD([weight], lr=0.01, momentum=0.9, weight_decay=0.01)
    scaler = torch.amp.GradScaler("cpu")
    scales = []
    for step in range(1, steps + 1):
        slope = torch.tensor([math.sin(step), math.cos(step), math.inf if step in overflowing else 3.0])
        optimizer.zero_grad()
        scaler.scale((weight * slope).sum()).backward()
        scales.append(scaler.get_scale())
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 2.0)
        scaler.step(optimizer)
        scaler.update()
    print(json.dumps({"scales": scales, "weights": weight.tolist()}))


main()
