//! What a run costs does not depend on the runs before it, though library modules keep results.

use crate::common::{Subject, interpreters};
use pessimum_outcome::{CostModel, End};
use pessimum_python::NoteKind;
use pessimum_search::program::{Afresh, PathLimits, Program as _};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, ArmOrder, Exhaustive, Order};
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

/// An installed package, beside the file, that keeps things in every way that no name tells: in the closure of a decorator, in a default value, in an
/// attribute of a function, of a class and of an object, in a variable of a closure, in a cache of functools in a closure. It also has an object
/// that executes code for every attribute that it is asked for.
const PACKAGE: &str = "
import functools
from collections import OrderedDict

class Lazy:
    def __getattr__(self, name):
        raise ImportError(name)

    @property
    def __class__(self):
        raise ImportError('class')

class Moved:
    gnu = Lazy()

lazy = Lazy()

def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def memoize(f):
    cache = {}
    def look(k):
        if k not in cache:
            cache[k] = f(k)
        return cache[k]
    return look

def counted(f):
    times = 0
    def call(k):
        nonlocal times
        times += 1
        return f(10 * times + k)
    return call

def cached(f):
    return [functools.lru_cache(f)]

closure, counter, in_list = memoize(work), counted(work), cached(lambda k: work(k + 3))

def default(k, seen=OrderedDict()):
    seen[len(seen)] = k
    return work(len(seen))

def attribute(k):
    attribute.times = getattr(attribute, 'times', 0) + k
    return work(attribute.times)

class Registry:
    total = 0

    def __init__(self):
        self.names = {'a': 1}
        self.last = None

    def add(self, k):
        Registry.total += k
        self.names['a'] += k
        self.last = (self.last or 0) + k
        return work(Registry.total + self.names['a'] + self.last)

registry = Registry()
";

const OF_PACKAGE: &str = "
import json
import locale
import os
import sys
import warnings
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
import keeper

def f(kind, k):
    if kind == 0:
        return keeper.closure(k)
    if kind == 1:
        return keeper.counter(k)
    if kind == 2:
        return keeper.in_list[0](k)
    if kind == 3:
        return keeper.default(k)
    if kind == 4:
        return keeper.attribute(k)
    if kind == 5:
        return keeper.registry.add(k)
    if kind == 6:
        json.seen = getattr(json, 'seen', 0) + k
        return keeper.work(json.seen)
    if kind == 7:
        sys.path.append('nowhere')
        return keeper.work(len(sys.path))
    if kind == 8:
        os.environ['SEEN'] = os.environ.get('SEEN', '') + 'a' * k
        return keeper.work(len(os.environ['SEEN']))
    if kind == 9:
        os.chdir('/' if os.getcwd() != '/' else '/tmp')
        return keeper.work(len(os.getcwd()) * k)
    if kind == 10:
        warnings.simplefilter('ignore', (UserWarning, DeprecationWarning, FutureWarning)[k - 1])
        return keeper.work(len(warnings.filters))
    if kind == 11:
        before, keeper.work = keeper.work, keeper.closure
        return keeper.work(k) if before is keeper.work else before(2 * k)
    seen = locale.setlocale(locale.LC_ALL)
    locale.setlocale(locale.LC_ALL, 'C.UTF-8' if seen == 'C' else 'C')
    return keeper.work(len(seen))
";

#[test]
fn what_packages_and_the_process_keep_is_put_back() {
    const KINDS: u64 = 13;
    let limits = PathLimits::default();
    for python in interpreters() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("site-packages")).unwrap();
        std::fs::write(directory.path().join("site-packages/keeper.py"), PACKAGE).unwrap();
        let subject = Subject::beside(python, OF_PACKAGE, directory);
        let program = subject.program("f(int in 0..=12, int in 1..=3)", 0);
        for kind in 0..KINDS {
            for k in 1..=3 {
                let input = Witness::new(vec![kind, k]);
                let (afresh, _) = program.run_concrete(&input, &limits, &mut Afresh(|| true));
                assert_eq!(afresh.end, End::Returned, "kind {kind} with {}", python.display());
                for again in 0..2 {
                    let replay = program.replay(&input, &limits);
                    assert_eq!(replay, afresh, "kind {kind}, {k}, run {again} with {}", python.display());
                }
                // In a process that has run others, too.
                assert!(program.repeats(&input, &limits), "kind {kind}, {k} with {}", python.display());
            }
        }
        assert_eq!(program.notes(NoteKind::LeftOut), []);
    }
}

