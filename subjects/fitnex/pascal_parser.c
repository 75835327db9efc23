/* A parser of a small Pascal-like language, after the subject that Fitnex (Xie et al., DSN 2009) describes in section 5 and does not print.
 *
 * call: parse(u8[n], i32 in 0..=n)        any n >= 20; the length of the text is an input too
 *
 *     program   = "program" name ";" { "var" name ":" "integer" ";" } block "."
 *     block     = "begin" [ statement { ";" statement } ] "end"
 *     statement = name ":=" sum | "if" sum "then" statement | "while" sum "do" statement | block
 *     sum       = term { ("+" | "-" | "<" | "=") term }
 *     term      = name | number | "(" sum ")"
 *
 * Words are separated by spaces or line ends; names are letters and digits, but no word of the language; variables need no declaration.
 *
 * Target: must_reach, after a legal program. The shortest legal one is `program X;begin end.`, 20 bytes (the paper prints it with one more space).
 */
#include "subject.h"

enum token { END, NAME, NUMBER, PROGRAM, VAR, INTEGER, BEGIN, CLOSE, IF, THEN, WHILE, DO, ASSIGN, SYMBOL, BAD };

static const unsigned char *text;
static int length, at;
static enum token token;
static unsigned char symbol; /* which one, for SYMBOL */

static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int is_word(int start, const char *word) {
    int i = start;
    while (*word) {
        if (i == at) return 0;
        if (text[i] != (unsigned char)*word) return 0;
        i++;
        word++;
    }
    return i == at;
}

static enum token word_token(int start) {
    if (is_word(start, "program")) return PROGRAM;
    if (is_word(start, "var")) return VAR;
    if (is_word(start, "integer")) return INTEGER;
    if (is_word(start, "begin")) return BEGIN;
    if (is_word(start, "end")) return CLOSE;
    if (is_word(start, "if")) return IF;
    if (is_word(start, "then")) return THEN;
    if (is_word(start, "while")) return WHILE;
    if (is_word(start, "do")) return DO;
    return NAME;
}

static enum token read_token(void) {
    while (at < length) {
        if (text[at] != ' ' && text[at] != '\n') break;
        at++;
    }
    if (at == length) return END;
    int start = at;
    unsigned char c = text[at++];
    if (is_letter(c)) {
        while (at < length) {
            if (!(is_letter(text[at]) || is_digit(text[at]))) break;
            at++;
        }
        return word_token(start);
    }
    if (is_digit(c)) {
        while (at < length) {
            if (!is_digit(text[at])) break;
            at++;
        }
        return NUMBER;
    }
    symbol = c;
    if (c == ':') {
        if (at < length) {
            if (text[at] == '=') {
                at++;
                return ASSIGN;
            }
        }
        return SYMBOL;
    }
    if (c == ';' || c == '.' || c == '(' || c == ')' || c == '+' || c == '-' || c == '<' || c == '=') return SYMBOL;
    return BAD;
}

static void advance(void) { token = read_token(); }

static int accept(enum token wanted) {
    if (token != wanted) return 0;
    advance();
    return 1;
}

static int accept_symbol(unsigned char wanted) {
    if (token != SYMBOL) return 0;
    if (symbol != wanted) return 0;
    advance();
    return 1;
}

static int parse_sum(void);

static int parse_term(void) {
    if (accept(NAME)) return 1;
    if (accept(NUMBER)) return 1;
    if (accept_symbol('(')) return parse_sum() && accept_symbol(')');
    return 0;
}

static int parse_sum(void) {
    if (!parse_term()) return 0;
    while (accept_symbol('+') || accept_symbol('-') || accept_symbol('<') || accept_symbol('=')) {
        if (!parse_term()) return 0;
    }
    return 1;
}

static int parse_block(void);

static int parse_statement(void) {
    if (accept(NAME)) return accept(ASSIGN) && parse_sum();
    if (accept(IF)) return parse_sum() && accept(THEN) && parse_statement();
    if (accept(WHILE)) return parse_sum() && accept(DO) && parse_statement();
    return parse_block();
}

static int parse_block(void) {
    if (!accept(BEGIN)) return 0;
    if (accept(CLOSE)) return 1;
    do {
        if (!parse_statement()) return 0;
    } while (accept_symbol(';'));
    return accept(CLOSE);
}

static int parse_program(void) {
    if (!(accept(PROGRAM) && accept(NAME) && accept_symbol(';'))) return 0;
    while (accept(VAR)) {
        if (!(accept(NAME) && accept_symbol(':') && accept(INTEGER) && accept_symbol(';'))) return 0;
    }
    return parse_block() && accept_symbol('.') && token == END;
}

EXPORT("parse") int parse(const unsigned char *source, int source_length) {
    text = source;
    length = source_length;
    at = 0;
    advance();
    if (!parse_program()) return 0;
    must_reach();
    return 1;
}
