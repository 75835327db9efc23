//! What a run costs does not depend on the runs before it, though library modules keep results.

mod common;

use common::{Subject, interpreters};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_term::Witness;

/// Each keeps something in another way: a cache of functools, a global that is made when it is needed, a regular expression,
/// a context variable, a table that is empty at first, an abstract class that remembers its subclasses, a table of a class,
/// loggers, combinations of flags, an event loop, caches in closures and behind properties, an object that is asked for at exit,
/// warnings that were given, lines of source that were read, a module that is imported when it is needed.
const TEXT: &str = "
import asyncio
import collections.abc
import dataclasses
import fnmatch
import inspect
import io
import ipaddress
import logging
import os
import re
import signal
import socket
import sys
import traceback
import typing
import urllib.parse
import warnings
import weakref
import zoneinfo
from pure import decimal

log = logging.getLogger(__name__)
log.addHandler(logging.StreamHandler(io.StringIO()))

def f(kind, value):
    if kind == 0:
        return urllib.parse.urlsplit('http://host/' + 'a' * value)
    if kind == 1:
        return urllib.parse.unquote_to_bytes('%4' + str(value))
    if kind == 2:
        return re.search('a{' + str(value) + '}', 'aaa'), re.sub('(a)', r'\\1' * value, 'aa'), re.purge()
    if kind == 3:
        return decimal.Decimal(value).sqrt()
    if kind == 4:
        return fnmatch.fnmatch('a' * value, 'a*')
    if kind == 5:
        class Sized:
            def __len__(self):
                return value
        return isinstance(Sized(), collections.abc.Sized), isinstance(value, collections.abc.Mapping)
    if kind == 6:
        return ipaddress.ip_network('1.2.0.0/' + str(20 + value)), ipaddress.ip_address('::1').is_private
    if kind == 7:
        logging.basicConfig(stream=io.StringIO())
        log.info(value), logging.getLogger('asyncio').warning(value), logging.getLogger('a.%d' % value).error(value)
        try:
            value // 0
        except ZeroDivisionError:
            return log.exception('no'), traceback.format_exc()
    if kind == 8:
        flags = re.I | re.M | value
        return re.findall('a+', 'aab', flags), repr(flags), socket.MsgFlag(3 + value), signal.Signals(2).name
    if kind == 9:
        async def one():
            await asyncio.sleep(0)
            return value
        async def several():
            return await asyncio.gather(one(), asyncio.wait_for(one(), 3))
        return asyncio.run(several())
    if kind == 10:
        zone = zoneinfo.ZoneInfo('UTC')
        return typing.List[int], typing.Optional[typing.Sequence[str]], typing.get_type_hints(one_of), zone.key
    if kind == 11:
        @dataclasses.dataclass(order=True)
        class Point:
            x: int
            y: list = dataclasses.field(default_factory=list)
        weakref.finalize(one_of, int).detach()
        return dataclasses.asdict(Point(value)), inspect.getdoc(one_of), inspect.signature(f), inspect.getmembers(Point)
    if kind == 12:
        return isinstance(value, os.PathLike), os.path.join('a', 'b'), inspect.getsource(f)
    if kind == 13:
        return warnings.warn('value ' + str(value))
    if kind == 14:
        return typing.Optional[typing.List[int]], typing.Union[int, value and str], re.IGNORECASE | re.DOTALL
    import colorsys
    return colorsys.rgb_to_hls(value, 1, 2)

def one_of(values: typing.List[int], at: typing.Optional[int] = None) -> int:
    'One of them.'
";

/// The version of `decimal` in Python, imported as if that in C did not exist.
const PURE: &str = "
import sys
if 'pure decimal' not in sys.modules:
    kept = {name: sys.modules.pop(name, None) for name in ('decimal', '_decimal')}
    sys.modules['_decimal'] = None
    import decimal
    sys.modules['pure decimal'] = decimal
    for name, module in kept.items():
        sys.modules.pop(name)
        if module is not None:
            sys.modules[name] = module
decimal = sys.modules['pure decimal']
";

#[test]
fn costs_do_not_depend_on_earlier_runs() {
    const KINDS: u64 = 16;
    let limits = PathLimits::default();
    for python in interpreters() {
        let cost = |order: &[(u64, u64)]| -> Vec<((u64, u64), u64)> {
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("pure.py"), PURE).unwrap();
            let subject = Subject::beside(python, TEXT, directory);
            let program = subject.program("f(int in 0..=15, int in 1..=3)", 0);
            let lines = |&(kind, value): &(u64, u64)| {
                ((kind, value), program.replay(&Witness::new(vec![kind, value]), &limits).costs.lines)
            };
            order.iter().map(lines).collect()
        };
        let once: Vec<(u64, u64)> = (0..KINDS).flat_map(|kind| (1..=3).map(move |value| (kind, value))).collect();
        let twice: Vec<(u64, u64)> = once.iter().chain(once.iter().rev()).copied().collect();
        let mut costs = cost(&twice);
        costs.extend(cost(&once.iter().rev().copied().collect::<Vec<_>>()));
        for (what, lines) in &costs {
            let first = costs.iter().find(|(other, _)| other == what).unwrap().1;
            assert_eq!(*lines, first, "kind {} of {} in {}", what.0, what.1, python.display());
            assert!(*lines > 1);
        }
    }
}
