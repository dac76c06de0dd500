import type { Environment, Service, ServiceInEnvironment, ServicePromotionCandidate } from '@sluice/contract'
import { client } from '../api/client.ts'
import { type PlacedService, placedServices } from '../projects/placed-services.ts'
import type { BulkEntry } from './bulk-entry.ts'

/** Services of a bulk action, and the environment in which it happens. */
export type ServiceSelection = {
  services: readonly Service[]
  environment: Environment
  /** All environments in configured order. */
  environments: readonly Environment[]
  /** Promotion candidates by the `givenId` of services. */
  promotionCandidates: Readonly<Record<string, readonly ServicePromotionCandidate[]>>
}

type Plan = Pick<BulkEntry, 'text' | 'run'>

/** Returns what happens to each service if what runs in the environment is promoted to the next one. */
export const planPromotion = (selection: ServiceSelection): BulkEntry[] =>
  entriesOf(selection, ({ environment, place: { running }, next, candidate }) => {
    if (!next) return { text: `${environment.name} is its last environment.` }
    if (!candidate || !running) return { text: `No release of Sluice is running in ${environment.name}.` }
    const { blocker, message, canPromoteManually, deploymentId, moduleInstanceId } = candidate
    const isPossible = canPromoteManually && blocker !== 'ALREADY_RELEASED' && blocker !== 'PERMISSION_DENIED'
    if (!isPossible) return { text: message ?? `Cannot be promoted to ${next.environment.name}.` }
    const isPlain = blocker === undefined || blocker === 'MANUAL'
    return {
      text: [`Promotes ${running.version ?? 'the release'} to ${next.environment.name}.`, isPlain ? undefined : message]
        .filter(Boolean)
        .join(' '),
      run: async () => {
        const body = { data: { moduleInstanceId } }
        const { data } = await client.promoteDeployment({ params: { id: deploymentId }, body })
        return { deploymentId: data.id }
      },
    }
  })

/** Returns what happens to each service if newer releases are blocked. */
export const planHold = (selection: ServiceSelection, reason: string): BulkEntry[] =>
  entriesOf(selection, ({ place: { hold, moduleInstanceId } }) => {
    if (hold) return { text: `Already held by ${hold.by}: ${hold.reason}` }
    return {
      text: 'Blocks newer releases until someone lifts the hold.',
      run: async () => {
        await client.createHold({ body: { data: { moduleInstanceId, reason } } })
        return {}
      },
    }
  })

/** Returns what happens to each service if its deployment in progress is cancelled. */
export const planCancellation = (selection: ServiceSelection): BulkEntry[] =>
  entriesOf(selection, ({ environment, place: { inProgress, running } }) => {
    if (!inProgress) return { text: `No deployment is in progress in ${environment.name}.` }
    if (inProgress.status === 'ROLLING_BACK') return { text: 'The deployment is already rolling back.' }
    const { deploymentId, status, version = 'the deployment', waiting } = inProgress
    const effect =
      status === 'PENDING'
        ? 'It is queued, so nothing has changed yet.'
        : `Rolls back to ${versionBefore(inProgress, running)}.`
    return {
      text: [
        `Cancels ${version}.`,
        effect,
        waiting > 0 && `${waiting} more ${waiting === 1 ? 'stays' : 'stay'} queued.`,
      ]
        .filter(Boolean)
        .join(' '),
      run: async () => {
        await client.cancelDeployment({ params: { id: deploymentId } })
        return { deploymentId }
      },
    }
  })

const versionBefore = (
  { previousVersion }: NonNullable<ServiceInEnvironment['inProgress']>,
  running: ServiceInEnvironment['running'],
): string => running?.version ?? previousVersion ?? 'the previous version'

/** Plans an action for each service. One without an instance in the environment cannot take part. */
export function entriesOf(
  { services, environment, environments, promotionCandidates }: ServiceSelection,
  plan: (service: PlacedService) => Plan,
): BulkEntry[] {
  return services.map((service) => {
    const { givenId, name } = service
    const here = placedServices(service, environments, promotionCandidates[givenId]).find(
      (one) => one.environment.id === environment.id,
    )
    return { id: givenId, name, ...(here ? plan(here) : { text: `No instance in ${environment.name}.` }) }
  })
}
