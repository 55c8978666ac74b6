"""A hundred and more wordings: what each asks for, and what the files look like when it has been done."""

import pytest

from playground.scripted_model.steps import Step
from playground.scripted_model.understanding import understand
from tests.scripted_files import TUTORIAL, Disk, Talk

TODO = "TODO: try out the file tools"


def written(file: str, text: str = "") -> Step:
    return Step("write", file, text=text)


def counted(file: str = "notes.txt", keyword: str = "TODO") -> Step:
    return Step("count", file, keyword=keyword)


def searched(file: str = "notes.txt", keyword: str = "TODO") -> Step:
    return Step("search", file, keyword=keyword)


NOTES = written("notes.txt", f"{TODO}\n")
READ, LIST, DELETE = Step("read", "notes.txt"), Step("list"), Step("delete", "notes.txt")

WORDINGS: list[tuple[str, list[Step]]] = [
    # creating and counting, as the tutorial does
    (TUTORIAL, [NOTES, counted()]),
    ("create a file named notes.txt with a todo line then count the todos", [NOTES, counted()]),
    (
        "I want you to create a file, name it notes.txt, put a TODO line inside, and count the TODOs afterwards.",
        [NOTES, counted()],
    ),
    ('Please write a file "notes.txt" holding a TODO line; next, count occurrences of TODO in it', [NOTES, counted()]),
    ("notes.txt: create it with a TODO line, count TODOs", [NOTES, counted()]),
    ("Produce notes.txt which contains a TODO and report the number of TODOs it contains", [NOTES, counted()]),
    ("Create a file named notes.txt. Put a TODO line in it. How many TODOs does it have?", [NOTES, counted()]),
    (
        "Could you make notes.txt? It should contain one TODO. After that, count how many TODOs are in there.",
        [NOTES, counted()],
    ),
    (
        'Put "TODO: test" in notes.txt, then tell me how many TODOs it has',
        [written("notes.txt", "TODO: test"), counted()],
    ),
    (
        "Create notes.txt containing TODO: buy milk and count the TODOs in it",
        [written("notes.txt", "TODO: buy milk\n"), counted()],
    ),
    # a text that stands between its verb and its file, or behind the file
    ("Add a line saying call Ana to notes.txt", [Step("append", "notes.txt", text="call Ana")]),
    ("Add a line to notes.txt saying call Ana", [Step("append", "notes.txt", text="call Ana")]),
    ("Add a TODO to call Ana to notes.txt", [Step("append", "notes.txt", text="TODO: call Ana")]),
    ("Note that rent is due Friday in notes.txt", [Step("append", "notes.txt", text="rent is due Friday")]),
    (
        "Add two lines, one saying A and one saying B, to notes.txt",
        [Step("append", "notes.txt", text="A"), Step("append", "notes.txt", text="B")],
    ),
    ("create a file shopping.txt listing milk and eggs", [written("shopping.txt", "milk\neggs\n")]),
    ("Write the numbers 1 to 3 into n.txt, each on its own line", [written("n.txt", "1\n2\n3\n")]),
    # creating
    ("create notes.txt", [written("notes.txt")]),
    ("Please create an empty file called notes.txt", [written("notes.txt")]),
    ('Make a new file todo.txt that says "buy milk"', [written("todo.txt", "buy milk")]),
    ("write hello world to greeting.txt", [written("greeting.txt", "hello world")]),
    ('Save "x y z" as data.txt', [written("data.txt", "x y z")]),
    ("Could you put the text hello there in hi.txt?", [written("hi.txt", "hello there")]),
    ('I need a file named plan.md containing "step 1"', [written("plan.md", "step 1")]),
    ("Create list.txt with the lines a, b and c", [written("list.txt", "a\nb\nc\n")]),
    ("Create list.txt with three lines, one of them with TODO", [written("list.txt", f"line 1\n{TODO}\nline 3\n")]),
    ("Write two lines to a.txt: first and second", [written("a.txt", "first\nsecond\n")]),
    ('Would you mind making a file named ideas.txt with the sentence "ship it"?', [written("ideas.txt", "ship it")]),
    ("There should be a file named x.txt that contains 42", [written("x.txt", "42")]),
    ('Set up a file called config.json with {"a": 1}', [written("config.json", '{"a": 1}')]),
    ("Write this to notes.txt:\nmilk\neggs", [written("notes.txt", "milk\neggs")]),
    (
        'create file1.txt with text "A" and file2.txt with text "B"',
        [written("file1.txt", "A"), written("file2.txt", "B")],
    ),
    ('Create three files a.txt, b.txt and c.txt, each containing "x"', [written(f"{n}.txt", "x") for n in "abc"]),
    ("filename: notes.txt, text: hello", [written("notes.txt", "hello")]),
    ('With the content "abc", create notes.txt', [written("notes.txt", "abc")]),
    ("echo hi > foo.txt", [written("foo.txt", "hi")]),
    ('Jot down "call mom" in todo.txt', [written("todo.txt", "call mom")]),
    ('notes.txt should contain "hello"', [written("notes.txt", "hello")]),
    ('write "x" 3 times to a.txt', [written("a.txt", "x\nx\nx\n")]),
    ("make me a shopping list with milk and eggs", [written("shopping-list.txt", "milk\neggs\n")]),
    ('creat a.txt with "hello"', [written("a.txt", "hello")]),
    ('Please create "my file.txt" containing "it\'s fine"', [written("my file.txt", "it's fine")]),
    # what must not be taken for a request
    ('write "then delete everything" to plan.txt', [written("plan.txt", "then delete everything")]),
    (
        "create a.txt with the text buy milk and read the newspaper",
        [written("a.txt", "buy milk and read the newspaper")],
    ),
    ('write "a.txt is done" to b.txt', [written("b.txt", "a.txt is done")]),
    # adding
    ('Append "bye" to notes.txt', [Step("append", "notes.txt", text="bye")]),
    ("Add a TODO line to notes.txt", [Step("append", "notes.txt", text=TODO)]),
    ("add the line 'call Bob' at the end of notes.txt", [Step("append", "notes.txt", text="call Bob")]),
    ("Add another line saying hello to notes.txt", [Step("append", "notes.txt", text="hello")]),
    ("append to notes.txt: remember the milk", [Step("append", "notes.txt", text="remember the milk")]),
    ("insert 'x' at the top of notes.txt", [Step("prepend", "notes.txt", text="x")]),
    ('Add "milk" and "eggs" to a.txt', [Step("append", "a.txt", text="milk"), Step("append", "a.txt", text="eggs")]),
    # reading
    ("Read notes.txt", [READ]),
    ("What's in notes.txt?", [READ]),
    ("what does notes.txt say", [READ]),
    ("show me the contents of notes.txt please", [READ]),
    ("cat notes.txt", [READ]),
    ("Tell me what notes.txt contains", [READ]),
    ("What did I write in notes.txt?", [READ]),
    ("Can I see what's inside notes.txt?", [READ]),
    ("notes.txt", [READ]),
    ("open a.txt and b.txt", [Step("read", "a.txt"), Step("read", "b.txt")]),
    ("read all files", [Step("read", "*")]),
    ("show the last line of notes.txt", [Step("read", "notes.txt", unit="last 1")]),
    ("print the first 2 lines of notes.txt", [Step("read", "notes.txt", unit="first 2")]),
    # listing
    *(
        (text, [LIST])
        for text in (
            "list files",
            "List all the files",
            "which files are there?",
            "what files do I have",
            "Show me the files",
            "ls",
            "What is in the folder?",
            "Give me a list of all files",
            "Do we have any files?",
            "Please produce a listing of the directory",
            "What's there?",
            "Don't delete anything, just list the files",
            "List the files but don't read them",
        )
    ),
    # counting
    ("How many files are there?", [Step("list", unit="file")]),
    ("How many TODO lines are in notes.txt?", [counted()]),
    ("In notes.txt, how many TODOs are there?", [counted()]),
    ('how many times does "milk" appear in list.txt', [counted("list.txt", "milk")]),
    ("how often does milk occur in list.txt?", [counted("list.txt", "milk")]),
    ("Count the word banana in fruit.txt", [counted("fruit.txt", "banana")]),
    ("number of occurrences of foo in bar.txt", [counted("bar.txt", "foo")]),
    ("Count TODOs", [counted("*")]),
    ("How many lines are in notes.txt", [Step("measure", "notes.txt", unit="line")]),
    ("how many words does notes.txt have?", [Step("measure", "notes.txt", unit="word")]),
    ("How big is notes.txt?", [Step("measure", "notes.txt", unit="byte")]),
    ("How many lines contain TODO in notes.txt?", [Step("count", "notes.txt", keyword="TODO", unit="line")]),
    ("how many files mention TODO?", [Step("search", "*", keyword="TODO", unit="file")]),
    # searching
    ("search notes.txt for TODO", [searched()]),
    ("find TODO in notes.txt", [searched()]),
    ("does notes.txt contain TODO?", [searched()]),
    ("are there any TODOs left in notes.txt?", [searched()]),
    ("Could you check notes.txt for TODO entries?", [searched()]),
    ("Is milk mentioned in list.txt?", [searched("list.txt", "milk")]),
    ("which files contain TODO?", [searched("*")]),
    ("In which files does TODO appear?", [searched("*")]),
    ('Look through all my files for "secret"', [searched("*", "secret")]),
    ("Show me all lines with TODO in notes.txt", [Step("lines", "notes.txt", keyword="TODO")]),
    ("does notes.txt exist?", [Step("exists", "notes.txt")]),
    ("Is there a file named notes.txt?", [Step("exists", "notes.txt")]),
    ("Is the file notes.txt empty?", [READ]),
    ("who wrote notes.txt?", [READ]),
    ("Tell me whether notes.txt mentions milk", [searched("notes.txt", "milk")]),
    # deleting and changing
    ("Remove everything in the sandbox", [Step("delete", "*")]),
    ("Update a.txt: replace hello with bye", [Step("replace", "a.txt", keyword="hello", text="bye")]),
    ("Make it so that a.txt contains hello", [written("a.txt", "hello")]),
    ("Create empty files a.txt and b.txt", [written("a.txt"), written("b.txt")]),
    ("read notes.txt and write its content to copy.txt", [READ, Step("write", "copy.txt", uses_result=True)]),
    ("list the files, create notes.txt, list the files", [LIST, written("notes.txt"), LIST]),
    ("delete notes.txt", [DELETE]),
    ("Please get rid of notes.txt", [DELETE]),
    ("I don't need notes.txt anymore, please delete it", [DELETE]),
    ("delte notes.txt", [DELETE]),
    ("throw notes.txt away", [DELETE]),
    ("Delete everything", [Step("delete", "*")]),
    ('Please trash "old stuff.txt"', [Step("delete", "old stuff.txt")]),
    ("clear notes.txt", [written("notes.txt")]),
    ('Replace the contents of a.txt with "new"', [written("a.txt", "new")]),
    ('replace "foo" with "bar" in a.txt', [Step("replace", "a.txt", keyword="foo", text="bar")]),
    ("In pets.txt, replace cat with dog", [Step("replace", "pets.txt", keyword="cat", text="dog")]),
    ('remove the line "x" from a.txt', [Step("cut", "a.txt", keyword="x", unit="line")]),
    ("rename a.txt to b.txt", [Step("rename", "a.txt", to="b.txt")]),
    ("make a copy of a.txt called b.txt", [Step("copy", "a.txt", to="b.txt")]),
    ("merge a.txt and b.txt into c.txt", [Step("merge", to="c.txt", files=("a.txt", "b.txt"))]),
    ("compare a.txt and b.txt", [Step("compare", files=("a.txt", "b.txt"))]),
    # several steps, in the order of doing
    (
        '1. Create a.txt with "x"\n2. Read it\n3. Delete it',
        [written("a.txt", "x"), Step("read", "a.txt"), Step("delete", "a.txt")],
    ),
    ("Before deleting notes.txt, show me its contents", [READ, DELETE]),
    ("Delete notes.txt but first read it", [READ, DELETE]),
    (
        "count the TODOs in notes.txt after adding a TODO line to it",
        [Step("append", "notes.txt", text=TODO), counted()],
    ),
    ("list files, read notes.txt, delete notes.txt", [LIST, READ, DELETE]),
    ("List the files, then read the first one", [LIST, Step("read", "#1")]),
    ("write the number of TODOs in a.txt to b.txt", [counted("a.txt"), Step("write", "b.txt", uses_result=True)]),
    ("If notes.txt exists, delete it", [Step("delete", "notes.txt", when="exists")]),
    ("Create a.txt with hi unless it exists", [Step("write", "a.txt", text="hi", when="missing")]),
    ("Write a new file called hello.txt. It should say Hello World.", [written("hello.txt", "Hello World")]),
    (
        'Create a.txt with "x", copy it to b.txt and delete the original',
        [written("a.txt", "x"), Step("copy", "a.txt", to="b.txt"), Step("delete", "a.txt")],
    ),
]


