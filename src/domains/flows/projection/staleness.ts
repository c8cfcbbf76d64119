import { compareVersions, isVersion } from '../bundle/semver.ts'

/** Whether a projection lags behind the latest version its reader can see. */
export type Staleness = { stale: boolean; projection_version: string; latest_version: string }

/** Whether the projection is older than the latest visible version; a version nobody can read is stale. */
export function isStale(projection_version: string | undefined, latest_version: string | undefined): boolean {
  if (!isVersion(projection_version) || !isVersion(latest_version)) return true
  return compareVersions(projection_version, latest_version) < 0
}

/** The staleness record of a projection. */
export function stalenessOf(projection_version: string, latest_version: string): Staleness {
  return { stale: isStale(projection_version, latest_version), projection_version, latest_version }
}
