import asyncio
import ctypes
import logging
import os
import subprocess

log = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO)


def shell(x: int) -> int:
    if x > 3:
        return len(subprocess.check_output(["echo", "a"]))
    return 0


def always(x: int) -> int:
    return os.system("exit 3") + x


def waits(xs: list[int]) -> int:
    async def double(x):
        await asyncio.sleep(0)
        return 2 * x

    async def all_of(xs):
        return sum([x for x in await asyncio.gather(*map(double, xs)) if x > 10])

    return asyncio.run(all_of(xs))


def logs(xs: list[int]) -> int:
    best = 0
    for x in xs:
        if x > best:
            log.info("better: %d", x)
            best = x
    return best


def reads(x: int) -> int:
    return len(input()) + x


def crashes(x: int) -> int:
    if x > 3:
        ctypes.string_at(0)
    return 0
