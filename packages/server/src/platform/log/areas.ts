import type { Logger } from 'pino'

/** What an operator may want to hear more or less of than of the rest. */
export const logAreas = ['cloud', 'engine', 'requests', 'runner'] as const
export type LogArea = (typeof logAreas)[number]

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** As the settings have it: the level of all, and of areas that differ, as `cloud=debug`. */
export type LogLevelSettings = { logLevel: LogLevel; logLevels?: readonly string[] | undefined }

/** The log of each area beside that of all the rest. */
export const areasOf = (log: Logger): Record<LogArea, Logger> => ({
  cloud: log.child({ area: 'cloud' }),
  engine: log.child({ area: 'engine' }),
  requests: log.child({ area: 'requests' }),
  runner: log.child({ area: 'runner' }),
})

/** Sets the levels, also of logs that are in use. */
export function setLevels(log: Logger, areas: Record<LogArea, Logger>, settings: LogLevelSettings): void {
  const differing = new Map((settings.logLevels ?? []).map((one) => one.split('=') as [string, string]))
  log.level = settings.logLevel
  for (const area of logAreas) areas[area].level = differing.get(area) ?? settings.logLevel
}
