import type { Logger } from 'pino'

/** Areas of the log that can have a log level of their own. */
export const logAreas = ['cloud', 'engine', 'requests', 'runner'] as const
export type LogArea = (typeof logAreas)[number]

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Configured log levels: one for everything, and overrides by area such as `cloud=debug`. */
export type LogLevelSettings = { logLevel: LogLevel; logLevels?: readonly string[] | undefined }

/** Creates a child logger for each area. */
export const areasOf = (log: Logger): Record<LogArea, Logger> => ({
  cloud: log.child({ area: 'cloud' }),
  engine: log.child({ area: 'engine' }),
  requests: log.child({ area: 'requests' }),
  runner: log.child({ area: 'runner' }),
})

/** Sets the log levels, including those of child loggers that are already in use. */
export function applyLogLevels(log: Logger, areas: Record<LogArea, Logger>, settings: LogLevelSettings): void {
  const differing = new Map((settings.logLevels ?? []).map((one) => one.split('=') as [string, string]))
  log.level = settings.logLevel
  for (const area of logAreas) areas[area].level = differing.get(area) ?? settings.logLevel
}
