"""A corpus of JSON texts, each with a verdict: RFC 8259 decides, and where it leaves room, nobody may break.

GOOD must be accepted and BAD refused, by whoever reads JSON here. LIMITS are texts that the grammar of RFC 8259 has but
an implementation may refuse (section 9): too deep, too long, or, for a number, too large; or that it leaves undecided
(a name twice, half a surrogate pair). They must end in one of the two ways, cleanly.
"""

from __future__ import annotations

WHITE = (" ", "\t", "\r", "\n", " \t\r\n")
NO_WHITE = ("\f", "\v", "\xa0", "\u2028", "\u2029", "\ufeff", "\x00", "\x1f", "\u3000", "\u200b", "\x85", "\x1a")


def good() -> list[bytes]:
    texts = ["null", "true", "false", '""', "[]", "{}", "0", "-0", "1", "-1", "10", "1.5", "-0.0", "1e5", "1E5", "1e+5"]
    texts += ["1e-5", "0e0", "0E+0", "-0e-0", "0.1e1", "123456789012345678901234567890", "1.7976931348623157e308"]
    texts += ["5e-324", "1e-400", "-1e-400", "0.00000000000000000000000001", "9007199254740993", "-9223372036854775808"]
    texts += [f"1{'0' * n}" for n in (10, 50, 100, 300)] + [f"0.{'1' * n}" for n in (10, 100, 500)]
    texts += [f"{w}1{w}" for w in WHITE] + [f"{w}[{w}1{w},{w}2{w}]{w}" for w in WHITE]
    texts += [f'{w}{{{w}"a"{w}:{w}1{w}}}{w}' for w in WHITE]
    texts += [f'"{chr(n)}"' for n in (0x20, 0x21, 0x7F, 0x80, 0x85, 0xA0, 0xFF, 0x100, 0x7FF, 0x800, 0x2028, 0x2029)]
    texts += [
        f'"{chr(n)}"' for n in (0xD7FF, 0xE000, 0xFDD0, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF)
    ]
    texts += [f'"\\{c}"' for c in '"\\/bfnrt'] + [f'"\\u{n:04x}"' for n in (0, 1, 0x1F, 0x20, 0x22, 0x5C, 0x7F, 0xE9)]
    texts += [f'"\\u{n:04X}"' for n in (0xD7FF, 0xE000, 0xFFFF, 0x2028)] + ['"\\ud83d\\ude00"', '"\\uD834\\uDD1E"']
    texts += ['"\\uDBFF\\uDFFF"', '"\\u0000\\u0000"', '"a\\u0000b"', '"\\\\u0041"', '"\\\\"', '"\\"', '"\\\\\\""'][:-2]
    texts += ['["a","b",1,null,true,{"c":[]}]', '{"":0}', '{"a":{"b":{"c":[1,[2,[3]]]}}}', '{"a":1,"A":2,"á":3}']
    texts += ['{"__proto__":1,"constructor":2}', '{"\\u0061":1,"b":2}', "[[],[[]],{},[{}]]", "[null]", "[[[[[[]]]]]]"]
    texts += ["[" * n + "]" * n for n in (2, 10, 40)] + ['{"a":' * n + "1" + "}" * n for n in (2, 10, 40)]
    texts += [f"[{','.join(['1'] * n)}]" for n in (1, 10, 1000)] + [f'"{"x" * n}"' for n in (1, 1000, 100_000)]
    texts += ['"<script>"', '"\\u003cscript\\u003e"', '"data: x"', '"NaN"', '"Infinity"', '"//"', '"/* */"', '"\'"']
    return [text.encode() for text in texts]


