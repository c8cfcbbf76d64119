import { isUtf8 } from 'node:buffer'
import { ToolFault } from '../tool-fault.ts'

/** The text of a file, with its byte order mark if it has one; every character comes back when it is written. */
export function decodeText(bytes: Buffer, path: string): string {
  if (!bytes.includes(0) && isUtf8(bytes)) return bytes.toString('utf8')
  throw new ToolFault(
    'BinaryFile',
    `${path} is no UTF-8 text.`,
    'Only text files can be read and edited. Use list_files to find others.',
  )
}
