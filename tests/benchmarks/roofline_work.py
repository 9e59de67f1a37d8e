"""What each operator of a training step asks of a GPU: products, bytes, kernels. One rule an operator, in RULES.

Bytes are the least that must move: every input read once, every result written once, gathers and what sorts need beside. Where
a kernel may do worse the rule does not say so, for either side. An operator that no rule knows is taken for one that streams its
inputs and results, in the group UNKNOWN, so that its name shows.
"""
import dataclasses
import math
import typing

BYTES = {"Double": 8, "Long": 8, "Float": 4, "Int": 4, "Half": 2, "BFloat16": 2, "Short": 2, "Byte": 1, "Char": 1, "Bool": 1}
HALVES = {"Half", "BFloat16"}

CONVOLUTIONS, PRODUCTS, ELEMENTWISE, COPIES, ROI_ALIGN, CHOICES, REDUCTIONS, OPTIMIZER, UNKNOWN = GROUPS = (
    "convolutions", "matrix products", "elementwise", "casts, copies, fills", "RoIAlign", "gathers, sorts, NMS, matching",
    "reductions and losses", "optimizer", "without a rule")


PROPOSALS = 2000  # of an image in training, with the defaults of both


class Tensor(typing.NamedTuple):
    type: str
    shape: tuple
    stored: int  # elements in memory: fewer than of the shape where it is expanded
    is_contiguous: bool = True

    @property
    def count(self):
        return math.prod(self.shape)

    @property
    def bytes(self):
        return self.stored * BYTES[self.type]


@dataclasses.dataclass
class Operator:
    name: str  # aten::add, without its overload
    inputs: list  # tensors, numbers, lists of them, None
    outputs: list
    is_captured: bool = False  # replayed by runtime.cuda_graphs
    is_python: bool = False  # called from there


@dataclasses.dataclass
class Work:
    products: float = 0  # FLOP of tensor cores, two a multiply-add
    operations: float = 0  # FLOP of the other units
    bytes: float = 0  # of memory
    cache_bytes: float = 0  # that the second-level cache serves beside
    kernels: float = 1
    steps: float = 0  # memory accesses one after another, each of which waits for the one before
    waits: float = 0  # of the host for the device


def tensors(values):
    if isinstance(values, Tensor):
        return [values]
    return [found for value in values for found in tensors(value)] if isinstance(values, (list, tuple)) else []


def size(values):
    return sum(tensor.bytes for tensor in tensors(values))


def stream(operator):
    """Reads all, writes all."""
    return Work(bytes=size(operator.inputs) + size(operator.outputs), operations=sum(t.count for t in tensors(operator.outputs)))


def write(operator):
    return Work(bytes=size(operator.outputs))


def overwrite(operator):
    """copy_(to, from): what was there is not read."""
    return Work(bytes=size(operator.inputs[1:]) + size(operator.outputs))


def streams(kernels):
    """This many kernels in sequence, each of which streams."""
    def rule(operator):
        once = stream(operator)
        return Work(bytes=kernels * once.bytes, operations=kernels * once.operations, kernels=kernels)
    return rule


def product(type_, multiplies, **rest):
    """Matrix product; half precision uses tensor cores."""
    return Work(**{"products" if type_ in HALVES else "operations": 2 * multiplies}, **rest)


# Convolutions: input, weight, bias, stride, padding, dilation, is_transposed, …

def multiplies(input_, weight, result, is_transposed):
    return (input_ if is_transposed else result).count * math.prod(weight.shape[1:])


def convolution(operator):
    """cuDNN's kernel, then one that adds the bias."""
    input_, weight, bias = operator.inputs[:3]
    result = operator.outputs[0]
    work = product(input_.type, multiplies(input_, weight, result, operator.inputs[6]), bytes=size([input_, weight, result]))
    if bias is not None:
        work.bytes += 2 * result.bytes
        work.kernels += 1
    return work


def convolution_backward(operator):
    """grad, input, weight, …, output_mask: a kernel for the gradient of each, the bias' by a sum."""
    gradient, input_, weight = operator.inputs[:3]
    of_input, of_weight, of_bias = operator.inputs[10]
    passes = int(of_input) + int(of_weight)
    return product(input_.type, passes * multiplies(input_, weight, gradient, operator.inputs[7]), kernels=passes + int(of_bias),
                   bytes=passes * size([gradient, input_, weight]) + int(of_bias) * gradient.bytes)


