import { type Source, SourceFault } from './connector.ts'
import { findSecret } from './fetch-changed.ts'

/** The text of a file that the owner has uploaded. It is kept sealed, as credentials are. */
export async function findUpload(
  source: Source,
  name: string,
  max_bytes: number,
): Promise<string | undefined> {
  const text = (await findSecret(source, name)) ?? source.settings[name]
  if (text === undefined || text === '') return undefined
  if (Buffer.byteLength(text) <= max_bytes) return text
  throw new SourceFault('too_large', `The file has more than ${max_bytes} bytes.`)
}
