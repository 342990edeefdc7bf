"""The Fourier transform of sound: 1,024 samples at a time, in the shared memory of one block."""

# mypy: ignore-errors

import math

import numpy as np

import hologram_web as hg

TITLE = "FFT of the microphone"
SUMMARY = "A spectrogram of what the microphone hears, or of a chirp: a Fourier transform of 1,024 samples a frame."
SIZE = (512, 384)
KEYS = "The microphone starts when it is asked for."
HINT = "High tones are above; the newest lie to the right. The sound does not leave the page."
TOLERANCE = 1e-5
FRAMES = 520

SAMPLES = 1024
LANES = 256


@hg.kernel
def transform(sound: hg.Array[hg.f32], level: hg.Array[hg.f32]):
    """How strong each of 512 frequencies is. A lane does four numbers."""
    tile = hg.shared(hg.complex64, SAMPLES)
    lane = hg.local_id()
    for q in range(4):
        i = lane + q * LANES
        place = 0
        for k in hg.static_range(10):
            place |= (i >> k & 1) << (9 - k)
        window = 0.5 - 0.5 * hg.cos(2 * math.pi * i / SAMPLES)  # Hann's
        tile[place] = hg.complex64(sound[i] * window, 0.0)
    hg.barrier()
    half = 1
    while half < SAMPLES:
        for q in range(2):  # pairs that meet in this round are no one else's
            pair = lane + q * LANES
            k = pair % half
            low = 2 * (pair - k) + k
            angle = -math.pi * k / half
            a, b = tile[low], tile[low + half] * hg.complex64(hg.cos(angle), hg.sin(angle))
            tile[low], tile[low + half] = a + b, a - b
        hg.barrier()
        half *= 2
    for q in range(2):
        i = lane + q * LANES
        level[i] = abs(tile[i]) / (SAMPLES / 4)


@hg.kernel
def keep(level: hg.Array[hg.f32], history: hg.Array[hg.u8, 2], at: hg.i32):
    """A column of the spectrogram, in steps of a third of a decibel below the loudest."""
    i = hg.global_id()
    decibels = 20 * hg.log10(level[i] + 1e-6)
    history[i, at] = hg.u8(3 * (decibels + 84))


@hg.kernel
def paint(history: hg.Array[hg.u8, 2], level: hg.Array[hg.f32], picture: hg.Array[hg.u8, 2], at: hg.i32):
    """The spectrogram above, by tones, and the spectrum of now below."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = picture.shape
    upper = height * 3 // 4
    if row < upper:
        tone = 1 - (row + 0.5) / upper
        bin = hg.clamp(hg.i32(2.0 * hg.exp(5.5 * tone)), 1, 511)
        picture[row, column] = history[bin, (column + at + 1) % width]
    else:
        bin = hg.clamp(hg.i32(2.0 * hg.exp(5.5 * (column + 0.5) / width)), 1, 511)
        top = (20 * hg.log10(level[bin] + 1e-6) + 84) / 84
        above = (height - row) / (height - upper)
        picture[row, column] = hg.u8(60 + 170 * above) if above < top else 0


def programs():
    shapes = {"sound": (SAMPLES,), "level": (SAMPLES // 2,), "history": (SAMPLES // 2, "width")}
    plan = hg.PlanBuilder("spectrum", shapes={**shapes, "picture": ("height", "width")})
    plan.launch(transform, LANES, LANES)
    plan.launch(keep, SAMPLES // 2)
    plan.launch(paint, ("width", "height"))
    return {"frame": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    sound = np.random.default_rng(11).normal(0, 0.3, SAMPLES).astype(np.float32)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SAMPLES) / SAMPLES)
    level = abs(np.fft.rfft(sound * window))[: SAMPLES // 2] / (SAMPLES / 4)
    args = {"sound": sound, "level": np.zeros(SAMPLES // 2, np.float32)}
    args |= {"history": np.zeros((SAMPLES // 2, 8), np.uint8), "picture": np.zeros((16, 8), np.uint8), "at": 3}
    yield "frame", args, {"level": level}