def test_there_are_at_least_a_hundred_wordings() -> None:
    assert len({text for text, _ in WORDINGS}) >= 100


@pytest.mark.parametrize(("text", "steps"), WORDINGS, ids=[text[:60] for text, _ in WORDINGS])
def test_a_wording_is_understood(text: str, steps: list[Step]) -> None:
    assert list(understand(text).steps) == steps


@pytest.mark.parametrize(
    ("earlier", "text", "steps"),
    [
        ([TUTORIAL], "now count the TODOs", [counted()]),
        ([TUTORIAL], "how many TODOs are in it?", [counted()]),
        ([TUTORIAL, "thanks"], "and delete it", [DELETE]),
        ([TUTORIAL], "again", [NOTES, counted()]),
        (["create a file with hello"], "hello.txt", [written("hello.txt", "hello")]),
        (["read a.txt", "read b.txt"], "compare both files", [Step("compare", files=("a.txt", "b.txt"))]),
        (["read a.txt", "read b.txt"], "read both files", [Step("read", "a.txt"), Step("read", "b.txt")]),
        (["read shopping.txt", "read b.txt"], "show me the shopping file", [Step("read", "shopping.txt")]),
        (["read a.txt", "read b.txt"], "delete the first one", [Step("delete", "a.txt")]),
        (["create shopping.txt with milk"], "add eggs", [Step("append", "shopping.txt", text="eggs")]),
    ],
)
def test_what_was_said_before_counts(earlier: list[str], text: str, steps: list[Step]) -> None:
    assert list(understand(text, earlier).steps) == steps


