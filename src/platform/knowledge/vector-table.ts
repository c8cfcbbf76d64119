const MAGIC = 'EMBVEC01'
const HEAD_BYTES = 24
const NUMBER_BYTES = 4

/** Rows of whole numbers with a scale each: first one for each listed word, then one for each bucket. */
export interface VectorTable {
  readonly dimensions: number
  readonly words: readonly string[]
  readonly buckets: number
  readonly scales: Float32Array
  readonly rows: Int8Array
}

/** Reads a table from the bytes of its file; anything that is not whole is refused. */
export function parseVectorTable(bytes: Uint8Array): VectorTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEAD_BYTES || readText(bytes, 0, MAGIC.length) !== MAGIC)
    throw new Error('The vector table is not one.')
  const [count, buckets, dimensions, list_bytes] = [8, 12, 16, 20].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ]
  const scales_at = HEAD_BYTES + list_bytes + ((NUMBER_BYTES - (list_bytes % NUMBER_BYTES)) % NUMBER_BYTES)
  const rows_at = scales_at + NUMBER_BYTES * (count + buckets)
  if (bytes.length !== rows_at + (count + buckets) * dimensions)
    throw new Error('The vector table is not whole.')
  const words = readText(bytes, HEAD_BYTES, list_bytes).split('\n')
  if (words.length !== count) throw new Error('The vector table lists other words than it counts.')
  const scales = Float32Array.from({ length: count + buckets }, (_, row) =>
    view.getFloat32(scales_at + NUMBER_BYTES * row, true),
  )
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + rows_at, bytes.length - rows_at)
  return { dimensions, words, buckets, scales, rows }
}

function readText(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('latin1')
}
