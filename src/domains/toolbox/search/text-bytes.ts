import { isUtf8 } from 'node:buffer'

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** The text of a file as it is searched, without a byte order mark; nothing for what is no text. */
export function findTextBytes(bytes: Buffer): Buffer | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  const has_mark = bytes.length >= 3 && bytes.compare(BYTE_ORDER_MARK, 0, 3, 0, 3) === 0
  return has_mark ? bytes.subarray(3) : bytes
}
