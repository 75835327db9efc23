fn main() {
    println!("{:?}", searching::position(&[1, 2, 3], 2));
}
