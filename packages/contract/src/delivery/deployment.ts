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

/** A paused deployment is `IN_PROGRESS` with a pending pause hook. `SUCCESS` and the last three statuses are final. */
export const deploymentStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'ROLLING_BACK',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
  'ROLLED_BACK',
] as const
export const DeploymentStatus = Type.Enum(deploymentStatuses, { description: 'Status of the deployment.' })
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
  { description: 'Data specific to the deployment type, discriminated by `type`.' },
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
    description: Type.String({ description: 'Description provided by the user.' }),
    status: DeploymentStatus,
    deploymentType: Type.Enum(deploymentTypes, { description: 'Type of the deployment; equals `data.type`.' }),
    triggerSource: Type.Enum(triggerSources, { description: 'How the deployment was triggered.' }),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    data: Type.Optional(DeploymentData),
    error: Type.Optional(UserFacingError),
    externalDeploymentId: Type.Optional(
      Type.String({ description: 'Identifier that the cloud assigned to the deployment.' }),
    ),
    resourceArn: Type.Optional(
      Type.String({ description: 'ARN of the resource deployed to, used to match cloud events to deployments.' }),
    ),
    resourceName: Type.Optional(Type.String({ description: 'Human-readable name derived from `resourceArn`.' })),
    pipelineRunId: Type.Optional(Id),
    stepExecutionId: Type.Optional(Id),
    redeployOfDeploymentId: Type.Optional(Id),
    rollbackToDeploymentId: Type.Optional(Id),
  },
  { ...closed, description: 'Deployment of a release to a module instance.' },
)
export type Deployment = Static<typeof Deployment>

export const CreateDeployment = Type.Object(
  {
    description: Type.String({ maxLength: 10_000, description: 'Description of the release.' }),
    moduleInstanceId: Id,
    inputs: Type.Optional(FreeFormObject),
  },
  { ...closed, description: 'Fields of a new deployment.' },
)
export type CreateDeployment = Static<typeof CreateDeployment>

export const PromoteDeployment = Type.Object(
  {
    moduleInstanceId: { ...Id, description: 'ID of the module instance to release to.' },
    description: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'Description of the release. Defaults to the description of the source deployment.',
      }),
    ),
    override: Type.Optional(
      Type.Object(
        { reason: Reason },
        { ...closed, description: 'Overrides a promotion rule that does not allow the promotion yet.' },
      ),
    ),
  },
  { ...closed, description: 'Target of a promotion.' },
)
export type PromoteDeployment = Static<typeof PromoteDeployment>

export const RollbackDeployment = Type.Object(
  {
    toDeploymentId: Type.Optional({
      ...Id,
      description:
        'ID of the successful deployment to restore. Defaults to the last one before this deployment. Fails for a release newer than the one serving traffic.',
    }),
  },
  { ...closed, description: 'Target of a rollback.' },
)
export type RollbackDeployment = Static<typeof RollbackDeployment>

export const CancelDeployment = Type.Object(
  {
    hookId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'ID of a pause. If given, the deployment is cancelled only while this pause is pending.',
      }),
    ),
  },
  { ...closed, description: 'Condition for the cancellation.' },
)
export type CancelDeployment = Static<typeof CancelDeployment>

export const ContinueDeployment = Type.Object(
  {
    hookId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'ID of the pause hook to resolve. Defaults to the pending hook.',
      }),
    ),
  },
  { ...closed, description: 'Pause to resolve.' },
)
export type ContinueDeployment = Static<typeof ContinueDeployment>
