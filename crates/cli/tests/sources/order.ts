export function before(a: i32, b: i32): bool {
  return a < b;
}
