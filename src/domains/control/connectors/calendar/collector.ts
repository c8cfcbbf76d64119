import { type Collector, type JsonObject, type Source, SourceFault } from '../connector.ts'
import { fetchChanged, findSecret } from '../fetch-changed.ts'
import { changesIn, findMember, findText, markOf, pageChanges, readIndex } from '../page-changes.ts'
import { parseApart } from '../parse-apart.ts'
import { findUpload } from '../uploaded-file.ts'

const MAX_CALENDAR_BYTES = 10 * 1024 * 1024

/** Reads a calendar from its address when it has changed, or once from the file that was uploaded. */
export const calendarCollector: Collector = {
  async probe(source) {
    const found = await findCalendar({ ...source, checkpoint: null })
    const { title } = await parseApart({ kind: 'calendar', text: found?.text ?? '' }, source.signal)
    return title === undefined ? {} : { display_name: title }
  },
  async *collect(source) {
    const found = await findCalendar(source)
    if (!found) return
    const { records } = await parseApart({ kind: 'calendar', text: found.text }, source.signal)
    const index = readIndex(findMember(source.checkpoint, 'index'))
    yield* pageChanges(changesIn(records, index, 'removed'), {
      stream: 'events',
      index,
      total: records.length,
      checkpoint: (marks, is_done) => ({ ...(is_done && found.validators), index: marks }),
    })
  },
}

async function findCalendar(source: Source): Promise<{ text: string; validators: JsonObject } | undefined> {
  if (source.settings.url || (await findSecret(source, 'secret_url'))) {
    return fetchChanged(source, MAX_CALENDAR_BYTES)
  }
  const text = await findUpload(source, 'file', MAX_CALENDAR_BYTES)
  if (text === undefined) {
    throw new SourceFault('needs_attention', 'The connection has neither an address nor a file.')
  }
  const file = markOf(text)
  return findText(source.checkpoint, 'file') === file ? undefined : { text, validators: { file } }
}
