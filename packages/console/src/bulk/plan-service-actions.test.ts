import type { Environment, Service, ServiceInEnvironment, ServicePromotionCandidate } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { planCancellation, planHold, planPromotion, type ServiceSelection } from './plan-service-actions.ts'

const since = '2026-01-01T00:00:00.000Z'
const [staging, production] = ['staging', 'production'].map(
  (name) => ({ id: `env_${name}`, name, projectId: 'prj_1' }) as Environment,
)
const running = { deploymentId: 'dep_1', version: '2.0.0', since, isRollback: false }
const inProgress = {
  deploymentId: 'dep_2',
  version: '2.1.0',
  status: 'IN_PROGRESS' as const,
  since,
  isPaused: true,
  waiting: 0,
}
const hold = { holdId: 'hld_1', reason: 'Prices are wrong.', by: 'Ada', since }

const placeIn = (environment: Environment | undefined, of: Partial<ServiceInEnvironment>): ServiceInEnvironment => ({
  moduleInstanceId: `mi_${environment?.name}`,
  environmentId: environment?.id ?? '',
  name: 'web',
  type: 'service',
  status: 'ACTIVE',
  states: ['STEADY'],
  driftedResources: 0,
  ...of,
})

/** A service in staging, with what the case changes there, and in production. */
function selectionOf(
  of: Partial<ServiceInEnvironment>,
  candidate?: Partial<ServicePromotionCandidate>,
): ServiceSelection {
  if (!staging || !production) throw new Error('there are two environments')
  const services: Service[] = [
    { givenId: 'web', name: 'web', places: [placeIn(staging, of), placeIn(production, {})] },
    { givenId: 'jobs', name: 'jobs', places: [placeIn(production, {})] },
  ]
  const offer = {
    fromEnvironmentId: staging.id,
    deploymentId: 'dep_1',
    moduleInstanceId: 'mi_production',
    environmentId: production.id,
    canPromoteManually: true,
    blocker: 'MANUAL' as const,
    ...candidate,
  }
  const promotionCandidates = { web: candidate ? [offer] : [] }
  return { services, environment: staging, environments: [staging, production], promotionCandidates }
}

test(
  'each service has what happens to it, or why nothing can',
  everyCase<[ReturnType<typeof planHold>, string, boolean]>(
    [
      [planPromotion(selectionOf({ running }, {})), 'Promotes 2.0.0 to production.', true],
      [
        planPromotion(selectionOf({ running }, { blocker: 'FROZEN', message: 'Production is frozen.' })),
        'Promotes 2.0.0 to production. Production is frozen.',
        true,
      ],
      [
        planPromotion(selectionOf({ running }, { blocker: 'SOAKING', canPromoteManually: false, message: 'Soaks.' })),
        'Soaks.',
        false,
      ],
      [
        planPromotion(selectionOf({ running }, { blocker: 'ALREADY_RELEASED', message: '2.0.0 runs there.' })),
        '2.0.0 runs there.',
        false,
      ],
      [planPromotion(selectionOf({})), 'No release of Sluice is running in staging.', false],
      [planHold(selectionOf({}), 'why'), 'Blocks newer releases until someone lifts the hold.', true],
      [planHold(selectionOf({ hold }), 'why'), 'Already held by Ada: Prices are wrong.', false],
      [planCancellation(selectionOf({ running, inProgress })), 'Cancels 2.1.0. Rolls back to 2.0.0.', true],
      [
        planCancellation(selectionOf({ inProgress: { ...inProgress, status: 'PENDING', waiting: 1 } })),
        'Cancels 2.1.0. It is queued, so nothing has changed yet. 1 more stays queued.',
        true,
      ],
      [
        planCancellation(selectionOf({ inProgress: { ...inProgress, status: 'ROLLING_BACK' } })),
        'The deployment is already rolling back.',
        false,
      ],
      [planCancellation(selectionOf({})), 'No deployment is in progress in staging.', false],
    ],
    ([web, jobs], text, isPossible) => {
      expect([web?.text, web?.run !== undefined]).toEqual([text, isPossible])
      expect([jobs?.text, jobs?.run]).toEqual(['No instance in staging.', undefined])
    },
  ),
)
