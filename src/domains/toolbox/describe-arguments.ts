import { z } from 'zod'

/** The part of a JSON Schema that tells which names there are. */
interface Named {
  readonly properties?: Readonly<Record<string, Named>>
  readonly required?: readonly string[]
  readonly items?: Named
}

/** Names what a tool takes, for a caller who has taken it for another tool. */
export function describeArguments(input: z.ZodObject): string {
  const names = listNames(z.toJSONSchema(input, { io: 'input' }) as Named)
  return `It takes ${names || 'no arguments'}.`
}

function listNames({ properties = {}, required = [] }: Named): string {
  const told = Object.entries(properties).map(([name, { items }]) => {
    const parts = items?.properties ? `list of { ${listNames(items)} }` : ''
    const notes = [required.includes(name) ? '' : 'optional', parts].filter((note) => note !== '')
    return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
  })
  return told.join(', ')
}
