//! Written by Pessimum: tests of the crate `shelf_life`. They expect what it does now, whether that is right or not.
//! It belongs into the directory `tests` of the package.

use shelf_life::ring::Full;
use shelf_life::Countable;
use shelf_life::Error;
use shelf_life::RingBuffer;
use shelf_life::Shelf;
use shelf_life::Unit;

/// About ring.
#[test]
fn ring() {
    let mut ring_buffer = RingBuffer::<u32>::new(1);
    assert_eq!(ring_buffer.push(7), Ok(()));
    assert_eq!(ring_buffer.push(8), Err(Full(8)));
    assert_eq!(ring_buffer.get(0), Some(&7));
    assert_eq!(ring_buffer.get(9), None);
    assert_eq!(ring_buffer.len(), 1);
    assert_eq!(ring_buffer.pop(), Some(7));
    assert!(ring_buffer.is_empty());
    assert_eq!(ring_buffer.into_iter().count(), 0);
}

/// About ring.
#[test]
#[should_panic]
fn ring_2() {
    let _ = RingBuffer::<u32>::new(0);
}

/// About no label.
#[test]
fn no_label() {
    assert_eq!(Shelf::labelled("").err(), Some(Error::Empty));
    let mut values = [3, -1, 2];
    assert_eq!(shelf_life::sort(&mut values), 2);
    assert_eq!(values, [-1, 2, 3]);
}

/// About shelf.
#[test]
fn shelf() {
    let mut shelf = Shelf::labelled("\"a").unwrap();
    assert_eq!(shelf.put(5, 10), 10);
    assert_eq!(shelf.take(5, 11), Err(Error::TooMany { wanted: 11, there: 10 }));
    assert_eq!(shelf.take(6, 1), Err(Error::Unknown(6)));
    assert_eq!(shelf.take(5, 3), Ok(7));
    assert_eq!(shelf.most(), Some(&(5, 7)));
    let mut shelf2 = shelf.clone();
    shelf2.merge(&shelf);
    assert_eq!(shelf2.numbers().collect::<Vec<_>>(), vec![5]);
    assert_eq!(shelf2.label(), "\"a");
    assert_eq!(format!("{}", shelf2), "\"a: 1");
    assert_eq!(shelf2.price(Unit::Weight(0.5), 9), 0.0045);
    assert_eq!(<Shelf as Countable>::count(&shelf2), 1);
    drop(shelf);
    let _ = Shelf::default();
}

/// About common.
#[test]
fn common() {
    assert_eq!(shelf_life::common("ab", "ac"), "a");
}
