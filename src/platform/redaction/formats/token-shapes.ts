interface TokenShape {
  rule: string
  pattern: RegExp
}

/** Tokens whose issuer is told by the whole of them rather than by how they begin. */
const TOKEN_SHAPES: readonly TokenShape[] = [
  { rule: 'airtable_token', pattern: /^pat[A-Za-z0-9]{14}\.[0-9a-f]{64}$/ },
  { rule: 'azure_client_secret', pattern: /^[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}$/ },
  { rule: 'azure_devops_token', pattern: /^[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}$/ },
  { rule: 'discord_token', pattern: /^[A-Z][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}$/ },
  { rule: 'jwt', pattern: /^ey[\w-]{17,4000}\.ey[\w/-]{17,4000}\.[\w/-]{10,2000}$/ },
  { rule: 'mailchimp_key', pattern: /^[0-9a-f]{32}-us\d{1,2}$/ },
  { rule: 'nats_seed', pattern: /^S[UAONCX]A[A-P][A-Z2-7]{54}$/ },
  { rule: 'newrelic_key', pattern: /^(?:[0-9a-f]{36}|[0-9a-f]{32}FFFF|eu01xx[0-9a-f]{26,30})NRAL$/ },
  { rule: 'newrelic_key', pattern: /^(?:eu01xx|AA)[0-9a-f]{36,40}-NRMA$/ },
  { rule: 'terraform_token', pattern: /^[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,90}$/ },
  { rule: 'twilio_key', pattern: /^SK[0-9a-f]{32}$/ },
  {
    rule: 'vault_token',
    pattern:
      /^[sbr]\.(?=[A-Za-z0-9]{0,23}[0-9])(?=[A-Za-z0-9]{0,23}[A-Z])(?=[A-Za-z0-9]{0,23}[a-z])[A-Za-z0-9]{24}$/,
  },
  { rule: 'yandex_token', pattern: /^YC[\w-]{38}$/ },
]

/** No shape is shorter. */
const MIN_SHAPE_CHARS = 26

/** The rule of the token's shape, if it has one. */
export function findTokenShape(token: string): string | undefined {
  if (token.length < MIN_SHAPE_CHARS) return undefined
  return TOKEN_SHAPES.find((shape) => shape.pattern.test(token))?.rule
}

export const SHAPE_RULES: readonly string[] = TOKEN_SHAPES.map(({ rule }) => rule)

/** Shapes of few surprises, hexadecimal ones and capitals, have these lengths. */
export function mayHaveShape(length: number): boolean {
  return (length >= 34 && length <= 37) || length === 40 || length === 47 || length === 58 || length === 82
}
