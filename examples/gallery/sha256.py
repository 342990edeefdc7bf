"""SHA-256, one message for each lane: the same text with another number behind it each time."""

# mypy: ignore-errors

import hashlib

import numpy as np

import hologram_web as hg

TITLE = "SHA-256"
SUMMARY = "Hashes of a text and a number, thousands a frame, in search of the one that begins with most zeros."
SIZE = (512, 256)
KEYS = "Type another text."
HINT = "A row is a hash, a pixel one of its bits. The best is checked with the browser's own SHA-256."
TOLERANCE = 0
FRAMES = 60

FIRST = (
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
)  # fmt: skip
ROUNDS = (
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
)  # fmt: skip


def turned(x, by):
    """Rotated to the right."""
    return hg.rotl(x, 32 - by)


@hg.kernel
def digest(block: hg.Array[hg.u32], hashes: hg.Array[hg.u32, 2], start: hg.u32, at: hg.i32):
    """`block` is the padded message; its word `at` is this lane's number."""
    lane = hg.global_id()
    w = hg.registers(16, hg.u32)
    for k in hg.static_range(16):
        w[k] = start + hg.u32(lane) if k == at else block[k]
    a, b, c, d, e, f, g, h = FIRST
    a, b, c, d, e, f, g, h = hg.u32(a), hg.u32(b), hg.u32(c), hg.u32(d), hg.u32(e), hg.u32(f), hg.u32(g), hg.u32(h)
    for k in hg.static_range(64):
        if k >= 16:
            x, y = w[(k + 1) % 16], w[(k + 14) % 16]
            small = turned(x, 7) ^ turned(x, 18) ^ (x >> 3)
            large = turned(y, 17) ^ turned(y, 19) ^ (y >> 10)
            w[k % 16] = w[k % 16] + small + w[(k + 9) % 16] + large
        t = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + ROUNDS[k] + w[k % 16]
        s = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c)
        h, g, f, e, d, c, b, a = g, f, e, d + t, c, b, a, t + s
    found = a, b, c, d, e, f, g, h
    for k in hg.static_range(8):
        hashes[lane, k] = found[k] + FIRST[k]


@hg.kernel
def best(hashes: hg.Array[hg.u32, 2], least: hg.Array[hg.u32]):
    """The least first word of all."""
    i = hg.global_id()
    hg.atomic_min(least, 0, hashes[i, 0])


@hg.kernel
def paint(hashes: hg.Array[hg.u32, 2], picture: hg.Array[hg.u8, 2]):
    """A hash is a row of 256 bits; zeros that it begins with are brighter."""
    row, column = hg.global_id(1), hg.global_id(0)
    place = column // 2
    bit = hashes[row, place // 32] >> (31 - place % 32) & 1
    zeros = hg.i32(hg.clz(hashes[row, 0]))
    picture[row, column] = 255 if place < zeros else 130 if bit == 1 else 16


def programs():
    plan = hg.PlanBuilder("sha256", shapes={"block": (16,), "hashes": ("n", 8), "least": (1,), "picture": (256, 512)})
    plan.launch(digest, "n", 64)
    plan.launch(best, "n")
    plan.launch(paint, (512, 256))
    return {"hash": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what Python's hashlib says of them."""
    text = b"hologram"
    message = text + bytes(4)
    padded = message + b"\x80" + bytes(55 - len(message)) + (8 * len(message)).to_bytes(8, "big")
    lanes = [text + (5 + k).to_bytes(4, "big") for k in range(256)]
    hashes = np.frombuffer(b"".join(hashlib.sha256(lane).digest() for lane in lanes), ">u4").astype(np.uint32)
    args = {"block": np.frombuffer(padded, ">u4").astype(np.uint32), "hashes": np.zeros((256, 8), np.uint32)}
    args |= {"least": np.full(1, 2**32 - 1, np.uint32), "picture": np.zeros((256, 512), np.uint8), "start": 5, "at": 2}
    wanted = hashes.reshape(256, 8)
    yield "hash", args, {"hashes": wanted, "least": wanted[:, :1].min(0)}
