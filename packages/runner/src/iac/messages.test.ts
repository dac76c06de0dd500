import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { parseLine } from './messages.ts'
import { ToolEvents } from './tool-events.ts'
import { Warnings } from './warnings.ts'

test('a message becomes a log line and an event', () => {
  const message = { '@message': 'a: done', type: 'apply_complete', hook: { resource: { addr: 'a' } } }
  expect(parseLine(JSON.stringify(message))).toEqual({ line: 'a: done', event: { kind: 'done', address: 'a' } })
})

test('each distinct warning is reported once with its location', () => {
  const warning = (detail: string, address?: string) => ({
    type: 'diagnostic',
    '@message': 'Warning: Check block assertion failed',
    diagnostic: {
      severity: 'warning',
      summary: 'Check block assertion failed',
      detail,
      ...(address && { address }),
      range: { filename: 'main.tf', start: { line: 3 } },
    },
  })
  const said = [warning('too small'), warning('too small'), warning('too small', 'cloud_thing.a')]
  const warnings = new Warnings()
  for (const { warning: found } of said.map((one) => parseLine(JSON.stringify(one)))) if (found) warnings.add(found)
  expect(warnings.list).toEqual([
    { summary: 'Check block assertion failed', detail: 'too small', file: 'main.tf', line: 3 },
    {
      summary: 'Check block assertion failed',
      detail: 'too small',
      address: 'cloud_thing.a',
      file: 'main.tf',
      line: 3,
    },
  ])
})

test(
  'a line that is not a valid message is a plain log line',
  everyCase(
    [
      '{"@message":{"deep":1},"type":"apply_complete","hook":{"resource":{"addr":{}}}}',
      '{"type":"constructor","hook":{"resource":{"addr":"a"}}}',
      '{"type":["apply_complete"],"hook":{"resource":{"addr":"a"}}}',
      '{"type":"apply_complete","hook":null,"change":"text"}',
      '{"type":"apply_complete","hook":{"resource":null}}',
      '{"diagnostic":{"severity":"error"}}',
      `{"type":"apply_complete","hook":{"resource":{"addr":"a"}},"deep":${'['.repeat(100)}${']'.repeat(100)}}`,
      '{"type":"apply_complete"',
    ],
    (line) => {
      expect(parseLine(line)).toEqual({ line })
    },
  ),
)

test('events above the limit are dropped', () => {
  const done = (address: string) => ({ kind: 'done', address }) as const
  const many = new ToolEvents({ events: 3, characters: 1_000 })
  for (const address of ['a', 'b', 'c', 'd']) many.add(done(address))
  expect(many.list.map((event) => event.kind === 'done' && event.address)).toEqual(['a', 'b', 'c'])
  const long = new ToolEvents({ events: 1_000, characters: 10 })
  for (const address of ['a', 'b'.repeat(11), 'c']) long.add(done(address))
  expect(long.list).toHaveLength(1)
})
