const MARK = 'x-mcp-header'

/**
 * A schema without the marks by which clients repeat arguments in headers (`Mcp-Param-…`): whoever declares them has to
 * hold each header against the body, and a proxy on the way may act by the header. The hub goes by the body alone.
 */
export function unmarkedSchema(schema: Record<string, unknown>): Record<string, unknown> {
  return JSON.stringify(schema).includes(`"${MARK}":`)
    ? (withoutMarks(schema, false) as Record<string, unknown>)
    : schema
}

/** Keys below `properties` are names of arguments, and an argument may have that name. */
function withoutMarks(part: unknown, areNames: boolean): unknown {
  if (Array.isArray(part)) return part.map((one) => withoutMarks(one, false))
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(([key]) => areNames || key !== MARK)
  return Object.fromEntries(
    kept.map(([key, value]) => [key, withoutMarks(value, !areNames && key === 'properties')]),
  )
}
