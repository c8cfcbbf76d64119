/** What this system cannot do, while the rest of the hub works on it; `docs/running.md` has the table. */
export class PlatformLacks extends Error {
  override readonly name = 'PlatformLacks'
}

/** What to do about it. */
export const RUN_ON_LINUX = 'Run the hub on Linux for that; docs/running.md says what works where.'
