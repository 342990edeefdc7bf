"""Plans, the middle of the house: formulas over sizes, steps, code of targets, the artifact file."""
