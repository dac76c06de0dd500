import { expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'

const event = {
  source: 'shop.orders',
  detail: { state: 'PAID', amount: 12.5, ip: '10.0.1.9', tags: ['vip', 'new'], note: null, file: 'a/b/c.png' },
}

test.for<[pattern: object, matches: boolean]>([
  [{ source: ['shop.orders'] }, true],
  [{ source: ['shop.returns'] }, false],
  [{ detail: { note: [null] } }, true],
  [{ detail: { tags: ['new'] } }, true],
  [{ detail: { missing: [{ exists: false }] } }, true],
  [{ detail: { state: [{ exists: false }] } }, false],
  [{ detail: { state: [{ prefix: 'PA' }] } }, true],
  [{ detail: { state: [{ prefix: { 'equals-ignore-case': 'pa' } }] } }, true],
  [{ detail: { state: [{ suffix: 'ID' }] } }, true],
  [{ detail: { state: [{ 'equals-ignore-case': 'paid' }] } }, true],
  [{ detail: { file: [{ wildcard: 'a/*/c.*' }] } }, true],
  [{ detail: { file: [{ wildcard: 'b/*' }] } }, false],
  [{ detail: { state: [{ 'anything-but': 'PAID' }] } }, false],
  [{ detail: { state: [{ 'anything-but': ['OPEN', 'CLOSED'] }] } }, true],
  [{ detail: { state: [{ 'anything-but': { prefix: 'PA' } }] } }, false],
  [{ detail: { state: [{ 'anything-but': { prefix: ['OP', 'CL'] } }] } }, true],
  [{ detail: { state: [{ 'anything-but': { suffix: 'ID' } }] } }, false],
  [{ detail: { state: [{ 'anything-but': { 'equals-ignore-case': 'paid' } }] } }, false],
  [{ detail: { state: [{ 'anything-but': { wildcard: 'P*' } }] } }, false],
  [{ detail: { missing: [{ 'anything-but': 'x' }] } }, false],
  [{ detail: { amount: [{ numeric: ['>', 10, '<=', 12.5] }] } }, true],
  [{ detail: { amount: [{ numeric: ['=', 12] }] } }, false],
  [{ detail: { ip: [{ cidr: '10.0.0.0/16' }] } }, true],
  [{ detail: { ip: [{ cidr: '10.0.0.0/24' }] } }, false],
  [{ $or: [{ source: ['x'] }, { detail: { state: ['PAID'] } }] }, true],
])('the event pattern %j matches: %s', ([pattern, matches]) => {
  expect(compilePattern(JSON.stringify(pattern))(event)).toBe(matches)
})

test.for([
  '{}',
  '[]',
  'null',
  'no JSON',
  '{"source":[]}',
  '{"source":"shop"}',
  '{"detail":{}}',
  '{"source":[["shop"]]}',
  '{"source":[{}]}',
  '{"source":[{"prefix":"a","suffix":"b"}]}',
  '{"source":[{"prefix":7}]}',
  '{"source":[{"like":"a"}]}',
  '{"source":[{"exists":"yes"}]}',
  '{"source":[{"anything-but":[]}]}',
  '{"source":[{"anything-but":["a",1]}]}',
  '{"source":[{"anything-but":{"exists":true}}]}',
  '{"source":[{"numeric":[">"]}]}',
  '{"source":[{"numeric":["!",1]}]}',
  '{"source":[{"cidr":"10.0.0.0"}]}',
  '{"$or":[{"source":["a"]}]}',
])('the event pattern %s is rejected', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(/Event pattern is not valid/)
})
