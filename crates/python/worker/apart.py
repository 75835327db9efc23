"""Runs in processes of their own.

What a run leaves behind in its process is put back as far as caches.py finds it. So that nothing depends on that, a worker
keeps a copy of itself as it was before its first run: a process that waits. Of some runs, more and more seldom, and of those
that cost clearly more than all before, a copy of that copy makes the same run. Where it costs something else, all runs from
then on are made so: whatever they change ends with them.
"""

import os
import signal

from .channel import Channel, getpid, pipe, read, write
from .trace import Stop

# The guard replaces these for programs.
fork, kill, wait_for, end_now = os.fork, os.kill, os.waitpid, os._exit
set_mask, set_handler = signal.pthread_sigmask, signal.signal

# The signal on which a worker tells where it is: whichever of its processes makes the run.
WHERE = signal.SIGUSR1

# What a copy says before it ends.
DONE, AGAIN = b"d", b"a"

# This many runs in a row are made twice.
FIRST = 4


class OnlyOnce(BaseException):
    """The file cannot be executed twice in one process: what it was when it was opened has to do."""


def run(worker, body):
    """Makes a run in a copy of this process."""
    while copied(worker, body) == AGAIN:
        worker.executes_again = False


def copied(worker, body):
    """How a copy has made the run. What it has imported is not imported here: a package may look whether that was done."""
    reading, writing = pipe()
    set_mask(signal.SIG_BLOCK, (WHERE,))
    child = fork()
    if child == 0:
        worker.channel.pid = worker.guard.pid = getpid()
        set_mask(signal.SIG_UNBLOCK, (WHERE,))
        try:
            worker.run_here(body)
            said = DONE
        except OnlyOnce:
            said = AGAIN
        write(writing, said)
        end_now(0)
    os.close(writing)
    status = wait_for(child, 0)[1]
    said = read(reading, 1)
    os.close(reading)
    if not said:
        end_as(status)
    return said


def end_as(status):
    """A run has ended its process: so does this one, for whoever looks at it."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            set_handler(number, signal.SIG_DFL)
        kill(getpid(), number)
    end_now(os.WEXITSTATUS(status))


class Spare:
    """The process that waits."""

    def __init__(self, worker):
        requests, answers = pipe(), pipe()
        self.program = None
        self.runs = 0
        self.most = [0] * 5
        self.pid = fork()
        if self.pid == 0:
            set_mask(signal.SIG_BLOCK, (WHERE,))
            os.close(requests[1])
            os.close(answers[0])
            mine, theirs = Channel(requests[0], answers[1]), worker.channel
            worker.serve(mine, theirs)
        os.close(requests[0])
        os.close(answers[1])
        self.channel = Channel(answers[0], requests[1], self.is_gone)

    def is_gone(self):
        raise EOFError

    def is_due(self, costs):
        """Whether a run that was made here is made there as well."""
        self.runs += 1
        is_most = any(10 * cost > 11 * most for cost, most in zip(costs, self.most))
        self.most = list(map(max, costs, self.most))
        # Nothing was before the first.
        return 1 < self.runs <= FIRST or self.runs > 1 and (is_most or self.runs & self.runs - 1 == 0)

    def repeat(self, worker, body):
        """How a run ends there and what it costs; none if it ends its process."""
        try:
            if self.program is not worker.description:
                self.program = worker.description
                self.channel.send_json("P", self.program)
                self.channel.receive()
            self.channel.send("R", body)
            while True:
                kind, answer = self.channel.receive()
                if kind != "s":
                    return answer
                try:
                    worker.alive()
                except Stop:
                    self.channel.send("X")
                    raise
                self.channel.send("G")
        except EOFError:
            return None

    def take_over(self, worker, body):
        """Leaves this run and all that come to it."""
        set_mask(signal.SIG_BLOCK, (WHERE,))
        try:
            self.channel.send_json("P", worker.description)
            self.channel.receive()
            self.channel.send("S", body)
        except EOFError:
            pass
        end_as(wait_for(self.pid, 0)[1])
