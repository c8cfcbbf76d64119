import type { GetPromptResult, InputRequiredResult, Prompt } from '@modelcontextprotocol/server'
import type { CallContext } from './tool-host.ts'

/** The requests that prompts have. */
export type PromptMethod = 'prompts/list' | 'prompts/get'

/** Why a prompt is not given, in words for the client, with the code that the operation behind it has. */
export class PromptRefused extends Error {
  override readonly name = 'PromptRefused'
  readonly code: string | null
  constructor(message: string, code: string | null) {
    super(message)
    this.code = code
  }
}

/** The prompts of a host. */
export interface PromptOffer<Caller> {
  /** Whether this caller is told of prompts at all; everybody is where it is left out. */
  isOffered?(caller: Caller): boolean
  /** Whether a request runs an operation, which counts it and keeps its record. */
  isRecorded?(caller: Caller, method: PromptMethod): boolean
  list(caller: Caller): Prompt[] | Promise<Prompt[]>
  /** Undefined where there is no such prompt. */
  get(caller: Caller, name: string, args: Record<string, string>, context: CallContext): Soon<PromptAnswer>
  /** A text that changes with the list; asking for it is no request and leaves no record. */
  mark?(caller: Caller): Promise<string>
}

type PromptAnswer = GetPromptResult | InputRequiredResult | undefined
type Soon<Value> = Value | Promise<Value>

/** Whether the body of a request is one that an operation carries out. */
export function isPromptRequest(body: unknown): body is { method: PromptMethod } {
  const { method } = Object(body) as { method?: unknown }
  return method === 'prompts/list' || method === 'prompts/get'
}
