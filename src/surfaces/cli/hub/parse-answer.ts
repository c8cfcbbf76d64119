import type { z } from 'zod'
import type { CallAnswer } from './connection.ts'

/** What a call that was carried out has answered, typed by the output of its operation. */
export function readAnswer<Output extends z.ZodType>({ text }: Pick<CallAnswer, 'text'>): z.output<Output> {
  return JSON.parse(text)
}
