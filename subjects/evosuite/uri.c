/* Addresses of resources, after URI, ResourceURL, URIClassifier and PathURN in EvoSuite's hybrid search (Galeotti et al., 2013), Table II. Our own rules.
 *
 * suite: uri.api
 *
 * Goal: cover every branch. The constructor parses a text that has to begin with known schemes and to have its parts in order; what later calls say
 * depends on it, and comparing two addresses needs two texts that fit each other.
 */
#include "subject.h"
#include "objects.h"

#define MOST 32

enum { HTTP, FILE_SCHEME, URN, OTHER };

struct uri {
    unsigned char text[MOST];
    int length, scheme, host, path, port, fragment; /* places in the text; 0 for none */
};

static int begins(const struct uri *uri, int at, const char *word) {
    int i = 0;
    for (; word[i]; i++) {
        if (at + i >= uri->length) return 0;
        if (uri->text[at + i] != (unsigned char)word[i]) return 0;
    }
    return i;
}

static int is_letter(int c) { return c >= 'a' && c <= 'z'; }

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int read_host(struct uri *uri, int at) {
    uri->host = at;
    while (at < uri->length && (is_letter(uri->text[at]) || uri->text[at] == '.')) at++;
    if (at == uri->host) return 0;
    if (at < uri->length && uri->text[at] == ':') {
        for (at++; at < uri->length && is_digit(uri->text[at]); at++) {
            uri->port = 10 * uri->port + (uri->text[at] - '0');
            if (uri->port > 65535) return 0;
        }
        if (uri->port == 0) return 0;
    }
    return at;
}

static int read_path(struct uri *uri, int at) {
    uri->path = at;
    for (; at < uri->length; at++) {
        int c = uri->text[at];
        if (c == '#') {
            uri->fragment = at;
            return 1;
        }
        if (c == '%') {
            if (at + 2 >= uri->length) return 0;
            if (!is_digit(uri->text[at + 1]) || !is_digit(uri->text[at + 2])) return 0;
        } else if (c <= ' ' || c >= 127) {
            return 0;
        }
    }
    return 1;
}

/* Traps, where the original throws, if the text is not an address. */
EXPORT("uri_new") struct uri *uri_new(const unsigned char *text, int n) {
    if (n == 0 || n > MOST) __builtin_trap();
    struct uri *uri = NEW(struct uri);
    for (int i = 0; i < n; i++) uri->text[i] = text[i];
    uri->length = n;
    int at;
    if ((at = begins(uri, 0, "http://"))) {
        uri->scheme = HTTP;
        if (!(at = read_host(uri, at))) __builtin_trap();
    } else if ((at = begins(uri, 0, "file:"))) {
        uri->scheme = FILE_SCHEME;
        if (at == n || text[at] != '/') __builtin_trap();
    } else if ((at = begins(uri, 0, "urn:"))) {
        uri->scheme = URN;
        if (at == n) __builtin_trap();
    } else {
        uri->scheme = OTHER;
        for (at = 0; at < n && is_letter(text[at]); at++) {}
        if (at == 0 || at == n || text[at] != ':') __builtin_trap();
        at++;
    }
    if (!read_path(uri, at)) __builtin_trap();
    return uri;
}

EXPORT("uri_port") int uri_port(const struct uri *uri) {
    if (uri->scheme != HTTP) return -1;
    if (uri->port == 0) return 80;
    if (uri->port == 8080) return -8080;
    return uri->port;
}

/* How many parts the path has, of what is before the fragment. */
EXPORT("uri_depth") int uri_depth(const struct uri *uri) {
    int parts = 0, end = uri->length;
    if (uri->fragment) end = uri->fragment;
    for (int i = uri->path; i < end; i++) {
        if (uri->text[i] == '/' && i + 1 < end) parts++;
    }
    return parts;
}

EXPORT("uri_is_local") int uri_is_local(const struct uri *uri) {
    switch (uri->scheme) {
    case FILE_SCHEME: return 1;
    case HTTP: return begins(uri, uri->host, "localhost") > 0;
    default: return 0;
    }
}

/* Whether they name the same resource: all but the fragments is equal. */
EXPORT("uri_same") int uri_same(const struct uri *a, const struct uri *b) {
    if (a == b) return 2;
    if (a->scheme != b->scheme) return 0;
    int end = a->length, other = b->length;
    if (a->fragment) end = a->fragment;
    if (b->fragment) other = b->fragment;
    if (end != other) return 0;
    for (int i = 0; i < end; i++) {
        if (a->text[i] != b->text[i]) return 0;
    }
    if (a->fragment != b->fragment) return 3;
    return 1;
}
