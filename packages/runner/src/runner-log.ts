type Level = 'info' | 'warn' | 'error'

/** Tells whoever runs the runner what goes on: one line of JSON per event. */
export type Log = Record<Level, (fields: Record<string, unknown>, message: string) => void>

export function createLog(write: (line: string) => void): Log {
  const at = (level: Level) => (fields: Record<string, unknown>, message: string) => {
    const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shownOf(value)]))
    write(`${JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...shown })}\n`)
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Of an error, what it says and where: its members may hold what was sent. */
const shownOf = (value: unknown): unknown => (value instanceof Error ? (value.stack ?? value.message) : value)
