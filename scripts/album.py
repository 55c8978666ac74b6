"""The pictures of the dashboard: what each shows, and how a page gets there.

In: a page, and a world of processes (scripts/pictures has them). Out: the page, posed; the text of the gallery.
Refuses to know: how the processes are started, how a picture is taken and stored.

A pose is a function; its name is the picture's, its docstring the words below it. They stand in the gallery in the
order in which they stand here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect


@dataclass(frozen=True)
class Sitting:
    """One page that is about to be pictured."""

    page: Page
    world: Any

    def open(self, query: str = "", path: str = "/dashboard", viewer: str = "") -> None:
        self.page.goto(f"{viewer or self.world.viewer}{path}{query}")
        expect(self.page.locator("#status")).to_have_attribute("data-state", "live")

    def story(self, hint: str, view: str = "sequence") -> None:
        """All records of the trace in which somebody wrote the hint down."""
        trace = self.world.trace(hint)
        self.open(f"?view={view}&solo=1&all=trace%3D{trace}&all.follow=0")

    def arrow(self, pattern: str) -> Locator:
        """The first arrow whose spoken name matches."""
        name = re.compile(pattern.replace("/", r"\/"))
        return self.page.locator(".sequence").get_by_role("option", name=name).first

    def inspect(self, tab: str, pattern: str = "^request tools/call write_file") -> None:
        """A tab of the inspector, about an arrow of the chat's turn."""
        self.story("chat_question")
        self.arrow(pattern).click()
        self.press(tab, "tab")

    def press(self, name: str, role: Any = "button") -> None:
        self.page.get_by_role(role, name=name, exact=True).click()

    def console(self, revision: str = "") -> None:
        """The console, with a conversation if a revision is given."""
        self.page.goto(f"{self.world.viewer}/console")
        expect(self.page.locator("#presets button").first).to_be_visible()
        if revision:
            self.page.get_by_label("Revision").select_option(revision)
            self.press("Say hello")
            expect(self.page.locator("#tools summary").first).to_be_visible()

    def call(self, tool: str, **values: str) -> None:
        """Fills a tool's form in and makes the request of it."""
        self.page.locator("summary", has_text=tool).click()
        form = self.page.locator("details[open]")
        for name, value in values.items():
            form.get_by_label(name).first.fill(value)
        form.get_by_role("button", name="Make the request").click()


@dataclass(frozen=True)
class Picture:
    """A pose and its place in the gallery."""

    group: str
    pose: Callable[[Sitting], object]

    @property
    def name(self) -> str:
        return self.pose.__name__.replace("_", "-")

    @property
    def says(self) -> str:
        return " ".join((self.pose.__doc__ or "").split())


PICTURES: list[Picture] = []
expect.set_options(timeout=30_000)  # a busy machine may take its time


def of(group: str) -> Callable[[Callable[[Sitting], object]], Callable[[Sitting], object]]:
    def keep(pose: Callable[[Sitting], object]) -> Callable[[Sitting], object]:
        PICTURES.append(Picture(group, pose))
        return pose

    return keep


# ---- 1. Views --------------------------------------------------------------------------------------------------------


@of("Views")
def sequence(to: Sitting) -> None:
    """One turn of a chat with two servers, from the user's question through the model's wishes to the answer."""
    to.story("chat_question")


@of("Views")
def sequence_above_panels(to: Sitting) -> None:
    """What one sees first: the sequence of everything, above the panels of servers and clients."""
    to.open()


@of("Views")
def panels(to: Sitting) -> None:
    """Three panels, each with a filter, chips and Follow of its own."""
    to.open("?view=panels")


@of("Views")
def waterfall(to: Sitting) -> None:
    """A row for each call: the time in the handler stands out of the time on the way."""
    session = to.world.session("2025-11-25")
    to.open(f"?view=waterfall&all=session%3D{session}&all.follow=0")


@of("Views")
def table(to: Sitting) -> None:
    """The same as a table, to be read cell by cell, also by a screen reader."""
    to.story("chat_question", "table")


@of("Views")
def basic_view(to: Sitting) -> None:
    """The basic view: files to choose, a filter, a record opened."""
    to.open("?filter=tools/call", "/")
    to.page.locator("#filter .rows").press("End")
    to.page.keyboard.press("Enter")


@of("Views")
def readme(to: Sitting) -> None:
    """The README, offline, with its diagrams drawn."""
    to.page.goto(f"{to.world.viewer}/readme")
    to.page.locator("figure.diagram").first.scroll_into_view_if_needed()


# ---- 2. What the sequence draws --------------------------------------------------------------------------------------


@of("What the sequence draws")
def handshake(to: Sitting) -> None:
    """The handshake era opens a session: initialize, its answer, and the notification that nobody answers."""
    session = to.world.session("2025-11-25")
    to.open(f"?solo=1&all=session%3D{session}&all.follow=0")
    to.page.locator(".sequence").press("Home")
    to.arrow("^request initialize").click()


