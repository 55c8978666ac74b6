"""Subscriptions: to be told when a resource changes.

Notice: in the handshake era one subscribes with one request and hears on another stream, a GET's, until one
unsubscribes. In 2026-07-28 there is one long request, `subscriptions/listen`: its stream brings the news, each with the
id of the request in its `_meta`, and closing the stream ends it. Either way the news says *that* it changed, not how.
"""

from stage import Talk, tour

URI = "playground://files/watched.txt"
UPDATED = "notifications/resources/updated"


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "watched.txt", "text": "one"})
    if talk.is_stateless:
        wanted = {"resourceSubscriptions": [URI]}
        news = talk.stream("subscriptions/listen", {"notifications": wanted})
        acknowledged = next(news)
        talk.notice("The first event repeats what of our wishes the server will honor.")
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == wanted
    else:
        news = talk.listen()
        assert talk.result("resources/subscribe", {"uri": URI}) == {}

    talk.call("write_file", {"filename": "watched.txt", "text": "two"})
    told = talk.heard(UPDATED, news)
    talk.notice("Whoever changed the file, this server or an editor: we hear of it, and read it again if we care.")
    assert told["uri"] == URI

    if talk.is_stateless:
        assert told["_meta"]["io.modelcontextprotocol/subscriptionId"] == talk.last_id - 1
        talk.give_up(news, talk.last_id - 1)
        talk.notice("We close the stream. Nothing is left of the subscription, for nothing but the stream was it.")
    else:
        assert talk.result("resources/unsubscribe", {"uri": URI}) == {}


tour(play)
