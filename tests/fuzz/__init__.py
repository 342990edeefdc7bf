"""The differential fuzzer: random programs that mean one thing, run on every device and compared with the reference.

`python -m tests.fuzz` runs it, `python -m tests.fuzz.mutants` tries it on devices with a seeded bug.
"""
