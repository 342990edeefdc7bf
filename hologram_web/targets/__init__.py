"""Targets: from lowered code to the text or bytes of a platform."""
