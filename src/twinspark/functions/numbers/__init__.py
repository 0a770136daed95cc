"""Functions over numbers: arithmetic, mathematics, rounding, number formats, vectors."""
