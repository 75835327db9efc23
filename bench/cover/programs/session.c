/* A mail server's side of a session: greeting, login with a password, a message, an end. Lines end in a newline. */
#include <stdint.h>
#include <string.h>

enum state { NEW, GREETED, NAMED, LOGGED_IN, SENDER, RECIPIENT, BODY };

static int begins(const unsigned char *line, uint32_t length, const char *word) {
    size_t size = strlen(word);
    return length >= size && memcmp(line, word, size) == 0;
}

static int is(const unsigned char *line, uint32_t length, const char *word) {
    return length == strlen(word) && memcmp(line, word, length) == 0;
}

int serve(const unsigned char *data, uint32_t size) {
    enum state state = NEW;
    int tries = 0, sent = 0;
    uint32_t at = 0;
    while (at < size) {
        uint32_t length = 0;
        while (at + length < size && data[at + length] != '\n') length++;
        if (at + length == size) return -1;
        const unsigned char *line = data + at;
        at += length + 1;
        if (state != BODY && is(line, length, "QUIT")) return sent ? 3 : state >= LOGGED_IN ? 2 : 1;
        switch (state) {
        case NEW:
            if (!begins(line, length, "HELO ")) return -2;
            state = GREETED;
            break;
        case GREETED:
            if (is(line, length, "USER root")) return -3;
            if (!begins(line, length, "USER ")) return -4;
            state = NAMED;
            break;
        case NAMED:
            if (!begins(line, length, "PASS ")) return -5;
            if (is(line, length, "PASS sesame7")) state = LOGGED_IN;
            else if (++tries == 3) return -6;
            break;
        case LOGGED_IN:
            if (begins(line, length, "FROM ")) state = SENDER;
            else if (!is(line, length, "NOOP")) return -7;
            break;
        case SENDER:
            if (!begins(line, length, "TO ")) return -8;
            state = RECIPIENT;
            break;
        case RECIPIENT:
            if (is(line, length, "DATA")) state = BODY;
            else if (!begins(line, length, "TO ")) return -9;
            break;
        case BODY:
            if (is(line, length, ".")) {
                sent++;
                state = LOGGED_IN;
            }
            break;
        }
    }
    return 0;
}
