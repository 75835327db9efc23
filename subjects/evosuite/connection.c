/* The server side of a small mail protocol, a state machine, of the kind of the protocol and controller classes of SF100 in EvoSuite's hybrid search
 * (Galeotti et al., 2013), section V. Ours.
 *
 * suite: connection.api
 *
 * Goal: cover every branch. Calls have to come in the order of the protocol and the values in them have to fit: a version, a name, an answer to the
 * number that an earlier call was given, a size that the body keeps to, and a checksum over all of the body.
 */
#include "subject.h"
#include "objects.h"

enum { CLOSED, OPEN, GREETED, LOGGED_IN, RECEIVING, BROKEN };

struct connection {
    int state, version, challenge, user, attempts, announced, received, delivered;
    unsigned checksum;
};

EXPORT("connection_new") struct connection *connection_new(void) {
    return NEW(struct connection);
}

EXPORT("connection_open") int connection_open(struct connection *c, int port) {
    if (c->state != CLOSED) return -1;
    if (port == 25) {
        c->version = 1;
    } else if (port == 587) {
        c->version = 2;
    } else {
        return 0;
    }
    c->state = OPEN;
    return 1;
}

EXPORT("connection_greet") int connection_greet(struct connection *c, const unsigned char *name, int n, int challenge) {
    static const unsigned char word[] = "EHLO";
    if (c->state != OPEN) return -1;
    if (n < 4) return 0;
    for (int i = 0; i < 4; i++) {
        if (name[i] != word[i]) {
            if (i == 0 && name[0] == 'H') return -2; /* the old greeting */
            return 0;
        }
    }
    c->state = GREETED;
    c->challenge = challenge;
    return 1;
}

EXPORT("connection_login") int connection_login(struct connection *c, int user, int answer) {
    if (c->state != GREETED) return -1;
    if (user <= 0) return 0;
    if (answer != (c->challenge ^ user) + 1000) {
        c->attempts++;
        if (c->attempts == 2) {
            c->state = BROKEN;
            return -2;
        }
        return 0;
    }
    c->user = user;
    c->state = LOGGED_IN;
    if (c->version == 2 && user == 1) return 2; /* the administrator, who may not come by the old port */
    return 1;
}

EXPORT("connection_announce") int connection_announce(struct connection *c, int size) {
    if (c->state != LOGGED_IN) return -1;
    if (size < 1) return 0;
    if (size > 1000 && c->user != 1) return -2;
    c->announced = size;
    c->received = 0;
    c->checksum = 0;
    c->state = RECEIVING;
    return 1;
}

EXPORT("connection_data") int connection_data(struct connection *c, const unsigned char *data, int n) {
    if (c->state != RECEIVING) return -1;
    if (c->received + n > c->announced) {
        c->state = BROKEN;
        return -2;
    }
    for (int i = 0; i < n; i++) c->checksum = 31 * c->checksum + data[i];
    c->received += n;
    if (c->received == c->announced) return 2;
    return 1;
}

EXPORT("connection_finish") int connection_finish(struct connection *c, unsigned checksum) {
    if (c->state != RECEIVING) return -1;
    if (c->received < c->announced) return 0;
    if (checksum != c->checksum) {
        c->state = LOGGED_IN;
        return -2;
    }
    c->delivered++;
    c->state = LOGGED_IN;
    if (c->delivered == 2) return 2;
    return 1;
}

EXPORT("connection_reset") int connection_reset(struct connection *c) {
    switch (c->state) {
    case CLOSED: return 0;
    case BROKEN:
        if (c->delivered > 0) {
            c->state = GREETED; /* it has behaved well once */
            c->attempts = 0;
            return 2;
        }
        return -1;
    case RECEIVING: c->state = LOGGED_IN; return 1;
    default: c->state = CLOSED; return 1;
    }
}