def matrix_product(first):
    """The two matrices are inputs `first` and the next."""
    def rule(operator):
        left, result = operator.inputs[first], operator.outputs[0]
        return product(left.type, result.count * left.shape[-1], bytes=size(operator.inputs) + size(operator.outputs))
    return rule


# Gathers, sorts, top-k

def gather(operator):
    """Reads and writes the gathered elements and their indices; a mask is converted to indices first, which synchronises."""
    indices = tensors(operator.inputs[1:])
    masks = [index for index in indices if index.type in ("Bool", "Byte")]
    return Work(bytes=2 * size(operator.outputs) + size(indices), kernels=1 + 3 * len(masks), waits=len(masks))


def scatter(operator):
    """index_put(into, indices, values, accumulate): adding up sorts the indices first. Not in place: copies first."""
    into, indices, values = operator.inputs[:3]
    is_adding = len(operator.inputs) > 3 and operator.inputs[3] is True
    masks = [index for index in tensors(indices) if index.type in ("Bool", "Byte")]
    is_copy = not operator.name.endswith("_")
    return Work(bytes=2 * size(values) + size(indices) + (2 * into.bytes if is_copy else 0), waits=len(masks),
                kernels=1 + is_copy + 3 * len(masks) + 5 * is_adding)


def index_copy(operator):
    """into, dimension, index, source"""
    return Work(bytes=2 * size(operator.inputs[3]) + size(operator.inputs[2]))


def sort(operator):
    """Radix sort: four passes over keys and indices."""
    return Work(bytes=8 * size(operator.outputs), kernels=5)


def topk(operator):
    """Radix select: four passes over the keys, then a sort of the selected ones."""
    return Work(bytes=4 * size(operator.inputs) + size(operator.outputs), kernels=5)


def nonzero(operator):
    return Work(bytes=2 * size(operator.inputs) + size(operator.outputs), kernels=3, waits=1)


def wait(operator):
    return Work(waits=1)


def overlap_work(boxes, others, kept, images, kernels):
    """A sort, a mask of 64 boxes a word of each box with the `others` of its group, and a walk over it that waits for the row of
    every box it keeps."""
    return Work(operations=16 * images * boxes * others / 2, bytes=images * boxes * (2 * others / 8 + 64), kernels=kernels,
                steps=kept + others / 64)


def nms(operator):
    """torchvision's, an image alone; its result's size the host waits for. Random weights, whose boxes are the anchors, keep more
    than trained ones: no more are counted than are proposals afterwards."""
    boxes, kept = operator.inputs[0].shape[0], operator.outputs[0].shape[0]
    work = overlap_work(boxes, boxes, min(kept, PROPOSALS), 1, kernels=12)
    work.waits = 1
    return work


def select_by_nms(operator):
    """boxes, most of a group, most of an image: the groups of all images at once; 16 rows of a mask are on their way together."""
    boxes, group, most = operator.inputs
    images, count, _ = boxes.shape
    return overlap_work(count, group, min(most, group) / 16, images, kernels=14)


def match_boxes(operator):
    """objects, candidates: every pair twice"""
    objects, candidates = operator.inputs[:2]
    matches = objects.shape[0] * candidates.shape[-2]
    return Work(operations=2 * 16 * matches * objects.shape[1], bytes=2 * candidates.bytes + 3 * 12 * matches, kernels=3)


def best_overlaps(operator):
    """objects, candidates: every pair once"""
    objects, candidates = operator.inputs[:2]
    pairs = objects.shape[0] * candidates.shape[-2] * objects.shape[1]
    return Work(operations=16 * pairs, bytes=candidates.bytes + 12 * objects.shape[0] * candidates.shape[-2], kernels=1)


def sample_balanced(operator):
    labels, count = operator.inputs[:2]
    return Work(bytes=2 * labels.bytes + 10 * labels.shape[0] * count, kernels=3)


def best_of_segments(operator):
    scores, sizes, most = operator.inputs
    return Work(bytes=scores.bytes + 16 * scores.shape[0] * sum(min(each, most) for each in sizes), kernels=2)


def decode_boxes(operator):
    """Reads a delta, a box and an index; writes a box and a bool."""
    deltas, _, chosen = operator.inputs
    return Work(bytes=chosen.count * (4 * BYTES[deltas.type] + 8 + 16 + 16 + 1))


