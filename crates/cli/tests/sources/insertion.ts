// Insertion sort.
import { before } from "./order";

export function sort(values: StaticArray<i32>): void {
  for (let i = 1; i < values.length; i++) {
    const moving = values[i];
    let j = i;
    while (j > 0 && before(moving, values[j - 1])) {
      values[j] = values[j - 1];
      j--;
    }
    values[j] = moving;
  }
}

// By address; makes an object of its own beside the buffer.
export function sum(at: usize, count: i32): i32 {
  const copy = new Array<i32>();
  for (let i = 0; i < count; i++) copy.push(load<i32>(at + 4 * i));
  return copy.reduce((a, b) => a + b, 0);
}
