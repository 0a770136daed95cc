"""Splits Spark SQL text into tokens by the rules of Spark's lexer: longest match, numbers before names, nested
comments."""

import re
from dataclasses import dataclass, field

from twinspark.cancellation import check_wanted
from twinspark.read.sql.lexer.keywords import KIND_OF_WORD

# A decimal point counts only if no letter, digit or underscore follows: `1.e` is 1 . e, `a.1` is a .1
_DECIMAL = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:[bB][dD]|[dDfF])?(?![A-Za-z0-9_])"
# Digits followed by letters are a number if that is the longest match (1e5, 7L), otherwise a name (1e5x, 2nd).
_WHOLE = (
    r"[0-9]+(?:(?:[eE][0-9]+)?(?:[bB][dD]|[dDfF])?|[lLsSyY]|[eE][0-9]+)(?!\w)|[0-9]+[eE][+-][0-9]+(?:[bB][dD]|[dDfF])?"
)
_TOKEN = re.compile(
    r"[ \t\n\f\r\x0b\xa0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000]*+(?:"
    rf"(?P<word>[^\W\d]\w*)|(?P<number>{_DECIMAL}|{_WHOLE})|(?P<digits>[0-9]\w*)"
    r"|(?P<string>'(?:[^'\\]++|\\.|'')*')"
    r"|(?P<backquoted>`(?:[^`]++|``)*`)"
    r'|(?P<doublequoted>"(?:[^"\\]++|\\.|"")*")'
    r"|(?P<comment>--(?:\\\n|[^\r\n])*(?:\r?\n|\r)?)|(?P<bracketed>/\*(?!\+))|(?P<dollar>\$[A-Za-z]*\$)"
    r"|(?P<symbol><=>|>>>|/\*\+|<>|<=|<<|>=|>>|!=|!>|!<|==|=>|->|\|\||\|>|::|\*/|[-+*/%~&|^=<>!:?(),.;\[\]])"
    r"|(?P<other>.))",
    re.DOTALL,
)
_RAW = re.compile(r"'[^']*'|\"[^\"]*\"")
_URI = re.compile(r"://[\w/\-.?=&#%]+")
_BRACKETS = re.compile(r"/\*(?!\+)|\*/")
_SAME = {"==": "=", "!>": "<=", "!<": ">="}
_SUFFIXES = {"L": "bigint", "S": "smallint", "Y": "tinyint", "F": "float", "D": "double"}


@dataclass(slots=True)
class Tokens:
    """Parallel lists, terminated by `eof` tokens. Kinds: keywords in upper case, symbols as themselves, others in lower
    case."""

    text: str
    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    unclosed_comment: int | None = None

    def word(self, index: int) -> str:
        return self.text[self.starts[index] : self.stops[index]]


_LONG = 100_000  # longer texts are checked for cancellation


def _match_while_wanted(text: str, position: int) -> re.Match[str] | None:
    check_wanted()
    return _TOKEN.match(text, position)


def tokenize(text: str) -> Tokens:
    tokens = Tokens(text)
    kinds, starts, stops = tokens.kinds, tokens.starts, tokens.stops
    match, kind_of_word = _TOKEN.match if len(text) < _LONG else _match_while_wanted, KIND_OF_WORD
    position = nesting = 0  # nesting: the number of open ARRAY, MAP and STRUCT types, for `>>` that closes two of them
    while found := match(text, position):
        group = found.lastgroup
        assert group is not None
        start, position = found.span(group)
        if group == "word":
            word = text[start:position]
            kind = kind_of_word.get(word.upper(), "identifier")
            if kind in _COMPLEX:
                nesting += 1
            elif word in "rR" and (raw := _RAW.match(text, position)):
                kind, position = "string", raw.end()
        elif group == "symbol":
            kind = text[start:position]
            if kind[0] == ">":
                if nesting:  # `>>` closes two types; any `>` may close one
                    kind = ">" if kind != ">=" else kind
                    position = start + len(kind)
                    nesting -= kind == ">"
            elif kind in _SAME:
                kind = _SAME[kind]
            elif kind == "<>" and kinds and kinds[-1] == "STRUCT":
                nesting -= 1
            elif kind == ":" and kinds and (uri := _uri_at(tokens, start)):
                stops[-1] = position = uri
                kinds[-1] = "identifier"
                continue
        elif group == "number":
            kind = _number_kind(text[start:position])
        elif group == "comment":
            continue
        elif group == "bracketed":
            position = _end_of_comment(tokens, start)
            continue
        elif group == "dollar":
            kind, position = _dollar_quoted(text, start, position)
        elif group == "digits":
            kind = "identifier"
        elif group == "other":
            kind = "unrecognized"
        else:
            kind = group
        kinds.append(kind)
        starts.append(start)
        stops.append(position)
    kinds += ["eof"] * _LOOKAHEAD
    starts += [len(text)] * _LOOKAHEAD
    stops += [len(text)] * _LOOKAHEAD
    return tokens


