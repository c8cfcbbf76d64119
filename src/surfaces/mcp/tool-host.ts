/** What the MCP surface needs of the rest of the hub. The governed pipeline stands behind it. */

export interface ToolDescription {
  name: string
  title?: string
  description: string
  /** JSON Schema, draft 2020-12. Its root describes an object. */
  inputSchema: object
  /** Left out for a tool whose answers somebody else defines. */
  outputSchema?: object
  annotations: ToolAnnotations
}

export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The answer of a governed call: `text` is one finished JSON object (the body, or `{error, code}`). */
export interface ToolAnswer {
  ok: boolean
  text: string
  /** The whole tool result as one JSON object, where the tool behind it has made one already. */
  result?: string
}

/** What the client says of itself. Never proof of anything: it is only recorded. */
export interface ClientClaim {
  name?: string
  version?: string
}

export interface ToolHost<Caller> {
  serverInfo: { name: string; version: string; instructions?: string }
  /** What a client is told of how to begin, where that depends on who it is. */
  instructionsFor?(caller: Caller): string | undefined
  /** Answer the same array while the tool set is the same: its rendered text is kept per array. */
  listTools(caller: Caller): readonly ToolDescription[] | Promise<readonly ToolDescription[]>
  /** A tool that does not exist and a tool the caller may not use give the same `unknown_tool`. */
  callTool(
    caller: Caller,
    name: string,
    args: unknown,
    client: ClientClaim,
    signal?: AbortSignal,
  ): Promise<ToolAnswer | 'unknown_tool'>
}
