"""Without a `program`, a text is a script: it runs in Python, in this
page, and what it prints is shown."""

from array import array

import hologram_web as hg

TITLE = "A script"
SUMMARY = "Launches kernels from Python, here in the page, and prints: the tab Printed has it."


@hg.kernel
def collatz(start: hg.Array[hg.u32], steps: hg.Array[hg.u32]):
    i = hg.global_id()
    if i < len(start):
        n, count = start[i], 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


start = array("I", range(1, 1001))
steps = array("I", bytes(4000))
# Without JSPI: await collatz.launch_async(1000, start, steps)
collatz[1000](start, steps)

longest = max(range(1000), key=steps.__getitem__)
print(f"Up to 1,000: {start[longest]}, by {steps[longest]} steps.")

try:
    collatz[1000](start, array("I", [0]))
except hg.HologramError as error:
    print(f"{type(error).__name__}: {error}")
