"""html.parser and html: tags and character references.

call: tags(str[n] in 'a'..='c' | '<' | '>' | '/' | '=' | '"' | '!' | '-' | '&' | ';')
call: unescaped(str[n] in 'a'..='z' | '&' | '#' | ';' | '0'..='9')

Tags are found by regular expressions: what depends on them is concrete.
"""

import html
import html.parser


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)


def tags(text: str) -> list[str]:
    parser = Tags()
    parser.feed(text)
    parser.close()
    return parser.seen


def unescaped(text: str) -> str:
    return html.unescape(text)
