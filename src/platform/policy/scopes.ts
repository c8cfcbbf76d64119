/** The tiers of visibility in a vault, from the narrowest audience to the widest: the position is the rank. */
export const SCOPES = ['personal', 'project', 'org'] as const
export type Scope = (typeof SCOPES)[number]
