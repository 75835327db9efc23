//! What a run costs does not depend on the runs before it, though library modules keep results.

mod common;

use common::{Subject, interpreters};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_term::Witness;

/// Each keeps something in another way: a cache of functools, a global that is made when it is needed, a regular expression,
/// a context variable, a table that is empty at first, an abstract class that remembers its subclasses, a table of a class, a
/// module that is imported when it is needed, a cache of a module that the worker uses itself, one in a closure, warnings
/// that were given, lines of source that were read, flags that were combined.
const TEXT: &str = "
import collections.abc
import dataclasses
import fnmatch
import re
import sys
import traceback
import typing
import urllib.parse
import warnings
from pure import decimal

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
        import ipaddress
        return ipaddress.ip_network('1.2.0.0/' + str(20 + value))
    if kind == 7:
        @dataclasses.dataclass
        class Point:
            x: int
        return Point(value)
    if kind == 8:
        return typing.Optional[typing.List[int]], typing.Union[int, value and str]
    if kind == 9:
        return warnings.warn('value ' + str(value))
    if kind == 10:
        try:
            return 1 // (value - value)
        except ZeroDivisionError:
            return traceback.format_exc()
    if kind == 11:
        return re.IGNORECASE | re.DOTALL, re.MULTILINE | value
    import colorsys
    return colorsys.rgb_to_hls(value, 1, 2)
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
    const KINDS: u64 = 13;
    let limits = PathLimits::default();
    for python in interpreters() {
        let cost = |order: &[(u64, u64)]| -> Vec<((u64, u64), u64)> {
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("pure.py"), PURE).unwrap();
            let subject = Subject::beside(python, TEXT, directory);
            let program = subject.program("f(int in 0..=12, int in 1..=3)", 0);
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
