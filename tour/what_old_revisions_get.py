"""Icons, titles and new kinds of content: what a client of each revision is sent, and what it is spared.

Notice: the server has one description of everything. A client gets of it what its own revision knows, so that nobody
stumbles over a word that was not yet there; a kind of content that it can't know becomes a sentence.
"""

from stage import Talk, tour

from mcp_core import content, revisions
from mcp_core.catalogue import Catalogue
from mcp_core.effects import Output

ICON = {"src": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png"}
gallery = Catalogue("a gallery", "1.0", title="The Gallery", icons=[ICON])


@gallery.tool(title="Show all", read_only=True, icons=[ICON])
def show() -> Output:
    """Shows everything there is."""
    link = content.link("gallery://mona", "mona", mimeType="image/png")
    return Output([content.text("All:"), content.audio(b"RIFF"), link], structured={"count": 3})


def play(talk: Talk) -> None:
    (tool,) = talk.result("tools/list")["tools"]
    result = talk.call("show")
    since = {
        "annotations": "2025-03-26", "title": "2025-06-18", "icons": "2025-11-25",
    }  # fmt: skip
    for field, revision in since.items():
        assert (field in tool) == (talk.revision >= revision), field
    assert ("structuredContent" in result) == (talk.revision >= "2025-06-18")
    assert ("resultType" in result) == talk.is_stateless
    kinds = [block["type"] for block in result["content"]]
    assert kinds[1] == ("audio" if talk.revision >= "2025-03-26" else "text")
    assert kinds[2] == ("resource_link" if talk.revision >= "2025-06-18" else "text")
    talk.notice(f"{talk.revision}: the tool has {', '.join(tool)}; the content is {', '.join(kinds)}.")


tour(play, revisions=revisions.REVISIONS, catalogue=gallery)
