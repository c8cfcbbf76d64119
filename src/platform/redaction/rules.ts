import { PROVIDER_FORMATS } from './formats/provider-formats.ts'
import { SHAPE_RULES } from './formats/token-shapes.ts'
import { STRUCTURES } from './layers/structure-layer.ts'

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
