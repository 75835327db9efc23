// Functions as Zig has them: public, with slices, and with results that are no numbers.
const Point = struct { x: i32, y: i32 };

pub fn above(values: []const i16, least: i16) usize {
    var count: usize = 0;
    for (values) |value| {
        if (value > least) count += 1;
    }
    return count;
}

pub fn length(text: [:0]const u8) usize {
    return text.len;
}

pub fn checked(x: u32) !u32 {
    if (x > 100) return error.TooLarge;
    return x + 1;
}

pub fn norm(p: Point) i32 {
    return p.x + p.y;
}
