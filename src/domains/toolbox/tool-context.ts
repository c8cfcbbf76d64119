export const TOOL_ROLES = ['dev', 'sre', 'release_manager', 'product_owner'] as const
export type ToolRole = (typeof TOOL_ROLES)[number]

export const ISOLATION_LEVELS = ['STRICT', 'SHARED'] as const
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number]

/** What the engine says a call may reach. No argument of a call can change it. */
export interface ToolContext {
  /** The project's folder; absolute. Holds `.flow/config.json` and the shared folders. */
  readonly project_root: string
  /** The active service's folder; absolute, inside the project. */
  readonly service_root: string
  readonly isolation_level: IsolationLevel
  /** Where set, only these commands may be run for the task. */
  readonly allowed_commands: readonly string[] | undefined
  /** Ephemeral; shown nowhere. */
  readonly access_token: string | undefined
  /** The device that the service lies on, as `dev:<number>`. */
  readonly volume_id: string
  readonly role: ToolRole
  readonly agent_id: string
}