/// A package that keeps things where nothing finds them: in an iterator of C, in a subclass of `list`, in a module of its own kind, in a weak
/// dictionary. It can be set up once, and has a part that is imported when it is asked for.
const HIDDEN: &str = "
import importlib, itertools, types, weakref

numbers = itertools.count()
ready = False

def set_up():
    global ready
    if ready:
        raise RuntimeError('it is set up already')
    ready = True

def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

class LazyList(list):
    def first(self):
        if not self:
            self.extend(range(work(5)))
        return self[0]

class Moved(types.ModuleType):
    def __getattr__(self, name):
        setattr(self, name, work)
        return work

class Key:
    pass

lazy, moved, key, known = LazyList(), Moved('moved'), Key(), weakref.WeakKeyDictionary()

def remember(k):
    known[key] = known.get(key, 0) + k
    return work(known[key])

def __getattr__(name):
    if name != 'part':
        raise AttributeError(name)
    return importlib.import_module('hidden.part')
";

const OF_HIDDEN: &str = "
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))
import hidden
SET_UP

def f(kind, k):
    if kind == 0:
        return hidden.work(k + next(hidden.numbers))
    if kind == 1:
        return hidden.lazy.first() + hidden.work(k)
    if kind == 2:
        return hidden.moved.thing(k)
    if kind == 3:
        return hidden.remember(k)
    return hidden.part.answer(k)
";

#[test]
fn what_nothing_finds_gets_a_process_for_each_run() {
    const KINDS: u64 = 5;
    let limits = PathLimits::default();
    for (python, set_up) in interpreters().into_iter().zip(["hidden.set_up()", "", "", ""]) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(directory.path().join("site-packages/hidden")).unwrap();
        std::fs::write(directory.path().join("site-packages/hidden/__init__.py"), HIDDEN).unwrap();
        std::fs::write(directory.path().join("site-packages/hidden/part.py"), "def answer(k):\n    return k\n")
            .unwrap();
        let subject = Subject::beside(python, &OF_HIDDEN.replace("SET_UP", set_up), directory);
        let program = subject.program("f(int in 0..=4, int in 1..=3)", 0);
        let cost = |kind, k| {
            let replay = program.replay(&Witness::new(vec![kind, k]), &limits);
            assert_eq!(replay.end, End::Returned, "kind {kind} with {}", python.display());
            replay.costs
        };
        let inputs = || (0..KINDS).flat_map(|kind| (1..=3).map(move |k| (kind, k)));
        // Twice in a row, so that the second one finds what the first one left.
        for (kind, k) in inputs() {
            let costs = [cost(kind, k), cost(kind, k)];
            assert_eq!(costs[0], costs[1], "kind {kind}, {k} with {}", python.display());
            if k == 1 {
                let (afresh, _) = program.run_concrete(&Witness::new(vec![kind, k]), &limits, &mut Afresh(|| true));
                assert_eq!(costs[0], afresh.costs, "kind {kind} with {}", python.display());
            }
        }
        assert_eq!(program.notes(NoteKind::LeftOut), [], "{}", python.display());
        let settings = Settings { cost: CostModel::Lines, ..Settings::default() };
        let found =
            strategy::run(Search::new(&program, settings), &mut Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)));
        let most = inputs().map(|(kind, k)| cost(kind, k).lines).max();
        assert_eq!((found.best.map(|best| best.costs.lines), found.complete), (most, true), "{}", python.display());
        assert!(found.defects.is_empty(), "{:?}", found.defects);
    }
}

/// A set of objects is ordered by their addresses, which no process has in common with another: told, with the place.
#[test]
fn what_depends_on_addresses_is_told_with_its_place() {
    let Some(python) = crate::common::interpreter() else { return };
    let text = "class A:\n    pass\n\ndef f(x):\n    n = 0\n    for a in sorted({A() for _ in range(50)}, key=id)[:1]:\n        \
                n = id(a) >> 4\n    while n % 1009 > x:\n        n -= 1\n    return x\n";
    let subject = Subject::new(&python, text);
    let program = subject.program("f(int in 0..=3)", 0);
    let (input, limits) = (Witness::new(vec![1]), PathLimits::default());
    assert!(!program.repeats(&input, &limits));
    let at = program.differs_at(&input, &limits).unwrap();
    assert!(at.starts_with("f (subject.py:4): ") && at.contains(" and "), "{at}");
}