@of("What the sequence draws")
def progress(to: Sitting) -> None:
    """Progress: notifications on the open stream of a call."""
    to.story("notifications/progress")
    to.arrow("^notification notifications/progress").click()


@of("What the sequence draws")
def elicitation(to: Sitting) -> None:
    """A server that asks in the middle of a call, and the answer, which comes in a request of its own."""
    asked = to.world.first('"event":"server_request".*elicitation/create', "trace")
    question = f'session={asked["session"]} and data.message.id="{asked["data"]["message"]["id"]}"'
    filter = quote(f"trace={asked['trace']} or ({question})")
    to.open(f"?solo=1&all={filter}&all.follow=0")
    to.arrow("^server's request elicitation/create").click()


@of("What the sequence draws")
def multi_round_trip(to: Sitting) -> None:
    """In 2026-07-28 a server asks by its result, and the call is made again with the answers."""
    to.story('"resultType":"input_required"')
    to.arrow("asks back").click()


@of("What the sequence draws")
def cancellation(to: Sitting) -> None:
    """A call that is given up, tied to the notification that gave it up."""
    to.story('"method":"notifications/cancelled"')
    to.arrow("^cancellation").click()


@of("What the sequence draws")
def errors(to: Sitting) -> None:
    """A tool's own error ends in a diamond, an error of the protocol in a cross; both say which."""
    to.open("?solo=1&all.chips=errors&all.follow=0")
    to.page.locator(".sequence").press("Home")
    to.arrow("^protocol error").click()


# ---- 3. The inspector ------------------------------------------------------------------------------------------------


@of("The inspector")
def explain(to: Sitting) -> None:
    """Explain: who, why now, what must come next, what would be illegal, how the other era does it."""
    to.inspect("Explain")


@of("The inspector")
def explain_a_field(to: Sitting) -> None:
    """Each field explains itself under the pointer, and when it has the focus."""
    to.inspect("Explain")
    to.page.get_by_role("button", name="progressToken").focus()


@of("The inspector")
def json_tree(to: Sitting) -> None:
    """JSON: the message as a tree; beside it the whole record, the raw text, and a curl command to copy."""
    to.inspect("JSON")


@of("The inspector")
def http(to: Sitting) -> None:
    """HTTP: method, status, and what each header is for."""
    to.inspect("HTTP")


@of("The inspector")
def timing(to: Sitting) -> None:
    """Timing: handler and network apart, each step since the first, and what caused it."""
    to.inspect("Timing")


@of("The inspector")
def pair(to: Sitting) -> None:
    """Pair: the four records of one call, as both ends wrote them down."""
    to.inspect("Pair")


@of("The inspector")
def code(to: Sitting) -> None:
    """Code: the lines that handled the message, inside their function."""
    to.inspect("Code")
    expect(to.page.locator(".code-line.here").first).to_be_visible()


@of("The inspector")
def era_twin(to: Sitting) -> None:
    """Era twin: the same action in the other era; what differs is marked and explained."""
    to.inspect("Era twin")
    expect(to.page.locator(".twins").first).to_be_visible()


@of("The inspector")
def what_the_model_saw(to: Sitting) -> None:
    """Model: the exact prompt, the size of its parts, and each tool in MCP's form and in those of the providers."""
    to.inspect("Model", "chat_request")


@of("The inspector")
def send_again(to: Sitting) -> None:
    """Console: a past request, to be edited and sent again."""
    to.inspect("Console")


# ---- 4. Filters, commands, saving ------------------------------------------------------------------------------------


@of("Filters, commands, saving")
def wrong_filter(to: Sitting) -> None:
    """A wrong filter says where and why, and what was shown stays."""
    to.open("?view=panels")
    to.page.locator("#all input").fill("level=ERROR and ms>soon")
    expect(to.page.locator("#all .problem")).to_be_visible()


@of("Filters, commands, saving")
def palette(to: Sitting) -> None:
    """The command palette: everything the page can do."""
    to.story("chat_question")
    to.page.keyboard.press("Control+k")


@of("Filters, commands, saving")
def keys(to: Sitting) -> None:
    """The keys, and how a filter is written."""
    to.story("chat_question")
    to.page.keyboard.press("?")


@of("Filters, commands, saving")
def save(to: Sitting) -> None:
    """Saving what is shown: the form, what is masked, and a preview."""
    to.story('"resultType":"input_required"')
    expect(to.page.locator(".arrow").first).to_be_visible()
    to.page.keyboard.press("s")
    to.page.locator('#save input[value="mermaid"]').check()


@of("Filters, commands, saving")
def saved_page(to: Sitting) -> None:
    """A page that was saved: it opens offline and runs nothing."""
    to.story("chat_question")
    expect(to.page.locator(".arrow").first).to_be_visible()
    to.page.keyboard.press("s")
    to.page.locator('#save input[value="html"]').check()
    with to.page.expect_download() as download:
        to.page.get_by_role("button", name="Save", exact=True).last.click()
    path = to.world.folder / "saved.html"
    download.value.save_as(path)
    to.page.goto(path.as_uri())
    to.page.locator("summary").nth(1).click()


