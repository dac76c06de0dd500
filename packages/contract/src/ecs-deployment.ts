import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

/** The steps that a deployment's events tell of. */
export const deploymentStepCodes = [
  'INIT',
  'PRE_DEPLOY',
  'REGISTER_RELEASE',
  'UPDATE_SERVICE',
  'SCALE_UP',
  'TEST_TRAFFIC_SHIFT',
  'PRODUCTION_TRAFFIC_SHIFT',
  'BAKE',
  'PAUSED',
  'CONTINUED',
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

export const deploymentStrategies = ['rolling', 'blue_green', 'linear', 'canary'] as const
export type DeploymentStrategy = (typeof deploymentStrategies)[number]

const TrafficPhase = Type.Enum(trafficPhases, { description: 'How much of the traffic the new release has.' })

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

/** A task definition, whole: enough to run exactly it again. */
export const TaskDefinitionRecord = Type.Object(
  {
    arn: Type.String({ description: 'Its name at the cloud, revision included.' }),
    definition: FreeFormObject,
    revision: Type.Integer({ minimum: 0, description: 'Number of the revision in its family.' }),
  },
  { ...closed, description: 'A task definition as the cloud has it.' },
)
export type TaskDefinitionRecord = Static<typeof TaskDefinitionRecord>

export const ElbListenerRule = Type.Object(
  {
    hostHeaders: Type.Optional(Type.Array(Type.String(), { description: 'Host names that the rule takes.' })),
    isDefaultRule: Type.Boolean({ description: 'Whether it takes what no other rule took.' }),
    listenerArn: Type.String({ description: 'The listener it belongs to.' }),
    pathPatterns: Type.Optional(Type.Array(Type.String(), { description: 'Paths that the rule takes.' })),
    port: Type.Integer({ description: "The listener's port." }),
    protocol: Type.String({ description: "The listener's protocol." }),
    ruleArn: Type.String({ description: 'The rule.' }),
    rulePriority: Type.Optional(Type.Integer({ description: 'Lower is asked first.' })),
    targetGroupArn: Type.String({ description: 'Where the rule sends traffic.' }),
    targetGroupName: Type.Optional(Type.String({ description: 'Name of the target group.' })),
  },
  { ...closed, description: 'A rule of a load balancer that reaches the service.' },
)
export type ElbListenerRule = Static<typeof ElbListenerRule>

export const ElbListenerState = Type.Object(
  {
    capturedAt: UtcDateTime,
    loadBalancerArn: Type.String({ description: 'The load balancer.' }),
    loadBalancerDnsName: Type.String({ description: 'Its host name.' }),
    rules: Type.Array(ElbListenerRule),
  },
  { ...closed, description: 'A load balancer and its rules at one moment.' },
)
export type ElbListenerState = Static<typeof ElbListenerState>

export const ServiceRevision = Type.Object(
  {
    pendingTaskCount: Type.Integer({ description: 'Tasks that are starting.' }),
    requestedTaskCount: Type.Integer({ description: 'Tasks that should run.' }),
    runningTaskCount: Type.Integer({ description: 'Tasks that run.' }),
    serviceRevisionArn: Type.String({ description: 'The revision.' }),
    requestedProductionTrafficWeight: Type.Optional(Type.Integer({ description: 'Percent, rounded.' })),
    requestedTestTrafficWeight: Type.Optional(Type.Integer({ description: 'Percent, rounded.' })),
  },
  { ...closed, description: 'A revision of the service: its tasks and its share of the traffic.' },
)
export type ServiceRevision = Static<typeof ServiceRevision>

export const ServiceDeploymentState = Type.Object(
  {
    acceptsNativeStandbyRevert: Type.Boolean({
      description: 'Whether the cloud can still turn back to the old release.',
    }),
    lifecycleStage: Type.Optional(Type.String({ description: "The cloud's name of the stage." })),
    observedAt: UtcDateTime,
    serviceDeploymentArn: Type.String({ description: 'The deployment at the cloud.' }),
    sourceServiceRevisions: Type.Optional(Type.Array(ServiceRevision)),
    status: Type.String({ description: "The cloud's status word, passed through." }),
    statusReason: Type.Optional(Type.String({ description: "The cloud's reason." })),
    strategy: Type.Optional(Type.String({ description: 'Deployment strategy.' })),
    targetServiceRevision: Type.Optional(ServiceRevision),
    trafficPhase: Type.Optional(TrafficPhase),
  },
  { ...closed, description: 'What the cloud said about the deployment when it was last looked at.' },
)
export type ServiceDeploymentState = Static<typeof ServiceDeploymentState>

/** What a container-service deployment knows of itself. */
export const EcsDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:ecs'),
    clusterArn: Type.String({ description: 'The cluster.' }),
    serviceArn: Type.String({ description: 'The service.' }),
    acceptedPauseControl: Type.Optional(AcceptedPauseControl),
    deployedTaskDefinition: Type.Optional(TaskDefinitionRecord),
    previousTaskDefinition: Type.Optional(TaskDefinitionRecord),
    detectedVia: Type.Optional(Type.Enum(detectionChannels, { description: 'How the deployment was noticed.' })),
    initiationType: Type.Optional(Type.Enum(initiationTypes, { description: 'Who began it.' })),
    ecsModuleDeploymentId: Type.Optional(Type.String({ description: 'The id that the release carries as a tag.' })),
    elbListenerState: Type.Optional(Type.Array(ElbListenerState)),
    events: Type.Optional(Type.Array(DeploymentEvent, { description: 'Progress, oldest first.' })),
    postDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs after the release.' })),
    preDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs before the release.' })),
    revertExternalDeploymentId: Type.Optional(
      Type.String({ description: "The cloud's identity of the revert, as externalDeploymentId." }),
    ),
    revertRequestedAt: Type.Optional(UtcDateTime),
    revertServiceDeploymentArn: Type.Optional(Type.String({ description: 'The revert at the cloud.' })),
    serviceDeploymentArn: Type.Optional(Type.String({ description: 'The deployment at the cloud.' })),
    serviceDeploymentState: Type.Optional(ServiceDeploymentState),
    strategy: Type.Optional(Type.Enum(deploymentStrategies, { description: 'How traffic moves to the new release.' })),
    triggerChannel: Type.Optional(Type.String({ description: 'The channel that the request came in by.' })),
    triggeredBy: Type.Optional(Type.String({ description: 'Who asked for it.' })),
  },
  { ...closed, description: 'State of a container-service deployment.' },
)
export type EcsDeploymentData = Static<typeof EcsDeploymentData>
