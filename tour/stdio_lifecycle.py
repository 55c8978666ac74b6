"""The life of a server at the end of a pipe: started by its client, ended by the closing of its stdin.

Notice: one message a line, on stdin and stdout, and nothing else there: what the server has to say to humans goes to
stderr. There is no port, no header, no session; the process is the session. To leave, the client closes the pipe and
waits; only a server that does not end by itself is terminated.
"""

from stage import Talk, tour

from playground.carriers import Pipe


def play(talk: Talk) -> None:
    pipe = talk.dialog.wire
    assert isinstance(pipe, Pipe)
    assert talk.call("list_files")["isError"] is False

    answers = talk.dialog.raw(b"this is no JSON", "tour/stdio_lifecycle.py")
    talk.notice("A line that is no message gets an error, and the conversation goes on.")
    assert answers[0]["error"]["code"] == -32700

    if talk.is_stateless:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        line = {"jsonrpc": "2.0", "id": "old", "method": "initialize", "params": about}
        talk.dialog.exchange("client_request", line, "tour/stdio_lifecycle.py")
        talk.notice("One process serves both eras: each message says by itself to which it belongs.")

    pipe.close()
    talk.notice(f"Its stdin is closed, and it has ended by itself, with {pipe.exit_code}: nobody had to kill it.")
    assert pipe.exit_code == 0


tour(play, ways=("stdio",))
