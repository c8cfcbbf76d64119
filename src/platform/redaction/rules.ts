import { PROVIDER_FORMATS } from './provider-formats.ts'
import { STRUCTURES } from './structure-layer.ts'
import { SHAPE_RULES } from './token-shapes.ts'

/** Every rule by its id, as marks and exceptions name it. */
export const RULES: ReadonlySet<string> = new Set([
  'known_value',
  'environment_value',
  'owner_pattern',
  'private_key',
  'kubernetes_secret',
  'keyword_value',
  'high_entropy',
  ...STRUCTURES.map(({ rule }) => rule),
  ...PROVIDER_FORMATS.map(({ rule }) => rule),
  ...SHAPE_RULES,
])
