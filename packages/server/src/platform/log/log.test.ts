import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { createLog, type LogSettings } from './log.ts'

function capture(settings: Partial<LogSettings>) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: createLog({ level: 'info', format: 'json', destination, ...settings }), lines }
}

const apiKey = `slc_${'k'.repeat(43)}`

test('secrets are not logged, by name or by looks', () => {
  const { log, lines } = capture({})
  log.info({ token: 'hush-1', config: { encryptionKey: 'hush-2' }, req: { headers: { authorization: 'hush-3' } } })
  log.error({ err: new Error(`connect postgres://sluice:hush-4@db failed for ${apiKey}`) }, 'with Bearer hush-5-hush')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toMatch(/hush|kkk/)
  expect(lines.join('')).toContain('postgres://sluice:[redacted]@db failed for slc_[redacted]')
})

test(
  'a secret in the parameters of a failed query is not logged',
  everyCase(
    [
      [`slc_${'k'.repeat(43)}`, 'slc_[redacted]'],
      [`sls_${'k'.repeat(43)}`, 'sls_[redacted]'],
      [`sli_${'k'.repeat(43)}`, 'sli_[redacted]'],
      [`$argon2id$v=19$m=19456,t=2,p=1$${'k'.repeat(22)}$${'k'.repeat(43)}`, '$argon2id$[redacted]'],
    ],
    (secret, shown) => {
      const { log, lines } = capture({})
      log.error({ err: new Error(`Failed query: insert params: usr_1 ${secret}`) })
      expect(lines.join('')).not.toContain('kkk')
      expect(lines.join('')).toContain(`usr_1 ${shown}`)
    },
  ),
)

test('JSON lines say when, how grave and what, and nothing below the level', () => {
  const { log, lines } = capture({ level: 'warn' })
  log.info('not this')
  log.warn({ deployment: 'dep_1' }, 'this')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', time: expect.stringMatching(/^\d{4}-.*Z$/), deployment: 'dep_1', msg: 'this' },
  ])
})

test('the readable format has the message and its fields, without secrets', () => {
  const { log, lines } = capture({ format: 'pretty' })
  log.warn({ deployment: 'dep_1' }, `used ${apiKey}`)
  expect(lines.join('')).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: used slc_\[redacted\] \{"deployment":"dep_1"\}\n$/)
})
