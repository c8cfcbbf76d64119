import type { Collector } from './connector.ts'

/** The collectors that come with the hub. Each is loaded with its libraries when it is first used. */
export const BUILTIN_COLLECTORS: Readonly<Record<string, () => Promise<Collector>>> = {
  amazon: async () => (await import('./amazon/collector.ts')).amazonCollector,
  calendar: async () => (await import('./calendar/collector.ts')).calendarCollector,
  feed: async () => (await import('./feed/collector.ts')).feedCollector,
  folder: async () => (await import('./folder/collector.ts')).folderCollector,
  git: async () => (await import('./git/collector.ts')).gitCollector,
  json_api: async () => (await import('./json-api/collector.ts')).jsonApiCollector,
  tool_provider: async () => (await import('./tool-provider/collector.ts')).toolProviderCollector,
  mail: async () => (await import('./mail/collector.ts')).mailCollector,
}
