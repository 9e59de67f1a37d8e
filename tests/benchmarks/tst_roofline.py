"""roofline.py and its rules: FLOP against torch's own counter, bytes by hand, real steps of small images.

usage: tst_roofline.py [PROGRAM]     program: roofline_step. Ends with 77 where torchvision is not there.
"""
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None
for _name in ("torch", "torchvision", "safetensors", "PIL", "numpy"):
    if importlib.util.find_spec(_name) is None:
        print(f"skipped: needs {_name}: packaging/setup.sh --dev")
        sys.exit(77)

import roofline  # noqa: E402
import torch  # noqa: E402
from roofline_work import CONVOLUTIONS, COPIES, ELEMENTWISE, OPTIMIZER, PRODUCTS, UNKNOWN  # noqa: E402
from roofline_work import Operator, Tensor, work_of  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

HEIGHT, WIDTH, OBJECTS = 64, 96, 3


def batch(count):
    return roofline.make_batch(count, HEIGHT, WIDTH, OBJECTS)


def small_peer():
    """torchvision with few regions, whose gradients and momenta are there."""
    peer = roofline.Peer()
    peer.model.roi_heads.fg_bg_sampler.batch_size_per_image = 8
    peer.model.rpn._pre_nms_top_n = peer.model.rpn._post_nms_top_n = {"training": 50, "testing": 50}
    peer.train(*batch(1))
    return peer


def half(*shape):
    return Tensor("BFloat16", shape, torch.Size(shape).numel())


def work(name, inputs, outputs=()):
    return work_of(Operator(name, list(inputs), list(outputs)))[1]


class Rules(unittest.TestCase):
    def test_a_convolution_moves_its_tensors_and_its_bias_once_more(self):
        # 2 x 3 -> 5 channels, 3 x 3 weights, 8 x 8 pixels.
        inputs = [half(2, 3, 8, 8), half(5, 3, 3, 3), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1]
        result, bytes_ = half(2, 5, 8, 8), 2 * (2 * 3 * 64 + 5 * 27 + 2 * 5 * 64)
        plain = work("aten::convolution", inputs, [result])
        self.assertEqual((plain.products, plain.bytes, plain.kernels), (2 * 2 * 5 * 64 * 27, bytes_, 1))
        inputs[2] = half(5)
        biased = work("aten::convolution", inputs, [result])
        self.assertEqual((biased.products, biased.bytes, biased.kernels), (plain.products, bytes_ + 4 * 2 * 5 * 64, 2))

    def test_float32_is_not_for_tensor_cores(self):
        left, right = Tensor("Float", (4, 6), 24), Tensor("Float", (6, 5), 30)
        product = work("aten::mm", [left, right], [Tensor("Float", (4, 5), 20)])
        self.assertEqual((product.products, product.operations, product.bytes), (0, 2 * 4 * 5 * 6, 4 * (24 + 30 + 20)))

    def test_what_is_expanded_is_read_as_often_as_it_is_stored(self):
        scaled = work("aten::mul", [half(8, 16), Tensor("Float", (8, 16), 16)], [half(8, 16)])
        self.assertEqual(scaled.bytes, 2 * 128 + 4 * 16 + 2 * 128)

    def test_writing_over_does_not_read(self):
        self.assertEqual(work("aten::fill_", [half(100), 0], [half(100)]).bytes, 200)
        self.assertEqual(work("aten::copy_", [half(100), Tensor("Float", (100,), 100)], [half(100)]).bytes, 600)

    def test_a_mask_as_index_is_waited_for(self):
        mask, places = Tensor("Bool", (10,), 10), Tensor("Long", (4,), 4)
        self.assertEqual(work("aten::index", [half(10, 4), [mask]], [half(4, 4)]).waits, 1)
        self.assertEqual(work("aten::index", [half(10, 4), [places]], [half(4, 4)]).waits, 0)

    def test_our_roi_align_reads_no_more_than_its_maps(self):
        maps = [half(1, 4, side, side) for side in (8, 4)]
        few = work("lockstep::roi_align", [maps, [Tensor("Float", (1, 5), 5)], [1]])
        many = work("lockstep::roi_align", [maps, [Tensor("Float", (100, 5), 500)], [7]])
        self.assertEqual(few.bytes, 2 * 4 * 16 + 2 * 2 * 4)  # 16 pixels a channel; zeros, then the result
        self.assertEqual(many.bytes, 2 * 4 * (64 + 16) + 2 * 2 * 100 * 4 * 49)

    def test_an_unknown_operator_streams_and_is_named(self):
        group, streamed = work_of(Operator("lockstep::new_one", [half(10), [half(5)]], [half(20)]))
        self.assertEqual((group, streamed.bytes), (UNKNOWN, 70))


