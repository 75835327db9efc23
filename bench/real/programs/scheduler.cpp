// Jobs with a time of arrival, a length and a priority, run on one machine: a priority queue from the library, and
// the waiting list searched for jobs that have to be raised because they waited too long.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace {

struct Job {
    std::uint32_t arrival, length;
    std::uint8_t priority;
    std::size_t number;
};

struct Urgent {
    bool operator()(const Job *a, const Job *b) const {
        if (a->priority != b->priority) return a->priority < b->priority;
        return a->number > b->number;
    }
};

using Queue = std::priority_queue<Job *, std::vector<Job *>, Urgent>;

// Jobs that have waited longer than this many units go up by one class.
constexpr std::uint32_t patience = 64;

Queue raised(Queue waiting, std::uint32_t now, std::uint32_t &raises) {
    std::vector<Job *> jobs;
    while (!waiting.empty()) {
        jobs.push_back(waiting.top());
        waiting.pop();
    }
    for (Job *job : jobs) {
        if (now - job->arrival > patience && job->priority < 7) {
            job->priority++;
            raises++;
        }
    }
    return Queue(Urgent(), std::move(jobs));
}

} // namespace

// Three bytes for each job: the time since the one before, the length, the priority (its lowest three bits). Returns
// the sum of all waiting times.
extern "C" std::uint64_t total_waiting(const std::uint8_t *bytes, std::size_t count) {
    std::vector<Job> jobs;
    std::uint32_t now = 0, raises = 0;
    for (std::size_t i = 0; i < count; i++) {
        now += bytes[3 * i];
        jobs.push_back(Job{now, 1u + bytes[3 * i + 1], static_cast<std::uint8_t>(bytes[3 * i + 2] & 7), i});
    }
    Queue waiting;
    std::uint64_t total = 0;
    std::size_t next = 0;
    now = 0;
    while (next < jobs.size() || !waiting.empty()) {
        while (next < jobs.size() && jobs[next].arrival <= now) waiting.push(&jobs[next++]);
        if (waiting.empty()) {
            now = jobs[next].arrival;
            continue;
        }
        std::uint32_t before = raises;
        waiting = raised(std::move(waiting), now, raises);
        Job *job = waiting.top();
        waiting.pop();
        total += now - job->arrival + (raises - before);
        now += job->length;
    }
    return total;
}
