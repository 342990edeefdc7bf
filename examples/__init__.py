"""Programs that show what hologram_web can do. Run one by its name: `python -m examples.edges`."""
