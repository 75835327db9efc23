use std::io::Read;
fn main() {
    let mut s = Vec::new();
    std::io::stdin().read_to_end(&mut s).unwrap();
    let v: Vec<u32> = s.iter().map(|b| *b as u32).collect();
    let i = v.iter().sum::<u32>() as usize;
    println!("{}", v[i % (v.len() + 1)]);
}
