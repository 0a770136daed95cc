"""SQL code blocks of Spark's own documentation (docs/sql-*.md): one script per page."""

import re
from collections.abc import Iterator

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless, split_statements

BLOCK = re.compile(r"(?is)```sql\n(.*?)```|\{% highlight sql %\}(.*?)\{% endhighlight %\}")
OUTPUT = re.compile(r"(?m)^\s*(\+[-+]+\+|\|.*\||[A-Z]\w+Exception.*|Error.*|Caused by.*)\s*$")


def pages(copy: GitCopy) -> Iterator[Script]:
    for name in copy.matching("docs/sql-*.md", "docs/*.md"):
        blocks = "\n;\n".join(first or second for first, second in BLOCK.findall(copy.text(name)))
        statements = tuple(filter(is_harmless, split_statements(OUTPUT.sub("", blocks))))[:300]
        if statements:
            yield Script("docs", name, statements)
