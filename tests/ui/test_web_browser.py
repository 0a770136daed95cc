"""The web UI in a real browser: live lists, keyboard, colours, small screens, accessibility, and 10,000 operations."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from pages_of import Site
from real_browser import CHROMIUM

from twinspark.sessions.history.plan_graph import Node
from twinspark.sessions.history.record import Details, OperationRecord

pytestmark = needs("Chromium: apt-get install chromium", CHROMIUM.exists() and find_spec("playwright") is not None)
Start = Callable[..., Site]
Connect = Callable[..., Any]
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
PAGES = ("operations", "sessions", "sql", "catalog", "reasons", "engines", "verify", "conformance")
PICTURES = os.environ.get("TWINSPARK_TEST_PICTURES")  # the folder that `make pictures` writes to
SLOW = "SELECT count(*) FROM range(200000) a JOIN range(200000) b ON a.id * 7 % 13 = b.id * 5 % 13"


@contextmanager
def open_page(chromium: Any, **options: Any) -> Iterator[Any]:
    """A page in a context of its own; whatever it reports on its console is an error of ours."""
    context = chromium.new_context(**{"viewport": LAPTOP, **options})
    context.set_default_timeout(120_000)  # a machine that is busy needs longer than Playwright's 30 seconds
    page, reported = context.new_page(), []
    page.on("console", lambda message: reported.append(message.text))
    page.on("pageerror", lambda error: reported.append(str(error)))
    yield page
    context.close()
    assert reported == []


def run_statement(page: Any, url: str, text: str) -> None:
    page.goto(f"{url}/sql")
    page.fill("#statement", text)
    page.press("#statement", "Control+Enter")
    page.wait_for_selector("#result table")


def end_of(spark: Any) -> None:
    """Runs until it is cancelled, or until its server stops."""
    with suppress(Exception):
        spark.sql(SLOW).collect()


# ---- what a person does


def test_the_list_is_live_and_an_operation_can_be_cancelled(site: Start, spark_of: Connect, chromium: Any) -> None:
    server = site()
    spark = spark_of(server)
    with open_page(chromium) as page:
        page.goto(server.url)
        assert "0 running, 0 ended" in page.inner_text("main")
        thread = threading.Thread(target=lambda: end_of(spark), daemon=True)
        thread.start()
        page.wait_for_selector(".state-running")
        page.click("td.statement a")
        page.wait_for_selector("button:has-text('Cancel')")
        page.click("button:has-text('Cancel')")
        page.wait_for_selector(".state-warn")
        thread.join(60)


def test_a_statement_by_keyboard_then_a_chart(site: Start, chromium: Any) -> None:
    server = site()
    with open_page(chromium) as page:
        run_statement(page, server.url, "SELECT id, id * id AS square FROM range(6)")
        assert page.locator("#result tbody tr").count() == 6 and "bigint" in page.inner_text("#result thead")
        page.click("summary:has-text('Chart')")
        page.select_option("#chart", "bar")
        page.click("text=Draw")
        assert page.locator("svg.chart rect.mark").count() == 6


def test_errors_are_announced(site: Start, chromium: Any) -> None:
    server = site()
    with open_page(chromium) as page:
        page.goto(f"{server.url}/sql")
        page.fill("#statement", "SELECT nope")
        page.click("text=Run")
        page.wait_for_selector("[role=alert]")
        assert page.inner_text("[role=alert]") == "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"


def test_logging_in_with_a_token(site: Start, chromium: Any) -> None:
    server = site(token="the only token")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.fill("#token", "the only token")
    page.press("#token", "Enter")
    page.wait_for_selector("text=0 running")
    assert not page.query_selector("#token")
    page.click("text=Log out")
    page.wait_for_selector("#token")
    assert "0 running" not in page.inner_text("body")
    context.close()


def test_pages_work_without_scripts(site: Start, chromium: Any) -> None:
    server = site()
    with open_page(chromium, java_script_enabled=False) as page:
        page.goto(f"{server.url}/sql")
        page.fill("#statement", "SELECT 41 + 1")
        page.click("text=Run")
        deadline = time.monotonic() + 60
        while not page.locator("#result table").count() and time.monotonic() < deadline:
            page.reload()
        assert "42" in page.inner_text("#result")


# ---- how it looks


def test_the_button_changes_the_colours_and_they_stay(site: Start, chromium: Any) -> None:
    server = site()
    with open_page(chromium, color_scheme="light") as page:
        page.goto(server.url)
        light = background(page)
        page.click("#colours")
        assert background(page) != light
        page.goto(f"{server.url}/engines")
        assert background(page) != light
        page.click("#colours")
        assert background(page) == light


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_no_page_is_wider_than_a_phone(site: Start, spark_of: Connect, chromium: Any) -> None:
    server = site()
    spark = spark_of(server)
    spark.addTag("twinspark.profile")
    spark.sql(
        "SELECT " + ", ".join(f"id AS a_long_name_of_a_column_{n}" for n in range(20)) + " FROM range(3)"
    ).collect()
    with open_page(chromium, viewport=PHONE) as page:
        page.goto(server.url)
        operation = str(page.get_attribute("td.statement a", "href"))
        for path in (*PAGES, operation.lstrip("/")):
            page.goto(f"{server.url}/{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


# ---- for everybody


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_pages_are_accessible(site: Start, spark_of: Connect, chromium: Any, colours: str) -> None:
    """Controls have names, headings do not skip a level, ids are unique, and texts have a contrast of 4.5 or more."""
    server = site()
    spark = spark_of(server)
    spark.sql("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(Exception, match="nope"):
        spark.sql("SELECT nope").collect()
    with open_page(chromium, color_scheme=colours) as page:
        page.goto(server.url)
        operation = str(page.get_attribute("td.statement a", "href"))
        for path in (*PAGES, operation.lstrip("/"), "catalog/default.t"):
            page.goto(f"{server.url}/{path}")
            assert page.evaluate(PROBLEMS) == [], path


PROBLEMS = """() => {
  const problems = [];
  for (const each of document.querySelectorAll("input:not([type=hidden]), select, textarea, button, summary, a")) {
    const name = each.labels?.length ? each.labels[0].innerText : each.getAttribute("aria-label") || each.innerText;
    if (!name || !name.trim()) problems.push("no name: " + each.outerHTML.slice(0, 100));
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  if (new Set(ids).size !== ids.length) problems.push("ids are not unique");
  let level = 0;
  for (const each of document.querySelectorAll("h1, h2, h3")) {
    const own = Number(each.tagName[1]);
    if (own > level + 1) problems.push("a heading skips a level: " + each.innerText);
    level = own;
  }
  for (const each of document.querySelectorAll("img, svg")) {
    if (!each.querySelector("title") && !each.alt) problems.push("a picture without a title");
  }
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => { const l = c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92
    : ((v + .055) / 1.055) ** 2.4); return .2126 * l[0] + .7152 * l[1] + .0722 * l[2]; };
  const behind = (each) => { for (let at = each; at; at = at.parentElement) {
    const found = rgb(getComputedStyle(at).backgroundColor); if (found[3] === 255) return found; }
    return [255, 255, 255, 255]; };
  for (const each of document.querySelectorAll("main *, header *")) {
    const hasText = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || each.closest("svg, .hidden, option") || !each.getClientRects().length) continue;
    const [a, b] = [light(rgb(getComputedStyle(each).color)), light(behind(each))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(1)}: ` + each.outerHTML.slice(0, 100));
  }
  return problems;
}"""


def test_everything_is_reached_by_keyboard(site: Start, chromium: Any) -> None:
    server = site()
    with open_page(chromium) as page:
        page.goto(server.url)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to content"
        reached = set()
        for _ in range(20):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.innerText || document.activeElement.name"))
        assert {"Operations", "SQL", "Catalog", "Colours", "text", "own", "Filter"} <= reached


# ---- many operations


def record(number: int) -> OperationRecord:
    states, engines = ("SUCCEEDED", "SUCCEEDED", "FAILED"), ("duckdb", "duckdb", "spark")
    return OperationRecord(
        operation_id=f"00000000-0000-0000-0000-{number:012}",
        session_id=f"session-{number % 7}",
        user=f"user-{number % 5}",
        state=states[number % 3],
        engine=engines[number % 3],
        code="NATIVE" if number % 3 != 2 else "FUNCTION_OPTION",
        reason="The native engine runs the whole plan.",
        statement=f"SELECT sum(price) FROM orders WHERE customer = {number} GROUP BY country " * 3,
        started=1_700_000_000.0 + number,
        seconds=number % 100 / 50,
        rows=number,
        bytes=number * 100,
    )


def test_a_page_over_ten_thousand_operations_opens_in_under_a_second(site: Start, chromium: Any) -> None:
    server = site()
    details = Details(sql="SELECT 1", nodes=(Node(0, -1, "Scan", "", "duckdb"),)).pack()
    store = server.server.shared.watched.history._flush()
    store.add((record(number), details) for number in range(10_000))
    with open_page(chromium) as page:
        page.goto(server.url)  # imports the pages
        for path in ("operations", "operations?text=customer+%3D+77", "operations?page=199", "reasons"):
            page.goto(f"{server.url}/{path}")
            loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
            assert 0 < loaded < 1000, f"{path}: {loaded:.0f} ms"
            assert page.locator("tbody tr").count() > 1
        page.goto(server.url)
        assert "10,000 ended" in page.inner_text("main") and "Page 1 of 200" in page.inner_text("main")


# ---- pictures for docs/operate/ui.md


@pytest.mark.skipif(not PICTURES, reason="make pictures")
def test_pictures_of_the_pages(site: Start, spark_of: Connect, chromium: Any) -> None:
    server = site()
    show_something(server, spark_of)
    views = {"light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"}, "phone": {"viewport": PHONE}}
    for name, options in views.items():
        with open_page(chromium, **options) as page:
            take_pictures(page, server.url, name)


def show_something(server: Site, spark_of: Connect) -> None:
    spark = spark_of(server, "user_id=ada")
    spark.sql(
        "CREATE TABLE orders PARTITIONED BY (country) AS SELECT id, CASE id * id % 7 WHEN 0 THEN 'de' WHEN 1 THEN 'fr' "
        "WHEN 2 THEN 'it' ELSE 'pl' END AS country, id * 7 % 1000 * 1.25 AS price FROM range(20000)"
    )
    spark.addTag("twinspark.profile")
    spark.sql(
        "SELECT country, count(*) AS orders, sum(price) AS total FROM orders WHERE price > 100 "
        "GROUP BY country ORDER BY total DESC"
    ).collect()
    spark.clearTags()
    for query in ("SELECT nope FROM orders", "SELECT from_csv('1', 'a int', map('locale', 'de'))"):
        with pytest.raises(Exception, match=r"nope|locale"):
            spark_of(server, "user_id=bob").sql(query).collect()
    threading.Thread(target=lambda: end_of(spark), daemon=True).start()


def take_pictures(page: Any, url: str, name: str) -> None:
    def take(what: str) -> None:
        page.screenshot(path=Path(str(PICTURES)) / f"{what}-{name}.png")

    page.goto(f"{url}/operations")
    page.wait_for_selector("progress")
    take("operations")
    page.goto(f"{url}/operations?text=price+%3E+100")
    page.click("td.statement a >> nth=0")
    page.wait_for_selector("svg.plan")
    page.locator("h2:has-text('Plan')").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.frame').scrollIntoView({block: 'center'})")
    take("plan")
    run_statement(page, url, "SELECT country, count(*) AS orders, sum(price) AS total FROM orders GROUP BY country")
    page.click("summary:has-text('Chart')")
    page.select_option("#chart", "bar")
    page.click("text=Draw")
    page.wait_for_selector("svg.chart")
    take("sql")
    page.goto(f"{url}/catalog/default.orders")
    take("catalog")
