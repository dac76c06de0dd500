import { expect, test } from 'vitest'
import { applyLogLevels, areasOf } from './areas.ts'
import { createLog } from './log.ts'

test('an area can have its own log level, and a change applies to loggers in use', () => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'info', format: 'json', destination })
  const areas = areasOf(log)
  const sayAll = () => {
    lines.length = 0
    for (const one of [log, areas.cloud, areas.engine])
      for (const level of ['debug', 'warn'] as const) one[level]('this')
    return lines.map((line) => JSON.parse(line)).map(({ area = 'rest', level }) => `${area} ${level}`)
  }

  applyLogLevels(log, areas, { logLevel: 'info', logLevels: ['cloud=debug', 'engine=error'] })
  expect(sayAll()).toEqual(['rest warn', 'cloud debug', 'cloud warn'])
  applyLogLevels(log, areas, { logLevel: 'debug', logLevels: ['cloud=silent'] })
  expect(sayAll()).toEqual(['rest debug', 'rest warn', 'engine debug', 'engine warn'])
  applyLogLevels(log, areas, { logLevel: 'warn' })
  expect(sayAll()).toEqual(['rest warn', 'cloud warn', 'engine warn'])
})
