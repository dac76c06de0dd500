import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'
import { AcceptedPauseControl, progressFields, TrafficPhase } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

/** Complete task definition, sufficient to run it again. */
export const TaskDefinitionRecord = Type.Object(
  {
    arn: Type.String({ description: 'ARN of the task definition, including the revision.' }),
    definition: FreeFormObject,
    revision: Type.Integer({ minimum: 0, description: 'Revision number within the family.' }),
  },
  { ...closed, description: 'Task definition as stored by the cloud.' },
)
export type TaskDefinitionRecord = Static<typeof TaskDefinitionRecord>

export const ElbListenerRule = Type.Object(
  {
    hostHeaders: Type.Optional(Type.Array(Type.String(), { description: 'Host names that the rule matches.' })),
    isDefaultRule: Type.Boolean({ description: 'Whether the rule applies when no other rule matches.' }),
    listenerArn: Type.String({ description: 'ARN of the listener.' }),
    pathPatterns: Type.Optional(Type.Array(Type.String(), { description: 'Path patterns that the rule matches.' })),
    port: Type.Integer({ description: 'Port of the listener.' }),
    protocol: Type.String({ description: 'Protocol of the listener.' }),
    ruleArn: Type.String({ description: 'ARN of the rule.' }),
    rulePriority: Type.Optional(
      Type.Integer({ description: 'Priority of the rule. Lower values are evaluated first.' }),
    ),
    targetGroupArn: Type.String({ description: 'ARN of the target group that receives the traffic.' }),
    targetGroupName: Type.Optional(Type.String({ description: 'Name of the target group.' })),
  },
  { ...closed, description: 'Listener rule that routes traffic to the service.' },
)
export type ElbListenerRule = Static<typeof ElbListenerRule>

export const ElbListenerState = Type.Object(
  {
    capturedAt: UtcDateTime,
    loadBalancerArn: Type.String({ description: 'ARN of the load balancer.' }),
    loadBalancerDnsName: Type.String({ description: 'DNS name of the load balancer.' }),
    rules: Type.Array(ElbListenerRule),
  },
  { ...closed, description: 'Load balancer and its rules at one point in time.' },
)
export type ElbListenerState = Static<typeof ElbListenerState>

export const ServiceRevision = Type.Object(
  {
    pendingTaskCount: Type.Integer({ description: 'Number of tasks that are starting.' }),
    requestedTaskCount: Type.Integer({ description: 'Number of tasks requested.' }),
    runningTaskCount: Type.Integer({ description: 'Number of running tasks.' }),
    serviceRevisionArn: Type.String({ description: 'ARN of the service revision.' }),
    requestedProductionTrafficWeight: Type.Optional(
      Type.Integer({ description: 'Requested share of production traffic in percent, rounded.' }),
    ),
    requestedTestTrafficWeight: Type.Optional(
      Type.Integer({ description: 'Requested share of test traffic in percent, rounded.' }),
    ),
  },
  { ...closed, description: 'Service revision with its task counts and traffic weights.' },
)
export type ServiceRevision = Static<typeof ServiceRevision>

export const ServiceDeploymentState = Type.Object(
  {
    acceptsNativeStandbyRevert: Type.Boolean({
      description: 'Whether the cloud can still revert to the previous release.',
    }),
    lifecycleStage: Type.Optional(Type.String({ description: 'Name of the lifecycle stage in the cloud.' })),
    observedAt: UtcDateTime,
    serviceDeploymentArn: Type.String({ description: "ARN of the cloud's service deployment." }),
    sourceServiceRevisions: Type.Optional(Type.Array(ServiceRevision)),
    status: Type.String({ description: 'Status as reported by the cloud.' }),
    statusReason: Type.Optional(Type.String({ description: 'Reason for the status as reported by the cloud.' })),
    strategy: Type.Optional(Type.String({ description: 'Deployment strategy.' })),
    targetServiceRevision: Type.Optional(ServiceRevision),
    trafficPhase: Type.Optional(TrafficPhase),
  },
  { ...closed, description: "State of the cloud's service deployment at the last poll." },
)
export type ServiceDeploymentState = Static<typeof ServiceDeploymentState>

/** Data of a container-service deployment. */
export const EcsDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:ecs'),
    clusterArn: Type.String({ description: 'ARN of the cluster.' }),
    serviceArn: Type.String({ description: 'ARN of the service.' }),
    acceptedPauseControl: Type.Optional(AcceptedPauseControl),
    deployedTaskDefinition: Type.Optional(TaskDefinitionRecord),
    previousTaskDefinition: Type.Optional(TaskDefinitionRecord),
    ecsModuleDeploymentId: Type.Optional(Type.String({ description: 'ID with which the release is tagged.' })),
    elbListenerState: Type.Optional(Type.Array(ElbListenerState)),
    postDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs after the release.' })),
    preDeployEnabled: Type.Optional(Type.Boolean({ description: 'Whether a task runs before the release.' })),
    revertExternalDeploymentId: Type.Optional(
      Type.String({ description: 'Identifier of the revert in the cloud, in the format of `externalDeploymentId`.' }),
    ),
    revertRequestedAt: Type.Optional(UtcDateTime),
    revertServiceDeploymentArn: Type.Optional(
      Type.String({ description: 'ARN of the service deployment that reverts the release.' }),
    ),
    serviceDeploymentArn: Type.Optional(Type.String({ description: "ARN of the cloud's service deployment." })),
    serviceDeploymentState: Type.Optional(ServiceDeploymentState),
    ...progressFields,
  },
  { ...closed, description: 'Data of a container-service deployment.' },
)
export type EcsDeploymentData = Static<typeof EcsDeploymentData>
