import { expect, test } from 'vitest'
import { DrizzleQueryError } from '../db/drizzle.ts'
import { createLog, type LogSettings } from './log.ts'

function capture(settings: Partial<LogSettings>) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: createLog({ level: 'info', format: 'json', destination, ...settings }), lines }
}

const apiKey = `slc_${'k'.repeat(43)}`

test('secrets are redacted, by field name or by pattern', () => {
  const { log, lines } = capture({})
  log.info({ token: 'hush-1', config: { encryptionKey: 'hush-2' }, req: { headers: { authorization: 'hush-3' } } })
  log.error({ err: new Error(`connect postgres://sluice:hush-4@db failed for ${apiKey}`) }, 'with Bearer hush-5-hush')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toMatch(/hush|kkk/)
  expect(lines.join('')).toContain('postgres://sluice:[redacted]@db failed for slc_[redacted]')
})

test('a failed query is logged without its full statement, parameters and rows', () => {
  const { log, lines } = capture({})
  const cause = Object.assign(new Error('duplicate key value violates unique constraint "projects_given_id"'), {
    severity: 'ERROR',
    code: '23505',
    table: 'projects',
    constraint: 'projects_given_id',
    detail: 'Key (given_id)=(hush-1) already exists.',
    where: 'hush-2',
  })
  const failed = new DrizzleQueryError(
    `insert into "projects" values ($1) ${'/* long */ '.repeat(20)}`,
    ['hush-3'],
    cause,
  )
  const data = Object.assign(new Error('invalid input syntax for type json: "hush-4"'), {
    severity: 'ERROR',
    code: '22P02',
  })
  log.error({ err: failed }, 'a request failed')
  log.error({ err: data }, 'a request failed')
  log.warn({ reason: failed.message }, 'later again')
  log.warn(String(failed))
  expect(lines.join('')).not.toMatch(/hush|long \*\/ .*long \*\/ .*long \*\/ .*long \*\/ .*long/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: {
      message: 'A query failed',
      statement: expect.stringMatching(/^insert into "projects" values \(\$1\)/),
      stack: expect.stringMatching(/^ +at /),
      cause: { code: '23505', table: 'projects', constraint: 'projects_given_id' },
    },
  })
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    err: { message: 'invalid input syntax for type json', code: '22P02' },
  })
})

test('properties of errors that contain data of a request are not logged', () => {
  const { log, lines } = capture({})
  log.error({
    err: Object.assign(new Error('refused'), { response: { body: 'hush' }, input: 'hush', code: 'ECONNREFUSED' }),
  })
  expect(lines.join('')).not.toContain('hush')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { message: 'refused', code: 'ECONNREFUSED' } })
})

test('ten equal errors are logged per minute, and then the number of suppressed ones', () => {
  let nowMs = 0
  const { log, lines } = capture({ now: () => nowMs })
  const failOften = (times: number) => {
    for (let nth = 0; nth < times; nth += 1) log.warn({ nth }, 'the cloud did not answer')
  }
  failOften(1_000)
  log.warn('another failure')
  log.info('all lines of work that goes well')
  expect(lines).toHaveLength(12)
  nowMs = 60_000
  failOften(3)
  expect(lines.slice(12).map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', suppressed: 990, msg: '990 more lines in the minute before: the cloud did not answer' },
    { nth: 0, msg: 'the cloud did not answer' },
    { nth: 1 },
    { nth: 2 },
  ])
})

test('errors with different codes or classes are counted separately even with the same message', () => {
  const { log, lines } = capture({})
  const thrown = (code: string) => Object.assign(new Error('failed'), { code })
  for (let nth = 0; nth < 20; nth += 1) log.error({ err: thrown('ECONNREFUSED') }, 'request failed')
  log.error({ err: thrown('23505') }, 'request failed')
  log.error({ err: new TypeError('undefined is not a function') }, 'request failed')
  expect(lines).toHaveLength(12)
})

test('8 MiB are logged per minute, and then the number of dropped lines', () => {
  let nowMs = 0
  const { log, lines } = capture({ now: () => nowMs })
  const text = 'x'.repeat(1024 ** 2)
  for (let nth = 0; nth < 20; nth += 1) log.info(text)
  expect(lines).toHaveLength(7)
  nowMs = 60_000
  log.info('a new minute')
  expect(lines.slice(7).map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', lines: 13 },
    { msg: 'a new minute' },
  ])
})

test('JSON lines have time, level and message, and lower levels are omitted', () => {
  const { log, lines } = capture({ level: 'warn' })
  log.info('not this')
  log.warn({ deployment: 'dep_1' }, 'this')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', time: expect.stringMatching(/^\d{4}-.*Z$/), deployment: 'dep_1', msg: 'this' },
  ])
})

test('the readable format has the message and its fields, with secrets redacted', () => {
  const { log, lines } = capture({ format: 'pretty' })
  log.warn({ deployment: 'dep_1' }, `used ${apiKey}`)
  expect(lines.join('')).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: used slc_\[redacted\] \{"deployment":"dep_1"\}\n$/)
})
