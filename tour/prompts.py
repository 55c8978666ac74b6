"""Prompts: texts that a user picks from a menu, with blanks to fill in.

Notice: `prompts/get` sends nothing to any model. It gives back messages, and the host decides what to do with them.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "draft.txt", "text": "Once upon a time\n"})

    prompts = {prompt["name"]: prompt for prompt in talk.result("prompts/list")["prompts"]}
    talk.notice("Arguments are texts, whatever they mean: a user types them. `required` says which must be there.")
    review = prompts["review_file"]
    assert [(part["name"], part["required"]) for part in review["arguments"]] == [("filename", True), ("style", False)]

    params = {"name": "review_file", "arguments": {"filename": "draft.txt", "style": "friendly"}}
    (message,) = talk.result("prompts/get", params)["messages"]
    talk.notice("The server has put the file's text into the message: prompts may bring their own context.")
    assert message["role"] == "user"
    assert "friendly review" in message["content"]["text"]
    assert "Once upon a time" in message["content"]["text"]

    assert talk.ask("prompts/get", {"name": "review_file"})["error"]["code"] == -32602
    talk.notice("A missing argument is a protocol error here, not isError: no model reads it, a program does.")


tour(play)
