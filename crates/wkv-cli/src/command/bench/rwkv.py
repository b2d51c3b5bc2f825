"""Times the rwkv package of PyPI in f32 on the CPU, on the weights of a safetensors file.

Arguments: the weights; a file of tokens, one a line; how many of them, the last, to read one by
one; the file to write. That gets, in JSON, the tokens a second of those before, read at once, and
of the last, and the logits after all of them.
"""

import json
import os
import struct
import sys
import tempfile
import time

os.environ["RWKV_JIT_ON"] = "1"
os.environ["RWKV_CUDA_ON"] = "0"

import torch
from rwkv.model import RWKV

# The JIT compiler of PyTorch optimises what it has seen run.
WARM_UP = 3
TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    for name, tensor in header.items():
        start, end = (8 + length + offset for offset in tensor["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[start:end]), dtype=TYPES[tensor["dtype"]])
        yield name, numbers.reshape(tensor["shape"]).float()


def load(weights):
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = os.path.join(folder, "model.pth")
        torch.save(dict(tensors(weights)), path)
        return RWKV(model=path, strategy="cpu fp32", verbose=False)


def run(model, prompt, rest):
    start = time.perf_counter()
    logits, state = model.forward(prompt, None)
    middle = time.perf_counter()
    for token in rest:
        logits, state = model.forward([token], state)
    end = time.perf_counter()
    return {
        "prompt": len(prompt) / (middle - start),
        "generate": len(rest) / (end - middle),
        "logits": logits.tolist(),
    }


def main():
    weights, tokens, one_by_one, result = sys.argv[1:]
    torch.set_num_threads(os.cpu_count())
    with open(tokens) as file:
        tokens = [int(line) for line in file]
    split = len(tokens) - int(one_by_one)
    model = load(weights)
    with torch.no_grad():
        for _ in range(WARM_UP):
            run(model, tokens[:split], tokens[split:])
        figures = run(model, tokens[:split], tokens[split:])
    with open(result, "w") as file:
        json.dump(figures, file)


main()
