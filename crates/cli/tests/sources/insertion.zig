// Insertion sort.
export fn sort(values: [*]i32, count: usize) void {
    var i: usize = 1;
    while (i < count) : (i += 1) {
        const moving = values[i];
        var j = i;
        while (j > 0 and values[j - 1] > moving) : (j -= 1) values[j] = values[j - 1];
        values[j] = moving;
    }
}

fn hidden(x: i32) i32 {
    return x;
}
