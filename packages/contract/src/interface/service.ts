import { type Static, Type } from 'typebox'
import { DeploymentStatus } from '../delivery/deployment.ts'
import { DeploymentEvent } from '../delivery/deployment-progress.ts'
import { promotionCandidatesIncluded } from '../delivery/promotion-rule.ts'
import { Reason } from '../gates/freeze.ts'
import { ModuleInstanceStatus } from '../modules/module-instance.ts'
import { Name } from '../modules/naming.ts'
import { GivenId, Id } from '../values/ids.ts'
import { ListMeta } from '../values/list.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** States of a service in an environment. `STEADY` excludes all others. */
export const serviceStates = ['STEADY', 'IN_PROGRESS', 'PAUSED', 'FAILED', 'HELD', 'DRIFTED', 'NOT_RELEASED'] as const
export const ServiceState = Type.Enum(serviceStates, {
  description:
    'State of the service. STEADY: it runs and no other state applies. IN_PROGRESS: a release is in progress or queued. PAUSED: a release waits for a decision. FAILED: the last release or infrastructure change failed. HELD: a hold blocks new releases. DRIFTED: resources have drifted. NOT_RELEASED: it was never released.',
})
export type ServiceState = Static<typeof ServiceState>

/** Orders of services. */
export const serviceOrders = ['GIVEN_ID', 'PROBLEMS'] as const
export type ServiceOrder = (typeof serviceOrders)[number]

const deploymentFields = {
  deploymentId: Id,
  version: Type.Optional(
    Type.String({
      description: 'Short version of the release: the tag of an image, the version of a function or a directory.',
    }),
  ),
  by: Type.Optional(Type.String({ description: 'Name of the user or service account that requested the release.' })),
}

export const RunningRelease = Type.Object(
  {
    ...deploymentFields,
    since: UtcDateTime,
    isRollback: Type.Boolean({ description: 'Whether the release was restored by a rollback.' }),
    runningTasks: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of running tasks when the deployment ended.' }),
    ),
    desiredTasks: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of requested tasks when the deployment ended.' }),
    ),
  },
  { ...closed, description: 'Latest successful release, which is running unless it was changed outside of Sluice.' },
)
export type RunningRelease = Static<typeof RunningRelease>

export const ReleaseInProgress = Type.Object(
  {
    ...deploymentFields,
    status: DeploymentStatus,
    since: UtcDateTime,
    stepCode: Type.Optional(DeploymentEvent.properties.stepCode),
    newTrafficPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of traffic that the new version receives.' }),
    ),
    previousVersion: Type.Optional(Type.String({ description: 'Version that ran when the release began.' })),
    isPaused: Type.Boolean({ description: 'Whether the deployment waits for a decision.' }),
    pausedUntil: Type.Optional({ ...UtcDateTime, description: 'Time when the pause ends automatically, if it does.' }),
    hasRunningChecks: Type.Optional(
      Type.Boolean({ description: 'Whether automated checks of the release are running, which can end a pause.' }),
    ),
    message: Type.Optional(Type.String({ description: 'Reason why the deployment is queued.' })),
    waiting: Type.Integer({ minimum: 0, description: 'Number of further queued deployments.' }),
  },
  { ...closed, description: 'Release that is in progress or queued.' },
)
export type ReleaseInProgress = Static<typeof ReleaseInProgress>

export const FailedRelease = Type.Object(
  {
    ...deploymentFields,
    status: DeploymentStatus,
    at: UtcDateTime,
    message: Type.Optional(Type.String({ description: 'Reason for the failure.' })),
  },
  { ...closed, description: 'Latest finished release, if it failed.' },
)
export type FailedRelease = Static<typeof FailedRelease>

export const HoldReference = Type.Object(
  {
    holdId: Id,
    reason: Reason,
    by: Type.String({ description: 'Name of the user or service account that set the hold.' }),
    since: UtcDateTime,
  },
  { ...closed, description: 'Oldest hold that blocks new releases.' },
)
export type HoldReference = Static<typeof HoldReference>

export const ServiceInEnvironment = Type.Object(
  {
    moduleInstanceId: Id,
    environmentId: Id,
    name: Name,
    type: Type.String({ description: 'Type of the module.' }),
    status: ModuleInstanceStatus,
    states: Type.Array(ServiceState, { description: 'All states that apply.' }),
    running: Type.Optional(RunningRelease),
    inProgress: Type.Optional(ReleaseInProgress),
    failed: Type.Optional(FailedRelease),
    hold: Type.Optional(HoldReference),
    driftedResources: Type.Integer({ minimum: 0, description: 'Number of resources that have drifted.' }),
  },
  {
    ...closed,
    description: 'Service in one environment: its running release, its release in progress and its problems.',
  },
)
export type ServiceInEnvironment = Static<typeof ServiceInEnvironment>

export const Service = Type.Object(
  {
    givenId: GivenId,
    name: Name,
    places: Type.Array(ServiceInEnvironment, { description: 'The service in each of its environments.' }),
  },
  { ...closed, description: 'Module instances of a project with the same `givenId`, one per environment.' },
)
export type Service = Static<typeof Service>

/** Answer about module instances that are named one by one. */
export const ServiceStates = Type.Object(
  { data: Type.Array(ServiceInEnvironment) },
  { ...closed, description: 'State of module instances, ordered by ID.' },
)
export type ServiceStates = Static<typeof ServiceStates>

/** List envelope of services, which have an order of their own. */
export const ServiceList = Type.Object(
  {
    data: Type.Array(Service),
    meta: ListMeta,
    included: Type.Optional(
      Type.Object(
        {
          promotionCandidates: Type.Optional(
            Type.Record(Type.String(), promotionCandidatesIncluded.promotionCandidates),
          ),
        },
        {
          ...closed,
          description: 'Data requested with `include`, by name, then by `givenId` of the service.',
        },
      ),
    ),
  },
  { ...closed, description: 'Page of services.' },
)
