// The order in which tasks can be done, by a depth-first search, and the longest chain among them. Tasks are found by
// name in a list, each edge is looked for before it is added, and a cycle ends the search.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

enum class Mark { New, Open, Done };

struct Task {
    std::uint8_t name;
    Mark mark = Mark::New;
    int chain = 0;
    std::vector<std::size_t> before;
};

class Plan {
  public:
    std::size_t task(std::uint8_t name) {
        for (std::size_t i = 0; i < tasks.size(); i++)
            if (tasks[i].name == name) return i;
        tasks.push_back(Task{name, Mark::New, 0, {}});
        return tasks.size() - 1;
    }

    void require(std::uint8_t earlier, std::uint8_t later) {
        std::size_t first = task(earlier), then = task(later);
        std::vector<std::size_t> &before = tasks[then].before;
        if (std::find(before.begin(), before.end(), first) == before.end()) before.push_back(first);
    }

    // Fills `order`; false if there is a cycle.
    bool sort() {
        order.reserve(tasks.size());
        for (std::size_t i = 0; i < tasks.size(); i++)
            if (!visit(i)) return false;
        return true;
    }

    // Checks the order against every requirement, as the tests of such a class do.
    bool consistent() const {
        for (std::size_t place = 0; place < order.size(); place++) {
            for (std::size_t earlier : tasks[order[place]].before) {
                auto found = std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(place), earlier);
                if (found == order.begin() + static_cast<std::ptrdiff_t>(place)) return false;
            }
        }
        return true;
    }

    int longest_chain() const {
        int longest = 0;
        for (const Task &task : tasks) longest = std::max(longest, task.chain);
        return longest;
    }

  private:
    bool visit(std::size_t at) {
        if (tasks[at].mark == Mark::Done) return true;
        if (tasks[at].mark == Mark::Open) return false;
        tasks[at].mark = Mark::Open;
        int chain = 0;
        for (std::size_t earlier : tasks[at].before) {
            if (!visit(earlier)) return false;
            chain = std::max(chain, tasks[earlier].chain);
        }
        tasks[at].chain = chain + 1;
        tasks[at].mark = Mark::Done;
        order.push_back(at);
        return true;
    }

    std::vector<Task> tasks;
    std::vector<std::size_t> order;
};

} // namespace

// Pairs of names: the first has to be done before the second. The longest chain, -1 for a cycle.
extern "C" int longest_chain(const std::uint8_t *pairs, std::size_t count) {
    Plan plan;
    for (std::size_t i = 0; i < count; i++) plan.require(pairs[2 * i], pairs[2 * i + 1]);
    if (!plan.sort()) return -1;
    return plan.consistent() ? plan.longest_chain() : -2;
}