def encode_boxes(operator):
    """Reads a box, an object, a match, an index and a bool; writes a target."""
    return Work(bytes=operator.inputs[2].count * (16 + 16 + 8 + 8 + 1 + 16))


def mask_targets(operator):
    pixels, boxes, side = operator.inputs
    return Work(bytes=pixels.bytes + boxes.bytes + 4 * boxes.shape[0] * side * side)


# RoIAlign: 2 x 2 samples a bin, of 4 pixels each

TAPS = 16


def roi_align_work(values, element, maps, **rest):
    """values: pooled, of `element` bytes; maps: bytes of the features. Taps are read from the cache, each pixel once from memory."""
    taps = TAPS * values * element
    return Work(operations=2 * TAPS * values, cache_bytes=taps, bytes=values * element + min(maps, taps), **rest)


def torchvision_roi_align(operator):
    """Over a map in NCHW, into which it is copied where it is not."""
    features, result = operator.inputs[0], operator.outputs[0]
    work = roi_align_work(result.count, BYTES[result.type], features.bytes)
    if not features.is_contiguous:
        work.bytes += 2 * features.bytes
        work.kernels += 1
    return work


def torchvision_roi_align_backward(operator):
    """A map of zeros to which every tap is added by itself."""
    gradient, result = operator.inputs[0], operator.outputs[0]
    work = roi_align_work(gradient.count, BYTES[gradient.type], result.bytes, kernels=2)
    work.bytes += 2 * result.bytes
    work.cache_bytes *= 2
    return work


def roi_align(operator):
    """features of all levels, rois of each set, side of each; a kernel a level and set after one that fills with zeros."""
    features, rois, sides = operator.inputs
    element = BYTES[features[0].type]
    values = sum(each.shape[0] * features[0].shape[1] * side * side for each, side in zip(rois, sides, strict=True))
    work = roi_align_work(values, element, len(rois) * size(features), kernels=len(rois) * (1 + len(features)))
    work.bytes += values * element
    return work


def roi_align_backward(operator):
    """gradients of the sets, sizes of the levels: lists of each set's regions by image and level, then a kernel a level that
    writes each pixel once. In halves on a GPU; the CPU's gradients are wider."""
    gradients, sizes = operator.inputs
    element, count = BYTES["BFloat16"], sum(each.count for each in gradients)
    maps = element * sum(math.prod(each) for each in sizes)
    return Work(operations=2 * TAPS * count, bytes=element * count + maps, cache_bytes=TAPS * element * count / 4,
                kernels=9 * len(gradients) + len(sizes))


# Maps

def max_pool(operator):
    """A quarter of the map, with one byte of argmax per value."""
    return Work(bytes=operator.inputs[0].bytes * 5 / 4 + operator.inputs[0].count / 4)


def max_pool_backward(operator):
    return Work(bytes=operator.inputs[0].bytes * 5 + operator.inputs[0].count)


def epilogue(operator):
    """map, bias, residual: in place."""
    map_, bias, residual = operator.inputs
    return Work(bytes=2 * map_.bytes + size([bias, residual]))


def group_norm(operator):
    """Sums, coefficients, result."""
    map_, residual = operator.inputs
    return Work(bytes=3 * map_.bytes + size([residual]), kernels=3)


def group_norm_backward(operator):
    """Reads gradient and map twice and writes one."""
    return Work(bytes=5 * operator.inputs[0].bytes, kernels=3)


# Optimizer: lists of tensors, in kernels of at most 320 blocks of 65,536 elements

def kernels_for(lists):
    return math.ceil(sum(tensor.count for tensor in lists) / (320 * 65536))


def fused_sgd(operator):
    """parameters, gradients, momenta: reads all, writes the first and the last."""
    parameters, gradients, momenta = operator.inputs[:3]
    return Work(bytes=2 * size(parameters) + size(gradients) + 2 * size(momenta), kernels=kernels_for(parameters))


def tensor_sums(operator):
    """tensors, others: each element once, then the sums of the chunks"""
    return Work(bytes=size(operator.inputs), kernels=2)


def of_lists(operator):
    work = stream(operator)
    return dataclasses.replace(work, kernels=kernels_for(tensors(operator.inputs) or tensors(operator.outputs)))


