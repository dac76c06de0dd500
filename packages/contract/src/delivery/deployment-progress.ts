import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** The steps that a deployment's events tell of. */
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

/** How much of the traffic the new release has: none, test traffic, a growing share, all. */
export const trafficPhases = ['standby', 'test', 'shifting', 'production'] as const
export type TrafficPhase = (typeof trafficPhases)[number]

/** What a person is asked to do at a pause. */
export const pauseLabels = ['continue', 'approve_test_traffic', 'shift_traffic', 'finish'] as const
export type PauseLabel = (typeof pauseLabels)[number]

export const pauseActions = ['CONTINUE'] as const
export type PauseAction = (typeof pauseActions)[number]

/** How a deployment was noticed: made here, told by the cloud's event bus, found by looking. */
export const detectionChannels = ['SERVICE', 'EVENT_BUS', 'POLL'] as const
export type DetectionChannel = (typeof detectionChannels)[number]

/** Who began it: this service, somebody outside, the cloud by itself. */
export const initiationTypes = ['SERVICE', 'EXTERNAL', 'AUTOMATIC'] as const
export type InitiationType = (typeof initiationTypes)[number]

export const deploymentStrategies = ['rolling', 'blue_green', 'linear', 'canary', 'all_at_once'] as const
export type DeploymentStrategy = (typeof deploymentStrategies)[number]

export const TrafficPhase = Type.Enum(trafficPhases, { description: 'How much of the traffic the new release has.' })

/** One line of the progress, in the order it happened. */
export const DeploymentEvent = Type.Object(
  {
    currentStep: Type.Integer({ minimum: 0, description: 'Number of the step, from 1.' }),
    totalSteps: Type.Integer({ minimum: 0, description: 'How many steps there are, as far as known at the time.' }),
    stepCode: Type.Enum(deploymentStepCodes, { description: 'What the step is.' }),
    startedAt: UtcDateTime,
    desiredCount: Type.Optional(Type.Integer({ description: 'Tasks that the new release was asked to run.' })),
    hookId: Type.Optional(Type.String({ description: 'On PAUSED and CONTINUED: the pause hook. New at every pause.' })),
    lifecycleStage: Type.Optional(Type.String({ description: "The cloud's name of the stage." })),
    message: Type.Optional(Type.String({ description: 'For people.' })),
    trafficPhase: Type.Optional(TrafficPhase),
  },
  { ...closed, description: 'One step of the progress of a deployment.' },
)
export type DeploymentEvent = Static<typeof DeploymentEvent>

/** The decision that ended the latest pause. */
export const AcceptedPauseControl = Type.Object(
  {
    acceptedAt: UtcDateTime,
    action: Type.Enum(pauseActions, { description: 'What was decided.' }),
    hookId: Type.String({ description: 'The pause hook that it resolved.' }),
    eventStartedAt: Type.Optional(UtcDateTime),
    labelKind: Type.Optional(Type.Enum(pauseLabels, { description: 'What the person was asked to do.' })),
    lifecycleStage: Type.Optional(Type.String({ description: 'The stage that was paused at.' })),
  },
  { ...closed, description: 'The decision that ended the latest pause.' },
)
export type AcceptedPauseControl = Static<typeof AcceptedPauseControl>

/** What deployments of every type tell of themselves. */
export const progressFields = {
  detectedVia: Type.Optional(Type.Enum(detectionChannels, { description: 'How the deployment was noticed.' })),
  initiationType: Type.Optional(Type.Enum(initiationTypes, { description: 'Who began it.' })),
  events: Type.Optional(Type.Array(DeploymentEvent, { description: 'Progress, oldest first.' })),
  strategy: Type.Optional(Type.Enum(deploymentStrategies, { description: 'How the new release takes over.' })),
  triggerChannel: Type.Optional(Type.String({ description: 'The channel that the request came in by.' })),
  triggeredBy: Type.Optional(Type.String({ description: 'Who asked for it.' })),
}
