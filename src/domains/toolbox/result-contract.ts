import { z } from 'zod'
import { FAULT_CODES } from './tool-fault.ts'

/** What every result says of how it came about. */
const ResultMetadata = z.strictObject({
  duration_ms: z.number().min(0),
  security_checks: z.enum(['passed', 'failed']),
})

export type ResultMetadata = z.output<typeof ResultMetadata>

/** Why a call ended without success, and what to do about it. */
const ResultError = z.strictObject({
  code: z.enum(FAULT_CODES),
  message: z.string().min(1),
  suggestion: z.string().min(1),
  details: z.record(z.string(), z.unknown()).optional(),
})

/** The contract's result around a tool's own data. */
export function toolResult(data: z.ZodType) {
  return z.strictObject({
    status: z.enum(['success', 'error']),
    data: data.optional(),
    error: ResultError.optional(),
    metadata: ResultMetadata,
  })
}

/** A result without success, which has the same form for every tool. */
export const ToolRefusalForm = z
  .strictObject({ status: z.literal('error'), error: ResultError, metadata: ResultMetadata })
  .meta({ id: 'ToolRefusal' })

/** Milliseconds since a moment of `performance.now()`, to the microsecond. */
export function durationSince(started: number): number {
  return Math.max(0, Math.round((performance.now() - started) * 1_000) / 1_000)
}
