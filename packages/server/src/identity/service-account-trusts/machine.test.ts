import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { fits, patternFault, wrongClaims } from './machine.ts'

test(
  'a pattern matches its values',
  everyCase(
    [
      ['repo:org/app:ref:refs/heads/main', 'repo:org/app:ref:refs/heads/main', true],
      ['repo:org/app:ref:refs/heads/main', 'repo:org/app:ref:refs/heads/main2', false],
      ['repo:org/app:ref:refs/heads/main', 'xrepo:org/app:ref:refs/heads/main', false],
      ['repo:org/*', 'repo:org/app:ref:refs/heads/main', true],
      ['repo:org/*', 'repo:org-evil/app:ref:refs/heads/main', false],
      ['repo:org/*', 'repo:org/', false],
      ['repo:org/*', 'repo:orgx/app', false],
      ['repo:org/*:environment:production', 'repo:org/app:environment:production', true],
      ['repo:org/*:environment:production', 'repo:org/app:ref:refs/heads/x:environment:production', false],
      ['repo:org/*:environment:production', 'repo:org/app/x:environment:production', false],
      ['repo:o.g/*', 'repo:oxg/app', false],
      ['repo:org/*', 'repo:org/a\nb', true],
      ['repo:org/app:ref:refs/heads/main', 'repo:org/app:ref:refs/heads/main\n', false],
      ['project_path:acme/web:ref_type:branch:ref:*', 'project_path:acme/web:ref_type:branch:ref:feature/x', true],
    ],
    (pattern, value, doesFit) => {
      expect(fits(pattern, value)).toBe(doesFit)
    },
  ),
)

test(
  'an overly broad pattern is rejected',
  everyCase(
    ['*', 'repo:*', 'repo:*/app', 'repo:org*', 'repo:org/app*', 'repo:org/*-prod', 'repo:org/**', 'repo:org*/x'],
    (pattern) => {
      expect(patternFault(pattern)).toMatch(/^expected/)
    },
  ),
)

test(
  'a safe pattern is accepted',
  everyCase(
    ['abc', 'repo:org/app:environment:production', 'repo:org/*', 'repo:org/*:environment:production'],
    (pattern) => {
      expect(patternFault(pattern)).toBeUndefined()
    },
  ),
)

const asked = { audience: 'sluice', subject: 'repo:org/app:*', claims: { environment: 'production', run_attempt: '1' } }
const said = { aud: 'sluice', sub: 'repo:org/app:ref:x', environment: 'production', run_attempt: 1 }

test(
  'the mismatched claims of a token are named',
  everyCase(
    [
      ['all right', {}, []],
      ['several audiences', { aud: ['other', 'sluice'] }, []],
      ['another audience', { aud: 'sluice2' }, ['aud']],
      ['no audience', { aud: undefined }, ['aud']],
      ['another subject', { sub: 'repo:org/app2:ref:x' }, ['sub']],
      ['another environment', { environment: 'staging' }, ['environment']],
      ['no environment', { environment: undefined }, ['environment']],
      ['a list of environments', { environment: ['production'] }, ['environment']],
      ['another attempt', { run_attempt: 2 }, ['run_attempt']],
    ],
    (_what, change, wrong) => {
      expect(wrongClaims(asked, { ...said, ...change })).toEqual(wrong)
    },
  ),
)

test('inherited object properties are no claims', () => {
  expect(wrongClaims({ ...asked, claims: { constructor: 'x' } }, said)).toEqual(['constructor'])
})
