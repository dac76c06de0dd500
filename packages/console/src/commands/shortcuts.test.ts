import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { navigation } from '../shell/navigation.ts'
import { commandShortcuts, pageShortcuts, shortcutOf } from './shortcuts.ts'

test(
  'a key opens a page, moves to a button, or starts a sequence',
  everyCase(
    [
      ['g', false, 'SEQUENCE'],
      ['d', true, { to: '/console/deployments' }],
      ['d', false, { command: 'deploy' }],
      ['c', false, { command: 'continue' }],
      ['r', false, { command: 'rollBack' }],
      ['a', true, { to: '/console/activity' }],
      ['a', false, { command: 'approve' }],
    ],
    (key, isSequence, target) => expect(shortcutOf(key, isSequence)).toEqual(target),
  ),
)

test(
  'other keys do nothing',
  everyCase(
    [
      ['x', false],
      ['x', true],
      ['g', true],
      ['Enter', false],
    ],
    (key, isSequence) => expect(shortcutOf(key, isSequence)).toBe(undefined),
  ),
)

test('no key has two meanings', () => {
  const keys = (all: readonly { key: string }[]) => all.map(({ key }) => key)
  expect(new Set(keys(pageShortcuts)).size).toBe(pageShortcuts.length)
  expect(new Set([...keys(commandShortcuts), 'g', '/', '?']).size).toBe(commandShortcuts.length + 3)
})

test('a shortcut has the name of its page', () => {
  const names = navigation.map(({ to, label }) => [to, `Go to ${label}`])
  for (const { to, label } of pageShortcuts) if (to !== '/console/inbox') expect(names).toContainEqual([to, label])
})
