import type { Migration } from './migrate.ts'

/** The last step of version 1.0.0 of the schema. It and the steps before it are frozen; a test holds their hashes. */
export const FROZEN_STEP = 5

/**
 * The version of a schema in words: 1.0.0 is the frozen one. A step that older programs can live with makes the second
 * number larger, one that shuts them out the first.
 */
export function schemaRelease(migrations: readonly Migration[]): string {
  let [major, minor] = [1, 0]
  for (const { version, open_to } of migrations) {
    if (version <= FROZEN_STEP) continue
    if (open_to !== undefined && open_to < version) minor++
    else [major, minor] = [major + 1, 0]
  }
  return `${major}.${minor}.0`
}