# Without a kernel or memory traffic: views, allocations, profiler records.
FREE = set("""
    alias as_strided as_strided_ broadcast_to chunk contiguous detach detach_ diagonal empty empty_like empty_permuted
    empty_strided expand expand_as flatten is_nonzero is_same_size item lift_fresh movedim narrow new_empty new_empty_strided
    numpy_T permute requires_grad_ reshape reshape_as resize_ resolve_conj resolve_neg result_type select set_ slice split
    split_with_sizes squeeze squeeze_ stride sum_to_size swapaxes t tensor_split to transpose type_as unbind unflatten
    unsqueeze unsqueeze_ view view_as _reshape_alias _unsafe_view _version
""".split())

_OF_ATEN = {
    CONVOLUTIONS: {convolution: "convolution", convolution_backward: "convolution_backward"},
    PRODUCTS: {matrix_product(0): "mm bmm mv dot", matrix_product(1): "addmm baddbmm addmv"},
    ELEMENTWISE: {
        stream: """abs add add_ bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_ clamp_max clamp_max_ clamp_min
                   clamp_min_ cos div div_ eq exp floor floor_divide ge gt isfinite le log log1p log2 logical_and logical_and_
                   logical_not logical_or lt masked_fill masked_fill_ maximum max_pool2d max_pool2d_with_indices
                   max_pool2d_with_indices_backward minimum mul mul_ ne neg pow reciprocal relu relu_ remainder round rsqrt rsub
                   sigmoid sigmoid_backward sign sqrt square sub sub_ threshold_backward trunc upsample_nearest2d
                   upsample_nearest2d_backward where"""},
    COPIES: {
        stream: "_to_copy cat clone constant_pad_nd flip repeat stack slice_backward select_backward",
        overwrite: "copy_",
        write: """arange fill_ full full_like linspace new_full new_ones new_zeros ones ones_like scalar_tensor zero_ zeros
                  zeros_like"""},
    CHOICES: {
        gather: "index index_select gather", scatter: "index_put index_put_ _index_put_impl_", index_copy: "index_copy_",
        stream: "scatter scatter_ searchsorted", sort: "sort randperm", topk: "topk", nonzero: "nonzero masked_select",
        wait: "_local_scalar_dense"},
    REDUCTIONS: {
        stream: """_log_softmax _log_softmax_backward_data _softmax all amax any argmax cumsum max mean min nll_loss_backward
                   nll_loss_forward prod smooth_l1_loss smooth_l1_loss_backward sum""",
        streams(6): "binary_cross_entropy_with_logits"},
    OPTIMIZER: {fused_sgd: "_fused_sgd_", of_lists: "_foreach_add_ _foreach_mul_ _foreach_norm _foreach_zero_"},
}

_OTHERS = {
    "torchvision::nms": (CHOICES, nms),
    "torchvision::roi_align": (ROI_ALIGN, torchvision_roi_align),
    "torchvision::_roi_align_backward": (ROI_ALIGN, torchvision_roi_align_backward),
    "lockstep::best_overlaps": (CHOICES, best_overlaps),
    "lockstep::tensor_sums": (OPTIMIZER, tensor_sums),
    "lockstep::best_of_segments": (CHOICES, best_of_segments),
    "lockstep::decode_boxes": (CHOICES, decode_boxes),
    "lockstep::encode_boxes": (CHOICES, encode_boxes),
    "lockstep::epilogue": (ELEMENTWISE, epilogue),
    "lockstep::group_norm": (ELEMENTWISE, group_norm),
    "lockstep::group_norm_backward": (ELEMENTWISE, group_norm_backward),
    "lockstep::mask_targets": (CHOICES, mask_targets),
    "lockstep::match_boxes": (CHOICES, match_boxes),
    "lockstep::max_pool": (ELEMENTWISE, max_pool),
    "lockstep::max_pool_backward": (ELEMENTWISE, max_pool_backward),
    "lockstep::roi_align": (ROI_ALIGN, roi_align),
    "lockstep::roi_align_backward": (ROI_ALIGN, roi_align_backward),
    "lockstep::sample_balanced": (CHOICES, sample_balanced),
    "lockstep::select_by_nms": (CHOICES, select_by_nms),
}

# {name: (group, rule)}
RULES = _OTHERS | {f"aten::{name}": (group, rule) for group, rules in _OF_ATEN.items() for rule, names in rules.items()
                   for name in names.split()}


def is_free(name):
    return name.startswith("profiler::") or name.removeprefix("aten::") in FREE


def work_of(operator):
    """(group, work) of an operator that is not free."""
    group, rule = RULES.get(operator.name, (UNKNOWN, stream))
    return group, rule(operator)
