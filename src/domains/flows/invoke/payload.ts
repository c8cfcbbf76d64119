import { compilePayloadCheck } from '../../../platform/upstream/payload-schema.ts'
import type { AllowedTool } from '../allowlist.ts'

/** Whether the payload fits the tool's declared schema; without one any object does. */
export function isPayloadFor(tool: AllowedTool, payload: Record<string, unknown>): boolean {
  return tool.input_schema === undefined || compilePayloadCheck(tool.input_schema)(payload)
}
