import { type Static, Type } from 'typebox'
import { Reason } from '../gates/freeze.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { Ec2DeploymentData } from './ec2-deployment.ts'
import { EcsDeploymentData } from './ecs-deployment.ts'
import { LambdaDeploymentData } from './lambda-deployment.ts'
import { StaticDeploymentData } from './static-deployment.ts'

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

export const triggerSources = [
  'API',
  'CONSOLE',
  'CLI',
  'PIPELINE',
  'REDEPLOY',
  'ROLLBACK',
  'PROMOTION',
  'EXTERNAL',
] as const
export type TriggerSource = (typeof triggerSources)[number]

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

export const PromoteDeployment = Type.Object(
  {
    moduleInstanceId: { ...Id, description: 'Where it is released, too.' },
    description: Type.Optional(
      Type.String({ maxLength: 10_000, description: 'What this release is about; if absent, as before.' }),
    ),
    override: Type.Optional(
      Type.Object(
        { reason: Reason },
        { ...closed, description: 'Releases it although a promotion rule does not let it go on yet.' },
      ),
    ),
  },
  { ...closed, description: 'Where to release the same.' },
)
export type PromoteDeployment = Static<typeof PromoteDeployment>

export const RollbackDeployment = Type.Object(
  {
    toDeploymentId: Type.Optional({
      ...Id,
      description:
        'The successful deployment to return to; if absent, the last one before this. A newer one than serves traffic now is refused.',
    }),
  },
  { ...closed, description: 'What to go back to.' },
)
export type RollbackDeployment = Static<typeof RollbackDeployment>

export const CancelDeployment = Type.Object(
  {
    hookId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only while this pause waits: refused where it went on since.',
      }),
    ),
  },
  { ...closed, description: 'What was seen of it.' },
)
export type CancelDeployment = Static<typeof CancelDeployment>

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