def entry(depth, name, inputs=(), outputs=(), **rest):
    return {"depth": depth, "name": name, "inputs": list(inputs), "outputs": list(outputs), **rest}


class Innermost(unittest.TestCase):
    def test_counts_what_a_gpu_runs(self):
        some = {"type": "Float", "shape": [4, 4], "stored": 16}
        names = [(each.name, each.is_captured) for each in roofline.innermost([
            entry(0, "aten::linear", [some, some], [some]),
            entry(1, "aten::t", [some], [some]),
            entry(1, "aten::addmm", [some, some, some], [some]),
            entry(2, "aten::copy_", [some, some], [some]),
            entry(0, "lockstep::best_of_segments", [some, [8, 8], 4], nodes=[7, 7]),
            entry(0, "lockstep::roi_align", [[some], [some], [7]], nodes=[7, 9]),
            entry(1, "aten::to", [some], [some]),
            entry(2, "aten::_to_copy", [some], [some]),
            entry(0, "aten::sum", [some], [some]),
            entry(0, "SumBackward0", node=9),
            entry(1, "aten::fill_", [some], [some]),
            entry(0, "ToCopyBackward0", node=7),
            entry(1, "aten::_to_copy", [some], [some]),
            entry(0, "RoiAlignFunction", node=8),
            entry(1, "lockstep::roi_align_backward", [[some], [[1, 4, 4, 4]]], nodes=[10, 10]),
            entry(2, "aten::zeros", [], [some]),
            entry(0, "AddmmBackward0", node=3),
            entry(1, "aten::mm", [some, some], [some]),
            entry(0, "aten::never_heard_of", [some], [some])])]
        self.assertEqual(names, [
            ("aten::addmm", True), ("lockstep::best_of_segments", False), ("lockstep::roi_align", False), ("aten::sum", False),
            ("aten::fill_", False), ("lockstep::roi_align_backward", False), ("aten::mm", True), ("aten::never_heard_of", False)])

    def test_an_epilogue_adds_the_bias_of_its_convolution(self):
        def convolution():
            return Operator("aten::convolution", [half(1), half(1), half(1)], [half(1)])
        first, epilogue, second, norm, update = roofline.as_device_runs([
            convolution(), Operator("lockstep::epilogue", [half(1), None, None], []), convolution(),
            Operator("aten::_fused_sgd_", [[half(1)], [half(2)], [half(3)]], [])])
        self.assertIsNone(first.inputs[2])
        self.assertIsNotNone(second.inputs[2])
        self.assertEqual((norm.name, norm.inputs), ("aten::_foreach_norm", [[half(2)]]))


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.peer = small_peer()

    def test_flop_of_torchvision_are_those_of_torchs_counter(self):
        with FlopCounterMode(display=False) as counter:
            operators = roofline.peer_operators(self.peer, batch(1))
        sums = [(work_of(each)[0], work_of(each)[1].products) for each in operators]
        self.assertEqual(sum(products for _, products in sums), counter.get_total_flops())
        self.assertEqual({group for group, products in sums if products}, {CONVOLUTIONS, PRODUCTS})
        self.assertNotIn(UNKNOWN, {group for group, _ in sums})

    def test_two_images_tell_a_third(self):
        one, two, three = (roofline.sums_of(roofline.peer_operators(self.peer, batch(count))) for count in (1, 2, 3))
        told, found = roofline.step_of(roofline.at_batch(3, one, two)), roofline.step_of(three)
        for group in (CONVOLUTIONS, ELEMENTWISE, COPIES, OPTIMIZER):
            for field in ("flop", "bytes", "kernels", "seconds"):
                expected = getattr(found.groups[group], field)
                self.assertAlmostEqual(getattr(told.groups[group], field), expected, delta=0.02 * expected, msg=(group, field))

    @unittest.skipUnless(PROGRAM and pathlib.Path(PROGRAM).exists(), "needs the target roofline_step")
    def test_our_forward_flop_are_torchvisions(self):
        (operators,) = roofline.own_operators(PROGRAM, [batch(1)])
        forward = sum(work_of(each)[1].products for each in operators
                      if each.is_captured and each.name in ("aten::convolution", "aten::addmm"))
        images, _ = batch(1)
        model = self.peer.model
        with FlopCounterMode(display=False) as counter, torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            model.rpn.head(list(model.backbone(images.tensors).values()))
        # A GPU's feed gives images a fourth channel, which the stem multiplies as well.
        height, width = images.tensors.shape[-2:]
        of_fourth_channel = 2 * 64 * 7 * 7 * (height // 2) * (width // 2)
        self.assertEqual(forward, counter.get_total_flops() + of_fourth_channel)
        self.assertNotIn(UNKNOWN, {work_of(each)[0] for each in operators})
        self.assertEqual(sum(work_of(each)[1].waits for each in operators), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
