/* The longest stretch of a text with at most four different characters, by a window with two ends.
 *
 * call: longest_stretch(u8[n], n)
 *
 * Worst case: linear. For each character that enters at the right, a loop may drop many at the left; but the left end
 * only moves forward and never passes the right one, so that the loop has at most n rounds in all.
 */
#include <string.h>

#define ALLOWED 4

struct window {
    int left;
    int kinds;
    int count[256];
};

static void enter(struct window *window, unsigned char c) {
    if (window->count[c]++ == 0) window->kinds++;
}

static void leave(struct window *window, unsigned char c) {
    if (--window->count[c] == 0) window->kinds--;
    window->left++;
}

int longest_stretch(const unsigned char *text, int n) {
    static struct window window;
    int longest = 0;
    memset(&window, 0, sizeof window);
    for (int right = 0; right < n; right++) {
        enter(&window, text[right]);
        while (window.kinds > ALLOWED) leave(&window, text[window.left]);
        int length = right - window.left + 1;
        if (length > longest) longest = length;
    }
    return longest;
}
