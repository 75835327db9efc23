"""Comma-separated values with quotes, in the manner of the module csv, which is in C.

call: rows(str[n] in 'a'..='c' | ',' | '"' | '\n')

One pass, a state machine with one step for each character: linear, and no character costs more than any other by much.
"""


def rows(text: str) -> list[list[str]]:
    result, row, field, quoted = [], [], [], False
    at = 0
    while at < len(text):
        character = text[at]
        if quoted:
            if character != '"':
                field.append(character)
            elif at + 1 < len(text) and text[at + 1] == '"':
                field.append('"')
                at += 1
            else:
                quoted = False
        elif character == '"' and not field:
            quoted = True
        elif character == ",":
            row.append("".join(field))
            field = []
        elif character == "\n":
            row.append("".join(field))
            result.append(row)
            row, field = [], []
        else:
            field.append(character)
        at += 1
    if quoted:
        raise ValueError("a quote is not closed")
    if row or field:
        result.append(row + ["".join(field)])
    return result
