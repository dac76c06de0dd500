import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { uiOf } from './ui.ts'

const roots = {
  module: { input: { region: 'eu-west-1', none: null } },
  stack: { output: { host: 'web.example', group: 'g' } },
}
const source = { type: 'cloud_monitor', cloud_account_id: 'ca_1', region: '<< module.input.region >>' }

test('links, logs and metrics are rendered from current values', () => {
  const block = {
    links: [{ name: 'Site', href: 'https://<< stack.output.host >>/' }],
    logs: [
      { id: 'app', name: 'App', source: { ...source, log_group: '<< stack.output.group >>', filter_pattern: null } },
    ],
    metrics: '<< stack.output.metrics >>',
  }
  expect(uiOf(block, roots)).toEqual({
    links: [{ name: 'Site', href: 'https://web.example/' }],
    logs: [
      {
        id: 'app',
        name: 'App',
        source: { type: 'cloud_monitor', cloud_account_id: 'ca_1', region: 'eu-west-1', log_group: 'g' },
      },
    ],
  })
})

test('an entry that cannot be rendered or lacks a part is omitted, and the others remain', () => {
  const group = (log_group: string) => ({ id: log_group, name: 'x', source: { ...source, log_group } })
  const block = { logs: [group('<< nothing.here >>'), group('<< stack.output.none >>'), group('kept'), null] }
  expect(uiOf(block, roots)?.logs?.map(({ id }) => id)).toEqual(['kept'])
  expect(uiOf({ logs: '<< nothing.here >>' }, roots)).toBeUndefined()
})

test(
  'only links with a safe scheme are returned',
  everyCase(
    [
      ['https://a.example', true],
      ['http://a.example/x', true],
      ['javascript:alert(1)', false],
      ['data:text/html,x', false],
      ['/relative', false],
    ],
    (href, isShown) => {
      expect(uiOf({ links: [{ name: 'x', href }] }, roots) !== undefined).toBe(isShown)
    },
  ),
)

test('without a block there are no entries', () => {
  expect(uiOf(undefined, roots)).toBeUndefined()
  expect(uiOf({ links: null }, roots)).toBeUndefined()
})
