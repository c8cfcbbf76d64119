import type { ServerResponse } from 'node:http'
import type { Answer } from '../../operations/run-operation.ts'
import { endWith, wireText } from '../../platform/basics/wire-text.ts'
import { answerHeaders } from './operation-call.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Sends a finished answer past the framework, with the very headers that the framework's answers have. */
export function writeAnswer(response: ServerResponse, answer: Answer, challenge: () => string): void {
  const wire = answer.stored?.wire ?? wireText(answer.text)
  response.writeHead(answer.status, headersOf(answer, wire.bytes, challenge))
  endWith(response, wire)
}

const SECURITY_LIST = SECURITY_HEADERS.flat()
const PLAIN_LIST = [...SECURITY_LIST, 'content-type', 'application/json; charset=utf-8', 'content-length']

function headersOf(answer: Answer, bytes: number, challenge: () => string): string[] {
  const length = String(bytes)
  if (answer.ok && !answer.request_id) return [...PLAIN_LIST, length]
  return [...SECURITY_LIST, ...answerHeaders(answer, challenge()).flat(), 'content-length', length]
}
