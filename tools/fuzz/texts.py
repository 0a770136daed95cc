"""Reads texts.txt: the texts that random inputs start from."""

import re
from pathlib import Path

from tools.cases.files import unescape


def read_texts() -> dict[str, list[str]]:
    """By domain; the empty line before a heading is none of them."""
    blocks = re.split(r"\n\n\[\[(\w+)\]\]\n", (Path(__file__).parent / "texts.txt").read_text().removesuffix("\n"))
    return {
        name: list(map(unescape, block.split("\n"))) for name, block in zip(blocks[1::2], blocks[2::2], strict=True)
    }


TEXTS = read_texts()