@of("Filters, commands, saving")
def opened_file(to: Sitting) -> None:
    """A log that was dropped on the page; the live records go on behind it."""
    to.open("?view=panels&solo=1")
    to.page.locator("input[type=file]").set_input_files(to.world.logs / "mcp-client-chat.jsonl")
    expect(to.page.locator(".opened")).to_be_visible()
    to.page.wait_for_timeout(300)


# ---- 5. The console --------------------------------------------------------------------------------------------------


@of("The console")
def console_answer(to: Sitting) -> None:
    """A usual mistake, the server's answer, and the rule that was broken."""
    to.console()
    to.page.get_by_role("button", name="Not JSON at all").click()
    to.press("Send")
    expect(to.page.locator(".answer .rule").last).to_be_visible()
    to.page.locator(".answer .rule").last.scroll_into_view_if_needed()


@of("The console")
def console_form(to: Sitting) -> None:
    """A form made from a tool's schema; fields that nobody touched are left out."""
    to.console("2025-11-25")
    to.call("search_file", filename="notes.txt", keyword="TODO")


@of("The console")
def console_warning(to: Sitting) -> None:
    """Before a tool that may destroy something, the console asks."""
    to.console("2025-11-25")
    to.call("delete_file", filename="notes.txt")
    to.press("Send")


@of("The console")
def console_question(to: Sitting) -> None:
    """The server asks in the middle of the call; the human answers for the client."""
    to.console("2025-11-25")
    to.call("write_file", filename="draft.txt", text="TODO")
    to.press("Send")
    to.press("Send it all the same")
    expect(to.page.locator(".answer")).to_contain_text("Wrote")
    to.call("delete_file", filename="draft.txt")
    to.press("Send")
    to.press("Send it all the same")
    expect(to.page.locator(".reply")).to_be_visible()


@of("The console")
def console_alone(to: Sitting) -> None:
    """Nobody is there: what it means, and what to do."""
    to.page.goto(f"{to.world.alone}/console")
    expect(to.page.locator("#presets button").first).to_be_visible()
    to.press("Say hello")
    expect(to.page.locator("#standing")).to_contain_text("start the server")


# ---- 6. States -------------------------------------------------------------------------------------------------------


@of("States")
def empty(to: Sitting) -> None:
    """No traffic yet: which command to type. The page fills by itself."""
    to.open(viewer=to.world.quiet)


@of("States")
def nothing_matches(to: Sitting) -> None:
    """Nothing passes the filter."""
    to.open(f"?view=panels&all={quote('ms>1000000')}")
    expect(to.page.locator("#all .empty")).to_be_visible()


@of("States")
def loading(to: Sitting) -> None:
    """The stream has not begun yet."""
    to.page.route(re.compile(r"/stream(\?|$)"), lambda route: None)
    to.page.goto(f"{to.world.viewer}/dashboard")
    expect(to.page.locator("#all .empty")).to_contain_text("Reading the logs")


@of("States")
def pending(to: Sitting) -> None:
    """A request without an answer counts up; here the server waits for a user that nobody asks."""
    console = to.page.context.new_page()
    console_question(Sitting(console, to.world))
    to.open("?solo=1&all=component%3Dmcp-viewer")
    expect(to.arrow("no answer yet")).to_be_visible()
    to.arrow("^request tools/call delete_file.*no answer yet").click()


@of("States")
def lost(to: Sitting) -> None:
    """The viewer is gone: the state in a word and a shape, and the command that brings it back."""
    with to.world.another_viewer() as (address, stop):
        to.open("?view=panels", viewer=address)
        stop()
        expect(to.page.locator("#status")).to_have_attribute("data-state", "lost", timeout=20_000)


# ---- 7. The gallery --------------------------------------------------------------------------------------------------

HEAD = """# Gallery

Every view and state of the dashboard, from real processes: two servers, the client's scenes in both eras, the tour,
and a chat. `scripts/pictures` makes them and this page anew. Each picture is shown in the light theme and 1440 pixels
wide; the links below it lead to the dark theme, and to what is seen at 800 pixels.
"""


def gallery() -> str:
    """docs/GALLERY.md, which can't differ from the pictures: both are made of this list."""
    parts = [HEAD]
    for group in dict.fromkeys(each.group for each in PICTURES):
        parts.append(f"## {group}\n")
        parts += [_entry(each) for each in PICTURES if each.group == group]
    return "\n".join(parts)


def _entry(picture: Picture) -> str:
    name = picture.name
    links = [f"[{label}]({name}-{look}.webp)" for label, look in LINKS]
    return f"![{picture.says}]({name}-1440-light.webp)\n\n{picture.says} {' · '.join(links)}\n"


LINKS = [("dark", "1440-dark"), ("800 px", "800-light"), ("800 px, dark", "800-dark")]
