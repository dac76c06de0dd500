import { deploymentStatuses } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { UnreportedRelease } from './store.ts'
import { factsOf, mustReport, statusOf, wantedStatus } from './texts.ts'

const url = 'https://sluice.example/console/deployments/dep_1'

const unreported = ({ row = {}, deployment = {}, environment = {} }: Record<string, object>): UnreportedRelease =>
  ({
    row: { id: 'dep_1', isReplaced: false, hostId: null, ...row },
    deployment: { description: 'Cart\nfaster', error: null, startedAt: new Date(), status: 'SUCCESS', ...deployment },
    environment: { name: 'Production', givenId: 'production', previewEnvironmentId: null, ...environment },
    project: { givenId: 'shop' },
    instance: { givenId: 'web', name: 'Web' },
  }) as UnreportedRelease

test(
  'the status of a release maps to a deployment status',
  everyCase(
    [
      ['IN_PROGRESS', 'running'],
      ['ROLLING_BACK', 'running'],
      ['SUCCESS', 'success'],
      ['ERROR', 'failure'],
      ['ROLLED_BACK', 'failure'],
      ['CANCELLED', 'cancelled'],
    ] as const,
    (status, state) => {
      expect(statusOf(unreported({ deployment: { status } }), url)).toMatchObject({ state, url })
    },
  ),
)

test('every status of a release has a text', () => {
  for (const status of deploymentStatuses) {
    expect(statusOf(unreported({ deployment: { status } }), url).description).toMatch(/^[A-Z]/)
  }
})

test('a failure has its reason on one line', () => {
  const deployment = { status: 'ERROR', error: { message: 'The tasks\ndied.' } }
  expect(statusOf(unreported({ deployment }), url).description).toBe('Failed: The tasks died.')
})

test('only a release that the host knows is reported as replaced', () => {
  const replaced = unreported({ row: { isReplaced: true, hostId: '5' } })
  expect([wantedStatus(replaced), statusOf(replaced, url).state]).toEqual(['REPLACED', 'replaced'])
  expect(mustReport(replaced)).toBe(true)
  expect(mustReport(unreported({ row: { isReplaced: true } }))).toBe(false)
})

test('a release that never started is not reported', () => {
  expect(mustReport(unreported({ deployment: { status: 'CANCELLED', startedAt: null } }))).toBe(false)
})

test(
  'an environment name is valid at the Git host',
  everyCase(
    [
      ['Production', 'Production'],
      ['review/cart 2.0', 'review/cart 2.0'],
      ['Produktion (groß)', 'production'],
      ['/root', 'production'],
      ['root/', 'production'],
    ],
    (name, environment) => {
      expect(factsOf(unreported({ environment: { name } }), 'abc')).toMatchObject({ environment, what: 'shop/web' })
    },
  ),
)

test('a release has a description, and a preview is marked as transient', () => {
  const facts = factsOf(unreported({ environment: { previewEnvironmentId: 'pve_1' } }), 'abc')
  expect(facts).toMatchObject({ description: 'Web: Cart faster', isTransient: true, commit: 'abc', id: 'dep_1' })
})
