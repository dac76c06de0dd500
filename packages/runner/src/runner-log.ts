type Level = 'info' | 'warn' | 'error'

/** The runner's log for its operator: one line of JSON per event. */
export type Log = Record<Level, (fields: Record<string, unknown>, message: string) => void>

export function createLog(write: (line: string) => void): Log {
  const at = (level: Level) => (fields: Record<string, unknown>, message: string) => {
    const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, serializeField(value)]))
    write(`${JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...shown })}\n`)
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Returns an error's stack only, because its properties may contain what was sent. */
const serializeField = (value: unknown): unknown => (value instanceof Error ? (value.stack ?? value.message) : value)
