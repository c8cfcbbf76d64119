const BITS = 7
const MORE = 0x80

/** Numbers of seven bits a byte, the highest first; a set eighth bit says that there are more. */
export function readNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * MORE + (byte % MORE)
    if (byte >= MORE) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}

export function writeNumbers(numbers: readonly number[]): Buffer {
  return Buffer.from(
    numbers.flatMap((number) => {
      const bytes = [number % MORE]
      for (let rest = Math.floor(number / 2 ** BITS); rest > 0; rest = Math.floor(rest / 2 ** BITS))
        bytes.unshift((rest % MORE) + MORE)
      return bytes
    }),
  )
}