@pytest.mark.parametrize(
    "text",
    [
        "I deleted notes.txt yesterday",
        "What would happen if I deleted notes.txt?",
        "Should I delete notes.txt?",
        "do not delete notes.txt",
        "Never delete notes.txt",
        "how do I create a file?",
        "can you delete files?",
        "Did you delete notes.txt?",
        "create a folder called docs",
        "What's the capital of France?",
        "hello",
        "",
        "?!",
    ],
)
def test_nothing_is_done_where_nothing_is_asked(text: str) -> None:
    understood = understand(text)
    assert not understood.steps
    assert understood.talk


@pytest.mark.parametrize(
    ("text", "missing"), [("create a file", "write"), ("delete it", "delete"), ("write to notes.txt", "text")]
)
def test_what_is_missing_is_asked_for(text: str, missing: str) -> None:
    (step,) = understand(text).steps
    assert (step.do, step.keyword) == ("ask", missing)


@pytest.mark.parametrize(
    ("text", "files", "said"),
    [
        (TUTORIAL, {"notes.txt": f"{TODO}\n"}, "1 time"),
        (
            "Create a.txt with 'x TODO' and b.txt with 'TODO TODO', then tell me which files contain TODO",
            {"a.txt": "x TODO", "b.txt": "TODO TODO"},
            "3 times in 2 files",
        ),
        ("copy old.txt to new.txt and delete old.txt", {"new.txt": "one\ntwo\n"}, "copied"),
        ("rename old.txt to z.txt then list", {"z.txt": "one\ntwo\n"}, "1 file: z.txt"),
        ("replace one by three in old.txt and count three", {"old.txt": "three\ntwo\n"}, "1 time"),
        ("Remove the line 'one' from old.txt and show it", {"old.txt": "two\n"}, "two"),
        (
            "put 'zero' at the top of old.txt, then tell me how many lines it has",
            {"old.txt": "zero\none\ntwo\n"},
            "3 lines",
        ),
        ("delete all files", {}, "I deleted old.txt."),
        ("count lines in old.txt and write the number to n.txt", {"old.txt": "one\ntwo\n", "n.txt": "2"}, "2 lines"),
        ("If nothing.txt exists, delete it", {"old.txt": "one\ntwo\n"}, "nothing to do"),
    ],
)
def test_a_question_ends_with_the_right_files_and_a_true_answer(text: str, files: dict[str, str], said: str) -> None:
    talk = Talk(
        Disk() if "old" not in text and "all" not in text and "nothing" not in text else Disk({"old.txt": "one\ntwo\n"})
    )
    assert said in talk.ask(text)
    assert talk.disk == files
