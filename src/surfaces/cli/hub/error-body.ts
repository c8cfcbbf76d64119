/** What the body of a refusal says, in any of the contracts' envelopes. */
export interface ErrorBody {
  readonly code: string | undefined
  readonly message: string
}

/** Reads `{error, code}` and `{error: {code, message}}`. */
export function readErrorBody(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as { error?: unknown; code?: unknown }
    const nested = typeof body.error === 'object' && body.error !== null ? body.error : undefined
    const inner = nested as { code?: unknown; message?: unknown } | undefined
    return { code: textOf(inner?.code ?? body.code), message: textOf(inner?.message ?? body.error) ?? '' }
  } catch {
    return { code: undefined, message: '' }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
