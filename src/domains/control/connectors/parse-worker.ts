import { parentPort, workerData } from 'node:worker_threads'
import { parseCalendar } from './calendar/parse-calendar.ts'
import { SourceFault } from './connector.ts'
import { parseFeedText } from './feed/parse-feed.ts'
import { parseMail } from './mail/parse-mail.ts'
import type { ParseAnswer, ParseJob } from './parse-job.ts'

async function answer(job: ParseJob): Promise<ParseAnswer> {
  try {
    if (job.kind === 'feed') return await parseFeedText(job.text, job.url)
    if (job.kind === 'calendar') return await parseCalendar(job.text)
    return { records: await parseMail(job.messages) }
  } catch (error) {
    if (error instanceof SourceFault) return { fault: { code: error.code, message: error.message } }
    return { fault: { code: 'bad_answer', message: 'What the source sent could not be read.' } }
  }
}

parentPort?.postMessage(await answer(workerData as ParseJob), [])
