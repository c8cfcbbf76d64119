// Numbers of seven bits a byte, the highest first; a set eighth bit says that there are more.

// @ts-ignore: decorator
@inline
export function put_number(at: i32, number: u64): i32 {
  if (number < 128) {
    store<u8>(at, <u8>number)
    return at + 1
  }
  return put_long(at, number)
}

function put_long(at: i32, number: u64): i32 {
  const more = length_of(number) - 1
  for (let byte = more; byte > 0; byte--)
    store<u8>(at + more - byte, <u8>((number >> (byte * 7)) | 128))
  store<u8>(at + more, <u8>(number & 127))
  return at + more + 1
}

/** How many bytes a number takes. */
export function length_of(number: u64): i32 {
  let bytes = 1
  for (let rest = number >> 7; rest != 0; rest >>= 7) bytes++
  return bytes
}

/** Behind the number that begins here. */
export function skip_number(at: i32): i32 {
  while (load<u8>(at) >= 128) at++
  return at + 1
}

/** The number that begins here. */
export function read_number(at: i32): u64 {
  let number: u64 = 0
  for (; load<u8>(at) >= 128; at++) number = (number << 7) | (load<u8>(at) & 127)
  return (number << 7) | load<u8>(at)
}