def leading_kinds(text: str, count: int) -> list[str]:
    """The kinds of the first tokens, without comments; `eof` where the text is shorter."""
    kinds: list[str] = []
    position = 0
    while len(kinds) < count and (found := _TOKEN.match(text, position)):
        group = found.lastgroup
        assert group is not None
        start, position = found.span(group)
        if group == "bracketed":
            position = _end_of_comment(Tokens(text), start)
        elif group != "comment":
            kinds.append(_leading_kind(group, text[start:position]))
    return kinds + ["eof"] * (count - len(kinds))


def _leading_kind(group: str, word: str) -> str:
    if group == "word":
        return KIND_OF_WORD.get(word.upper(), "identifier")
    return word if group == "symbol" else group


_LOOKAHEAD = 8  # so that looking ahead stays within the lists
_COMPLEX = frozenset({"ARRAY", "MAP", "STRUCT"})


def _number_kind(word: str) -> str:
    last = word[-1].upper()
    if last == "D" and word[-2] in "bB":
        return "bigdecimal"
    if last in _SUFFIXES:
        return _SUFFIXES[last]
    if "e" in word or "E" in word:
        return "exponent"
    return "decimal" if "." in word else "integer"


def _uri_at(tokens: Tokens, colon: int) -> int | None:
    """Letters followed by ://… are one name (a path in place of a table); returns its end."""
    word = tokens.word(-1)
    if tokens.stops[-1] == colon and word.isalpha() and (found := _URI.match(tokens.text, colon)):
        return found.end()
    return None


def _end_of_comment(tokens: Tokens, start: int) -> int:
    depth, position = 1, start + 2
    while found := _BRACKETS.search(tokens.text, position):
        depth += 1 if found[0] == "/*" else -1
        position = found.end()
        if not depth:
            return position
    tokens.unclosed_comment = start
    return len(tokens.text)


def _dollar_quoted(text: str, start: int, position: int) -> tuple[str, int]:
    tag = text[start:position]
    end = text.find(tag, position)
    return ("dollarquoted", end + len(tag)) if end > position else ("unrecognized", start + 1)


_OCTAL = re.compile(r"[01][0-7][0-7]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7][0-7])|(.))|(''|\"\")", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unescape(literal: str) -> str:
    """The value of a string literal with its quotes: SparkParserUtils.unescapeSQLString."""
    quote = literal[0]
    if quote in "rR":
        return literal[2:-1]
    body = literal[1:-1]
    if "\\" not in body and quote * 2 not in body:
        return body
    return _ESCAPE.sub(lambda found: _unescape_match(found, quote), body)


def _unescape_match(found: re.Match[str], quote: str) -> str:
    short, long, octal, other, doubled = found.groups()
    if doubled:
        return quote if doubled[0] == quote else doubled
    if other is not None:
        return _ESCAPED.get(other, other)
    if octal:
        return chr(int(octal, 8))
    return _character(int(short or long, 16))


def _character(code: int) -> str:
    """Beyond Unicode, Spark computes invalid surrogates; this returns what its UTF-8 encoding shows for them."""
    return chr(code) if code < 0x110000 else "??"


def unquote(identifier: str) -> str:
    """A back-quoted or double-quoted identifier without its quotes."""
    quote = identifier[0]
    return identifier[1:-1].replace(quote * 2, quote)
