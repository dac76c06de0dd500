import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type GitEvent, matchesGitEvent, runOf } from './trigger.ts'

type Json = Record<string, unknown>

const push: GitEvent = {
  event: 'push',
  type: 'webhook:githosta',
  branch: 'main',
  action: undefined,
  changedPaths: ['network/main.tf', 'README.md'],
  payload: { forced: false, deleted: null, sender: { login: 'ada' }, labels: [{ name: 'infra' }] },
}
const request: GitEvent = { ...push, event: 'pull_request', action: 'opened' }

test(
  'a trigger matches the events that pass its filters',
  everyCase<[string, Json, GitEvent, boolean]>(
    [
      ['anything', {}, push, true],
      ['its branch', { branch: 'main' }, push, true],
      ['another branch', { branch: 'release/*' }, push, false],
      ['a path', { paths: ['network/**'] }, push, true],
      ['other paths', { paths: ['database/**'] }, push, false],
      ['other paths, where the host does not tell', { paths: ['database/**'] }, { ...push, changedPaths: null }, true],
      ['nil and nothing', { branch: null, paths: null, action: [], payload: [] }, push, true],
      ['the usual actions', {}, { ...request, action: 'synchronize' }, true],
      ['a title that was edited', {}, { ...request, action: 'edited' }, false],
      ['an action', { action: ['closed'] }, { ...request, action: 'closed' }, true],
      ['what the host says', { payload: [{ path: 'sender.login', equals: 'ada' }] }, push, true],
      ['what it says of a list', { payload: [{ path: 'labels.0.name', equals: 'infra' }] }, push, true],
      ['nil for what is not there', { payload: [{ path: 'gone.too', equals: null }] }, push, true],
      ['what it does not say', { payload: [{ path: 'sender.login', equals: 'eve' }] }, push, false],
      ['what it must not say', { payload: [{ path: 'sender.login', not: { equals: 'bot' } }] }, push, true],
      ['what it says all the same', { payload: [{ path: 'forced', not: { equals: false } }] }, push, false],
      ['inherited names', { payload: [{ path: 'sender.constructor', not: { equals: null } }] }, push, false],
      ['words that were not kept', { payload: [{ path: 'x', equals: null }] }, { ...push, payload: undefined }, false],
    ],
    (_, filter, told, fits) => {
      expect(matchesGitEvent({ type: 'webhook:githosta', event: told.event, filter }, told)).toBe(fits)
    },
  ),
)

test('a trigger of another host or event does not match', () => {
  expect(matchesGitEvent({ type: 'webhook:githostb', event: 'push', filter: {} }, push)).toBe(false)
  expect(matchesGitEvent({ type: 'webhook:githosta', event: 'push', filter: {} }, request)).toBe(false)
})

test(
  'an event starts the configured run',
  everyCase(
    [
      ['push', {}, { variant: 'standard', input: undefined }],
      ['pull_request', {}, { variant: 'plan', input: undefined }],
      ['push', { plan: { input: { ref: 'x' } } }, { variant: 'plan', input: { ref: 'x' } }],
      ['pull_request', { standard: {} }, { variant: 'standard', input: undefined }],
    ],
    (event, run, expected) => {
      expect(runOf({ event, run })).toEqual(expected)
    },
  ),
)
