"""The checks behind scripts/lint. Each takes the root of a tree and a variant, and returns its findings as lines."""
