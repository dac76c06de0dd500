import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'
import { AcceptedPauseControl, progressFields, TrafficPhase } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

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
    ecsModuleDeploymentId: Type.Optional(Type.String({ description: 'The id that the release carries as a tag.' })),
    elbListenerState: Type.Optional(Type.Array(ElbListenerState)),
    postDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs after the release.' })),
    preDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs before the release.' })),
    revertExternalDeploymentId: Type.Optional(
      Type.String({ description: "The cloud's identity of the revert, as externalDeploymentId." }),
    ),
    revertRequestedAt: Type.Optional(UtcDateTime),
    revertServiceDeploymentArn: Type.Optional(Type.String({ description: 'The revert at the cloud.' })),
    serviceDeploymentArn: Type.Optional(Type.String({ description: 'The deployment at the cloud.' })),
    serviceDeploymentState: Type.Optional(ServiceDeploymentState),
    ...progressFields,
  },
  { ...closed, description: 'State of a container-service deployment.' },
)
export type EcsDeploymentData = Static<typeof EcsDeploymentData>