def bad() -> list[bytes]:
    texts = [
        "",
        " ",
        "\n",
        "nul",
        "nulll",
        "Null",
        "NULL",
        "tru",
        "True",
        "TRUE",
        "truee",
        "fals",
        "False",
        "undefined",
    ]
    texts += [
        "NaN",
        "-NaN",
        "Infinity",
        "-Infinity",
        "+Infinity",
        "inf",
        "nan",
        "None",
        "nil",
        "yes",
        "a",
        "abc",
        "$",
        "?",
    ]
    texts += [
        "+1",
        "01",
        "-01",
        "00",
        "-",
        "--1",
        "+",
        ".5",
        "-.5",
        "5.",
        "-5.",
        "1.e5",
        ".e5",
        "1e",
        "1e+",
        "1e-",
        "1E",
    ]
    texts += ["1ee5", "1e5.5", "1.2.3", "1_000", "1,000", "0x10", "0b1", "0o7", "1f", "1n", "1L", "- 1", "1 2", "1e 5"]
    texts += [
        "1\u0660",
        "\u0661",
        "\uff11",
        "1\u00b2",
        "½",
        "٠",
        "−1",
        "1e５",
        "0x",
        "1.-1",
        "1.+1",
        "e5",
        "E",
        "1e1e1",
    ]
    texts += ['"', '"a', 'a"', "'a'", "'", "`a`", '"a" "b"', '"a"b', "“a”", '"\\', '"\\"', '"\\x41"', '"\\a"', '"\\0"']
    texts += ['"\\v"', '"\\\'"', '"\\u"', '"\\u1"', '"\\u12"', '"\\u123"', '"\\u123g"', '"\\U00000041"', '"\\u{41}"']
    texts += ['"\\u 123"', '"\\u+123"', '"\\u-123"', '"\\u12 4"', '"\\uD83D\\u"', '"\\ "', '"\\\n"', '"\\u00"', '"\\é"']
    texts += ['"\\u００41"', '"\\u0x41"', '"\\u1_23"']
    texts += [f'"{chr(n)}"' for n in range(0x20)]  # controls must be escaped
    texts += [f"{c}1" for c in NO_WHITE] + [f"1{c}" for c in NO_WHITE] + [f"[1{c},2]" for c in NO_WHITE]
    texts += [
        "[",
        "]",
        "[1",
        "1]",
        "[1,",
        "[,1]",
        "[1,]",
        "[1,,2]",
        "[,]",
        "[1 2]",
        "[1;2]",
        "[1:2]",
        "(1)",
        "[1}",
        "[1)",
    ]
    texts += [
        "[[1]",
        "[1]]",
        "[]]",
        "[][]",
        "[] []",
        "[]1",
        "[...]",
        "[1,2",
        "[a]",
        "[']",
        '["a]',
        "[true false]",
        "<1>",
    ]
    texts += [
        "{",
        "}",
        "{]",
        "[}",
        "{,}",
        '{"a"}',
        '{"a":}',
        "{:1}",
        "{1:2}",
        "{a:1}",
        "{'a':1}",
        '{"a":1,}',
        '{,"a":1}',
    ]
    texts += [
        '{"a" 1}',
        '{"a"=1}',
        '{"a"::1}',
        '{"a":1 "b":2}',
        '{"a":1;"b":2}',
        '{"a":1}}',
        '{"a":1',
        '{"a',
        '{"a":',
        "{}{}",
    ]
    texts += [
        "{null:1}",
        "{true:1}",
        "{[]:1}",
        "{{}:1}",
        '{"a":1,"b"}',
        '{"a","b"}',
        '{"a":1,,"b":2}',
        '{"a":1]',
        "{} {}",
    ]
    texts += [
        "/* */1",
        "1/* */",
        "// x\n1",
        "1 // x",
        "# x\n1",
        "[1/* */]",
        "<!-- -->1",
        '{"a":/**/1}',
        "1;",
        "return 1",
        "1,",
    ]
    texts += [
        "{} x",
        "null null",
        '"a",',
        '"a":1',
        ",",
        ":",
        ";",
        "\\",
        "/",
        "\\u0031",
        "&quot;a&quot;",
        "(null)",
        "@",
        "~",
        "!",
    ]
    texts += ["[" * 20_000, "[" * 20_000 + "x" + "]" * 20_000, '{"a":' * 20_000, "[1," * 5000, '["', '{"a":"']
    raw = [
        b'"\x80"',
        b'"\xff"',
        b'"\xfe"',
        b'"\xc0\xaf"',
        b'"\xc1\xbf"',
        b'"\xe0\x80\xaf"',
        b'"\xe0\x9f\xbf"',
        b'"\xf0\x80\x80\xaf"',
    ]
    raw += [
        b'"\xf0\x8f\xbf\xbf"',
        b'"\xf4\x90\x80\x80"',
        b'"\xf5\x80\x80\x80"',
        b'"\xf8\x88\x80\x80\x80"',
        b'"\xed\xa0\x80"',
    ]
    raw += [
        b'"\xed\xbf\xbf"',
        b'"\xed\xa0\xbd\xed\xb8\x80"',
        b'"\xc3"',
        b'"\xe2\x82"',
        b'"\xf0\x9f\x98"',
        b'"a\x80b"',
        b"\xff1",
    ]
    raw += [
        b'"\xc3\x28"',
        b'{"\xff":1}',
        b"[\xa0]",
        b"\xc3\xa9",
        b"1\xff",
        b'\xfe\xff\x00"',
        b'\xff\xfe"\x00',
        b"\xef\xbb\xbf1",
    ]
    raw += [
        '"a"'.encode("utf-16-le"),
        '"a"'.encode("utf-16-be"),
        '"a"'.encode("utf-32-le"),
        "1".encode("utf-16"),
        b"\xe9",
        b"\x93a\x94",
    ]
    return [text.encode() for text in texts] + raw


def limits() -> list[bytes]:
    texts = [
        '"\\ud800"',
        '"\\udfff"',
        '"\\udc00\\ud800"',
        '"\\ud800\\ud800"',
        '{"\\ud800":1}',
        '"\\ud83dx"',
        '"\\uD800\\u0041"',
    ]
    texts += [
        "1e999",
        "-1e999",
        "1e400",
        "1" * 5000,
        "-" + "9" * 1001,
        "0." + "1" * 5000,
        "1e99999999",
        "1e-99999999",
        "1" * 400,
    ]
    texts += [
        '{"a":1,"a":2}',
        '{"a":1,"\\u0061":2}',
        '{"":0,"":0}',
        '{"x":{"a":1,"a":1}}',
        '{"id":1,"id":2}',
        "1" * 1000 + ".5",
    ]
    texts += ["[" * n + "]" * n for n in (64, 65, 100, 900, 1100, 20_000)] + [
        '{"a":' * n + "1" + "}" * n for n in (65, 1100, 20_000)
    ]
    texts += [
        "[" + "[]," * 100_001 + "[]]",
        "[" + "{}," * 150_000 + "{}]",
        "[[" * 50_000 + "]]" * 50_000,
        "[" + "1," * 250_000 + "1]",
    ]
    return [text.encode() for text in texts]


GOOD, BAD, LIMITS = good(), bad(), limits()
