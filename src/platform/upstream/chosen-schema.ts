import { z } from 'zod'

/** A schema chosen by a look at the value. Of a union a person hears only that nothing matched. */
export function chosenSchema<Value>(choose: (raw: unknown) => z.ZodType<Value>) {
  return z.unknown().transform((raw, context): Value => {
    const parsed = choose(raw).safeParse(raw)
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) {
      context.issues.push({ code: 'custom', path, message, input: undefined })
    }
    return z.NEVER
  })
}
