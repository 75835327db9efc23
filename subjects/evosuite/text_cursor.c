/* A text with a cursor, a gap buffer with undo, of the kind of the editor and string classes of SF100 in EvoSuite's hybrid search (Galeotti et al.,
 * 2013), section V. Ours.
 *
 * suite: text_cursor.api
 *
 * Goal: cover every branch. Most of it depends on the order of the calls: the gap has to be used up, moved both ways and grown back by deletions, and an
 * undo takes back the last change only. Two branches need words: typed as characters, one call each.
 */
#include "subject.h"
#include "objects.h"

#define ROOM 8

enum { NOTHING, TYPED, DELETED };

struct text {
    unsigned char at[ROOM];
    int gap, gap_end; /* the cursor is at the gap */
    int change, deleted, frozen;
};

EXPORT("text_new") struct text *text_new(void) {
    struct text *text = NEW(struct text);
    text->gap_end = ROOM;
    return text;
}

EXPORT("text_type") int text_type(struct text *text, unsigned char c) {
    if (text->frozen) return -1;
    if (c < ' ') return -2;
    if (text->gap == text->gap_end) return 0;
    text->at[text->gap++] = c;
    text->change = TYPED;
    return 1;
}

EXPORT("text_delete") int text_delete(struct text *text) {
    if (text->frozen) return -1;
    if (text->gap == 0) return 0;
    text->gap--;
    text->deleted = text->at[text->gap];
    text->change = DELETED;
    return 1;
}

EXPORT("text_left") int text_left(struct text *text) {
    if (text->gap == 0) return 0;
    text->at[--text->gap_end] = text->at[--text->gap];
    return 1;
}

EXPORT("text_right") int text_right(struct text *text) {
    if (text->gap_end == ROOM) return 0;
    text->at[text->gap++] = text->at[text->gap_end++];
    return 1;
}

EXPORT("text_undo") int text_undo(struct text *text) {
    int change = text->change;
    text->change = NOTHING;
    switch (change) {
    case TYPED:
        if (text->gap == 0) return -1; /* the cursor has left it */
        text->gap--;
        return 1;
    case DELETED:
        text->at[text->gap++] = (unsigned char)text->deleted;
        return 2;
    default: return 0;
    }
}

static int character(const struct text *text, int i) {
    if (i < text->gap) return text->at[i];
    return text->at[i - text->gap + text->gap_end];
}

EXPORT("text_command") int text_command(struct text *text) {
    static const char freeze[] = ":w", leave[] = "quit";
    int length = text->gap + ROOM - text->gap_end;
    if (length == 2) {
        if (character(text, 0) != freeze[0] || character(text, 1) != freeze[1]) return 0;
        text->frozen = 1;
        return 1;
    }
    if (length != 4) return 0;
    for (int i = 0; i < 4; i++) {
        if (character(text, i) != leave[i]) return 0;
    }
    if (text->gap == 2) return 3; /* with the cursor in the middle of the word */
    return 2;
}

EXPORT("text_is_palindrome") int text_is_palindrome(const struct text *text) {
    int length = text->gap + ROOM - text->gap_end;
    if (length < 3) return 0;
    for (int i = 0; i < length / 2; i++) {
        if (character(text, i) != character(text, length - 1 - i)) return 0;
    }
    if (length == ROOM) return 2;
    return 1;
}
