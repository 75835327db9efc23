//! Bookings of a room: overlapping ones are merged, and the longest gap between them is what is asked for. Sorting is
//! the library's; a calendar that is kept sorted while bookings come in costs a square.

/// A booking, from its first minute to the minute behind its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Booking {
    from: i32,
    to: i32,
}

/// Bookings that neither overlap nor touch, in their order.
#[derive(Default)]
struct Calendar {
    bookings: Vec<Booking>,
}

impl Calendar {
    /// Adds a booking and merges it with those that it overlaps or touches.
    fn add(&mut self, new: Booking) {
        let mut merged = new;
        let mut at = 0;
        while at < self.bookings.len() && self.bookings[at].to < merged.from {
            at += 1;
        }
        while at < self.bookings.len() && self.bookings[at].from <= merged.to {
            let old = self.bookings.remove(at);
            merged.from = merged.from.min(old.from);
            merged.to = merged.to.max(old.to);
        }
        self.bookings.insert(at, merged);
    }

    fn longest_gap(&self) -> Option<i32> {
        self.bookings.windows(2).map(|pair| pair[1].from.saturating_sub(pair[0].to)).max()
    }
}

/// The same by sorting first, to compare with.
fn merged_by_sorting(mut bookings: Vec<Booking>) -> Vec<Booking> {
    bookings.sort_unstable_by_key(|booking| (booking.from, booking.to));
    let mut merged: Vec<Booking> = Vec::new();
    for booking in bookings {
        match merged.last_mut() {
            Some(last) if booking.from <= last.to => last.to = last.to.max(booking.to),
            _ => merged.push(booking),
        }
    }
    merged
}

/// Pairs of minutes, the first and the one behind the last; pairs that are in the wrong order are ignored. Returns the
/// longest gap, 0 if there is none, or -1 if the two ways of merging disagree.
pub fn longest_gap(minutes: &[i32]) -> i32 {
    let mut calendar = Calendar::default();
    let mut all = Vec::new();
    for pair in minutes.chunks_exact(2) {
        let booking = Booking { from: pair[0], to: pair[1] };
        if booking.from < booking.to {
            calendar.add(booking);
            all.push(booking);
        }
    }
    if merged_by_sorting(all) != calendar.bookings {
        return -1;
    }
    calendar.longest_gap().unwrap_or(0)
}
