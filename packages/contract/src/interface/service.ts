import { type Static, Type } from 'typebox'
import { DeploymentStatus } from '../delivery/deployment.ts'
import { DeploymentEvent } from '../delivery/deployment-progress.ts'
import { onwardIncluded } from '../delivery/promotion-rule.ts'
import { Reason } from '../gates/freeze.ts'
import { ModuleInstanceStatus } from '../modules/module-instance.ts'
import { Name } from '../modules/naming.ts'
import { GivenId, Id } from '../values/ids.ts'
import { ListMeta } from '../values/list.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/**
 * What there is to say of a service in an environment. `STEADY` stands alone: something runs, and nothing else is to be
 * said.
 */
export const serviceStates = ['STEADY', 'UNDER_WAY', 'PAUSED', 'FAILED', 'HELD', 'DRIFTED', 'NOT_RELEASED'] as const
export const ServiceState = Type.Enum(serviceStates, {
  description:
    'STEADY: it runs, and there is nothing else to say. UNDER_WAY: a release is carried out or waits for its turn. PAUSED: one waits for a person. FAILED: the last release, or the last change of the infrastructure, failed. HELD: nothing newer is released until it is let go. DRIFTED: resources are not as configured. NOT_RELEASED: nothing was ever released.',
})
export type ServiceState = Static<typeof ServiceState>

const ofDeployment = {
  deploymentId: Id,
  version: Type.Optional(
    Type.String({ description: "What is released, in a word: the image's tag, the function's version, a directory." }),
  ),
  by: Type.Optional(Type.String({ description: 'Who asked for it.' })),
}

export const RunningRelease = Type.Object(
  {
    ...ofDeployment,
    since: UtcDateTime,
    isRollback: Type.Boolean({ description: 'Whether it was gone back to.' }),
    tasksRunning: Type.Optional(Type.Integer({ minimum: 0, description: 'Tasks that ran when the release ended.' })),
    tasksWanted: Type.Optional(Type.Integer({ minimum: 0, description: 'How many should have.' })),
  },
  { ...closed, description: 'The latest release that succeeded: what runs, unless somebody changed it by hand.' },
)
export type RunningRelease = Static<typeof RunningRelease>

export const ReleaseUnderWay = Type.Object(
  {
    ...ofDeployment,
    status: DeploymentStatus,
    since: UtcDateTime,
    stepCode: Type.Optional(DeploymentEvent.properties.stepCode),
    newTrafficPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'The share of the traffic that the new version has.' }),
    ),
    isPaused: Type.Boolean({ description: 'Whether it waits for a person.' }),
    pausedUntil: Type.Optional({ ...UtcDateTime, description: 'When the pause ends by itself, where it does.' }),
    waiting: Type.Integer({ minimum: 0, description: 'How many more wait for their turn.' }),
  },
  { ...closed, description: 'A release that is carried out or waits for its turn.' },
)
export type ReleaseUnderWay = Static<typeof ReleaseUnderWay>

export const FailedRelease = Type.Object(
  {
    ...ofDeployment,
    status: DeploymentStatus,
    at: UtcDateTime,
    message: Type.Optional(Type.String({ description: 'Why, in a sentence.' })),
  },
  { ...closed, description: 'The latest release that ended, where that failed.' },
)
export type FailedRelease = Static<typeof FailedRelease>

export const HoldOfPlace = Type.Object(
  {
    holdId: Id,
    reason: Reason,
    by: Type.String({ description: 'Who holds it.' }),
    since: UtcDateTime,
  },
  { ...closed, description: 'What keeps anything newer from being released there: of several holds, the oldest.' },
)
export type HoldOfPlace = Static<typeof HoldOfPlace>

export const ServicePlace = Type.Object(
  {
    moduleInstanceId: Id,
    environmentId: Id,
    name: Name,
    type: Type.String({ description: 'The type of its module.' }),
    status: ModuleInstanceStatus,
    states: Type.Array(ServiceState, { description: 'All that there is to say of it.' }),
    running: Type.Optional(RunningRelease),
    underWay: Type.Optional(ReleaseUnderWay),
    failed: Type.Optional(FailedRelease),
    hold: Type.Optional(HoldOfPlace),
    driftedResources: Type.Integer({ minimum: 0, description: 'Resources that are not as configured.' }),
  },
  { ...closed, description: 'A service in one environment: what runs there, what is under way, and what went wrong.' },
)
export type ServicePlace = Static<typeof ServicePlace>

export const Service = Type.Object(
  {
    givenId: GivenId,
    name: Name,
    places: Type.Array(ServicePlace, { description: 'One for each environment that it stands in.' }),
  },
  { ...closed, description: 'The module instances of a project that have the same givenId, one in each environment.' },
)
export type Service = Static<typeof Service>

/** The envelope of services, which have an order of their own. */
export const ServiceList = Type.Object(
  {
    data: Type.Array(Service),
    meta: ListMeta,
    included: Type.Optional(
      Type.Object(
        { onward: Type.Optional(Type.Record(Type.String(), onwardIncluded.onward)) },
        {
          ...closed,
          description: 'What `include` asked for, each by its name, and there by the givenId of the service.',
        },
      ),
    ),
  },
  { ...closed, description: 'One page of services, by their givenIds.' },
)
