"""Lists names and sentences that a reader who knows Spark would not understand: `python -m tools.words [PATH...]`."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "twinspark"
PROSE = (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "docs")

QUOTED = {ROOT / "docs" / "contribute" / "conformance.md"}  # it quotes the messages of recorded runs
# Words of this project's old dialect, with what to write instead.
DIALECT = {
    r"\btold\b|\btells?\b": "reports, sends, renders, says",
    r"\basked\b": "requested, required (columns), read",
    r"\brefuse[sd]?\b|\brefusals?\b": "raises AnalysisException, rejects",
    r"\b(is|are|stays?) Spark's(?= *([.:;,)]|$))|\bleft to Spark\b|\belsewhere\b": "falls back to Spark",
    r"\bmistakes?\b|\bmended\b": "error, fixed",
    r"\bby chance\b": "nondeterministic, random",
    r"\blittle data\b": "inputs below the row-order limit",
    r"\bbehind it\b|\bbehind them\b": "after",
}
ANYWHERE = [re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in DIALECT]
# Participles that are no ordinary word of programs: a function is a verb, or a noun for what it returns.
PARTICIPLE = re.compile(
    r"_?(told|shown|said|made|found|given|taken|written|drawn|known|seen|held|kept|sent|met|left|hidden|built|lost|meant|"
    r"thrown|chosen|[a-z]+ed)"
)
ORDINARY = {"seed", "need", "feed", "speed", "embed", "exceed", "proceed", "closed"}


def complaints(path: Path) -> Iterator[str]:
    """Each as `file:line: what is wrong`."""
    if path.suffix == ".py" and any(not is_good(name) for name in re.findall(r"\bdef (\w+)", path.read_text())):
        yield from names(path)
    if not any(pattern.search(path.read_text()) for pattern in ANYWHERE):
        return  # tokens are slow to find
    for line, text in sentences(path):
        for pattern, better in DIALECT.items():
            if found := re.search(pattern, text, re.IGNORECASE):
                yield f"{path.relative_to(ROOT)}:{line}: {found.group()!r}: write {better}"


def names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_good(node.name):
            yield f"{path.relative_to(ROOT)}:{node.lineno}: a function named {node.name!r} has no verb and no noun"


def is_good(name: str) -> bool:
    return name != "_" and (name in ORDINARY or not PARTICIPLE.fullmatch(name))


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Comments and docstrings of a program, every line of a page."""
    if path.suffix == ".py":
        yield from python_sentences(path.read_text())
    elif path.suffix in (".c", ".h"):
        yield from c_sentences(path.read_text())
    else:
        yield from enumerate(path.read_text().splitlines(), 1)


def python_sentences(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def c_sentences(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL):
        first = text.count("\n", 0, found.start()) + 1
        for offset, line in enumerate(found.group().splitlines()):
            yield first + offset, line


def files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        found = path.rglob("*") if path.is_dir() else [path]
        yield from sorted(each for each in found if each.suffix in (".py", ".c", ".h", ".md") and each not in QUOTED)


def all_complaints(paths: list[Path]) -> list[str]:
    return [complaint for path in files(paths) for complaint in complaints(path)]


if __name__ == "__main__":
    print("\n".join(all_complaints([Path(each).resolve() for each in sys.argv[1:]] or [SOURCE, *PROSE])))
