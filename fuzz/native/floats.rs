// floats(i8, u8) -> f64
//! Floats as Rust rounds, compares and converts them.

pub fn floats(a: i8, b: u8) -> f64 {
    let (x, y) = (f64::from(a) / 4.0, f32::from(b) * 0.3);
    let nearest = x.round() as i64;
    let clamped = (f64::from(y) - 40.0).clamp(-10.0, 20.0);
    if x.floor() == x && y > 30.0 {
        return x.mul_add(2.0, clamped);
    }
    match x.partial_cmp(&clamped) {
        Some(std::cmp::Ordering::Less) => nearest as f64 - clamped,
        Some(_) => (y as u8) as f64,
        None => f64::MAX,
    }
}
