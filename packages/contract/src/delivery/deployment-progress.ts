import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Steps that deployment events report. */
export const deploymentStepCodes = [
  'QUEUED',
  'INIT',
  'PRE_DEPLOY',
  'REGISTER_RELEASE',
  'UPDATE_CODE',
  'PUBLISH_VERSION',
  'UPDATE_SERVICE',
  'PROMOTE',
  'INVALIDATE',
  'SCALE_UP',
  'TEST_TRAFFIC_SHIFT',
  'PRODUCTION_TRAFFIC_SHIFT',
  'BAKE',
  'PAUSED',
  'CONTINUED',
  'ANALYSIS',
  'WARNING',
  'UPDATE_INSTANCES',
  'PUBLISH_RELEASE',
  'CLEAN_UP',
  'POST_DEPLOY',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'ROLLBACK_STARTED',
  'ROLLED_BACK',
] as const
export type DeploymentStepCode = (typeof deploymentStepCodes)[number]

/** Share of traffic that the new release receives: none, test traffic, an increasing share, all. */
export const trafficPhases = ['standby', 'test', 'shifting', 'production'] as const
export type TrafficPhase = (typeof trafficPhases)[number]

/** Decisions that a pause can ask for. */
export const pauseLabels = ['continue', 'approve_test_traffic', 'shift_traffic', 'finish'] as const
export type PauseLabel = (typeof pauseLabels)[number]

export const pauseActions = ['CONTINUE'] as const
export type PauseAction = (typeof pauseActions)[number]

/**
 * Ways in which a deployment is detected: created by Sluice, reported by the cloud's event bus, or found by polling.
 */
export const detectionChannels = ['SERVICE', 'EVENT_BUS', 'POLL'] as const
export type DetectionChannel = (typeof detectionChannels)[number]

/** Initiators of a deployment: Sluice, an external user or tool, or the cloud itself. */
export const initiationTypes = ['SERVICE', 'EXTERNAL', 'AUTOMATIC'] as const
export type InitiationType = (typeof initiationTypes)[number]

export const deploymentStrategies = ['rolling', 'blue_green', 'linear', 'canary', 'all_at_once'] as const
export type DeploymentStrategy = (typeof deploymentStrategies)[number]

export const TrafficPhase = Type.Enum(trafficPhases, { description: 'Traffic phase of the new release.' })

/** Progress event of a deployment, in chronological order. */
export const DeploymentEvent = Type.Object(
  {
    currentStep: Type.Integer({ minimum: 0, description: 'Number of the step, counted from 1.' }),
    totalSteps: Type.Integer({ minimum: 0, description: 'Number of steps known at the time.' }),
    stepCode: Type.Enum(deploymentStepCodes, { description: 'Code of the step.' }),
    startedAt: UtcDateTime,
    desiredCount: Type.Optional(Type.Integer({ description: 'Number of tasks requested for the new release.' })),
    hookId: Type.Optional(
      Type.String({ description: 'ID of the pause hook, on PAUSED and CONTINUED events. Each pause has a new ID.' }),
    ),
    lifecycleStage: Type.Optional(Type.String({ description: 'Name of the lifecycle stage in the cloud.' })),
    message: Type.Optional(Type.String({ description: 'Human-readable message.' })),
    trafficPhase: Type.Optional(TrafficPhase),
  },
  { ...closed, description: 'Progress event of a deployment.' },
)
export type DeploymentEvent = Static<typeof DeploymentEvent>

/** Decision that ended the latest pause. */
export const AcceptedPauseControl = Type.Object(
  {
    acceptedAt: UtcDateTime,
    action: Type.Enum(pauseActions, { description: 'Action that was chosen.' }),
    hookId: Type.String({ description: 'ID of the pause hook that was resolved.' }),
    eventStartedAt: Type.Optional(UtcDateTime),
    labelKind: Type.Optional(Type.Enum(pauseLabels, { description: 'Decision that the pause asked for.' })),
    lifecycleStage: Type.Optional(Type.String({ description: 'Lifecycle stage of the pause.' })),
  },
  { ...closed, description: 'Decision that ended the latest pause.' },
)
export type AcceptedPauseControl = Static<typeof AcceptedPauseControl>

/** Fields that deployments of every type have. */
export const progressFields = {
  detectedVia: Type.Optional(Type.Enum(detectionChannels, { description: 'How the deployment was detected.' })),
  initiationType: Type.Optional(Type.Enum(initiationTypes, { description: 'Initiator of the deployment.' })),
  events: Type.Optional(Type.Array(DeploymentEvent, { description: 'Progress events, oldest first.' })),
  strategy: Type.Optional(Type.Enum(deploymentStrategies, { description: 'Deployment strategy.' })),
  triggerChannel: Type.Optional(Type.String({ description: 'Channel through which the deployment was requested.' })),
  triggeredBy: Type.Optional(
    Type.String({ description: 'Name of the user, service account or run that requested the deployment.' }),
  ),
}
