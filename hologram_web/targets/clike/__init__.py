"""What targets share whose code is a text like C: a language is a table of differences (`language.py`)."""
