/* A queue in a ring of four places with marks and a second end, of the kind of ArrayList and the containers of the Roops benchmarks in EvoSuite's
 * hybrid search (Galeotti et al., 2013), Tables II and IV. Ours.
 *
 * suite: bounded_queue.api
 *
 * Goal: cover every branch. No branch looks at a value that a test passes: only the order and the number of the calls count, which is what a solver
 * cannot help with. Wrapping around, refusing while full and going back to a mark across the end of the ring take six to ten calls each.
 */
#include "subject.h"
#include "objects.h"

#define PLACES 4

struct queue {
    int item[PLACES];
    int first, length, mark, lost, wrapped;
};

static int after(int place) {
    if (place == PLACES - 1) return 0;
    return place + 1;
}

EXPORT("queue_new") struct queue *queue_new(void) {
    struct queue *queue = NEW(struct queue);
    queue->mark = -1;
    return queue;
}

EXPORT("queue_push") int queue_push(struct queue *queue, int item) {
    if (queue->length == PLACES) {
        queue->lost++;
        return 0;
    }
    int place = queue->first;
    for (int i = 0; i < queue->length; i++) place = after(place);
    if (place < queue->first) queue->wrapped = 1;
    queue->item[place] = item;
    queue->length++;
    return 1;
}

EXPORT("queue_pop") int queue_pop(struct queue *queue) {
    if (queue->length == 0) __builtin_trap();
    int item = queue->item[queue->first];
    if (queue->first == queue->mark) queue->mark = -1;
    queue->first = after(queue->first);
    queue->length--;
    if (queue->length == 0) {
        queue->first = 0;
        if (queue->wrapped) queue->wrapped = 0;
    }
    return item;
}

EXPORT("queue_pop_last") int queue_pop_last(struct queue *queue) {
    if (queue->length == 0) return -1;
    int place = queue->first;
    for (int i = 1; i < queue->length; i++) place = after(place);
    queue->length--;
    if (place == queue->mark) queue->mark = -1;
    return queue->item[place];
}

/* Remembers the first item; the queue can go back to it until it is popped. */
EXPORT("queue_mark") int queue_mark(struct queue *queue) {
    if (queue->length == 0) return 0;
    if (queue->mark >= 0) return -1;
    queue->mark = queue->first;
    return 1;
}

EXPORT("queue_rotate") int queue_rotate(struct queue *queue) {
    if (queue->length < 2) return 0;
    int marked = queue->first == queue->mark;
    int item = queue_pop(queue);
    queue_push(queue, item);
    if (marked) {
        if (queue->wrapped) return 3;
        return 2;
    }
    return 1;
}

/* Moves everything to the front of the ring. */
EXPORT("queue_compact") int queue_compact(struct queue *queue) {
    if (queue->first == 0) return 0;
    if (queue->mark >= 0) return -1;
    int item[PLACES], place = queue->first;
    for (int i = 0; i < queue->length; i++) {
        item[i] = queue->item[place];
        place = after(place);
    }
    for (int i = 0; i < queue->length; i++) queue->item[i] = item[i];
    queue->first = 0;
    if (queue->lost > 2 && queue->wrapped) {
        queue->lost = 0;
        queue->wrapped = 0;
        return 2;
    }
    return 1;
}

EXPORT("queue_length") int queue_length(const struct queue *queue) {
    return queue->length;
}
