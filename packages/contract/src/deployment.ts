import { type Static, Type } from 'typebox'
import { EcsDeploymentData } from './ecs-deployment.ts'
import { FreeFormObject } from './free-form.ts'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'
import { UserFacingError } from './user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** Paused is `IN_PROGRESS` with a pending hook; the last three and `SUCCESS` are final. */
export const deploymentStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'ROLLING_BACK',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
  'ROLLED_BACK',
] as const
export const DeploymentStatus = Type.Enum(deploymentStatuses, { description: 'Where the deployment stands.' })
export type DeploymentStatus = Static<typeof DeploymentStatus>

export const deploymentTypes = ['cloud:ecs', 'cloud:ec2', 'cloud:static', 'cloud:lambda'] as const
export type DeploymentType = (typeof deploymentTypes)[number]

export const triggerSources = ['API', 'CONSOLE', 'CLI', 'PIPELINE', 'REDEPLOY', 'ROLLBACK', 'EXTERNAL'] as const
export type TriggerSource = (typeof triggerSources)[number]

/** What a deployment to a group of machines knows of itself. */
export const Ec2DeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:ec2'),
    autoScalingGroupName: Type.Optional(Type.String({ description: 'The group that is deployed to.' })),
    automaticRollback: Type.Optional(FreeFormObject),
    cloudAccountNumber: Type.Optional(Type.String({ description: 'Twelve-digit number of the account of the group.' })),
  },
  { ...closed, description: 'State of a deployment to an auto-scaling group.' },
)
export type Ec2DeploymentData = Static<typeof Ec2DeploymentData>

/** What a static-site deployment knows of itself. */
export const StaticDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:static'),
    distributionId: Type.Optional(Type.String({ description: 'The primary distribution of the content network.' })),
  },
  { ...closed, description: 'State of a static-site deployment.' },
)
export type StaticDeploymentData = Static<typeof StaticDeploymentData>

/** What a function deployment knows of itself. */
export const LambdaDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:lambda'),
    functionArn: Type.Optional(Type.String({ description: 'The function.' })),
    aliasName: Type.Optional(Type.String({ description: 'The alias that is moved to the new version.' })),
    version: Type.Optional(Type.String({ description: 'The published version.' })),
  },
  { ...closed, description: 'State of a function deployment.' },
)
export type LambdaDeploymentData = Static<typeof LambdaDeploymentData>

export const DeploymentData = Type.Union(
  [EcsDeploymentData, Ec2DeploymentData, StaticDeploymentData, LambdaDeploymentData],
  { description: 'What only deployments of one type have; narrow on `type`.' },
)
export type DeploymentData = Static<typeof DeploymentData>

export const Deployment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleInstanceId: Id,
    description: Type.String({ description: 'What the user said about it.' }),
    status: DeploymentStatus,
    deploymentType: Type.Enum(deploymentTypes, { description: 'What is deployed to; equals `data.type`.' }),
    triggerSource: Type.Enum(triggerSources, { description: 'How it was triggered.' }),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    data: Type.Optional(DeploymentData),
    error: Type.Optional(UserFacingError),
    externalDeploymentId: Type.Optional(Type.String({ description: "The cloud's identity of the deployment." })),
    resourceArn: Type.Optional(
      Type.String({ description: 'What is deployed to; matches cloud events to deployments.' }),
    ),
    resourceName: Type.Optional(Type.String({ description: 'A readable form of resourceArn.' })),
    pipelineRunId: Type.Optional(Id),
    stepExecutionId: Type.Optional(Id),
    redeployOfDeploymentId: Type.Optional(Id),
    rollbackToDeploymentId: Type.Optional(Id),
  },
  { ...closed, description: 'One release of a module instance.' },
)
export type Deployment = Static<typeof Deployment>

export const CreateDeployment = Type.Object(
  {
    description: Type.String({ maxLength: 10_000, description: 'What this release is about.' }),
    moduleInstanceId: Id,
    inputs: Type.Optional(FreeFormObject),
  },
  { ...closed, description: 'What to release, where.' },
)
export type CreateDeployment = Static<typeof CreateDeployment>

export const ContinueDeployment = Type.Object(
  {
    hookId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The pause hook to resolve; if absent, the pending one.',
      }),
    ),
  },
  { ...closed, description: 'Which pause to end.' },
)
export type ContinueDeployment = Static<typeof ContinueDeployment>
