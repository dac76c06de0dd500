import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

export const groupRuntimes = ['container', 'manual'] as const
export type GroupRuntime = (typeof groupRuntimes)[number]

export const GroupReleaseSource = Type.Object(
  {
    repo: Type.String({ description: 'URL of the repository.' }),
    branch: Type.Optional(Type.String({ description: "Branch. Defaults to the repository's default branch." })),
    ref: Type.Optional(Type.String({ description: 'Commit or tag. Defaults to the head of the branch.' })),
    basePath: Type.Optional(Type.String({ description: 'Directory within the repository.' })),
  },
  { ...closed, description: 'Repository that an instance checks out before it runs the commands.' },
)
export type GroupReleaseSource = Static<typeof GroupReleaseSource>

/** Release that the instances of a group run. It is also stored in the cloud account for instances that start later. */
export const GroupRelease = Type.Object(
  {
    deploymentId: Type.String({ description: 'ID of the deployment that created the release.' }),
    runtime: Type.Enum(groupRuntimes, {
      description: 'How instances run the release: as a container, or by commands.',
    }),
    imageUri: Type.Optional(Type.String({ description: 'Image to run, if `runtime` is `container`.' })),
    commands: Type.Optional(
      Type.Array(Type.String(), { description: 'Lines of the script, if `runtime` is `manual`.' }),
    ),
    source: Type.Optional(GroupReleaseSource),
  },
  { ...closed, description: "Complete description of a group's release, sufficient to run it again." },
)
export type GroupRelease = Static<typeof GroupRelease>

/**
 * Results of a release on an instance. `UNREACHABLE`: its agent accepted no command, so nothing ran. `GONE`: the
 * instance left the group in the meantime, which does not count as a failure.
 */
export const instanceReleaseStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'UNREACHABLE',
  'GONE',
] as const
export type InstanceReleaseStatus = (typeof instanceReleaseStatuses)[number]

const resultFields = {
  status: Type.Enum(instanceReleaseStatuses, { description: 'Result of the release on the instance.' }),
  statusDetails: Type.Optional(Type.String({ description: 'Status as reported by the cloud.' })),
  commandId: Type.Optional(Type.String({ description: 'ID of the remote command that delivered the release.' })),
  startedAt: Type.Optional(UtcDateTime),
  completedAt: Type.Optional(UtcDateTime),
  exitCode: Type.Optional(Type.Integer({ description: 'Exit code of the script.' })),
  output: Type.Optional(Type.String({ description: 'Last lines of output, for a failure.' })),
}

export const InstanceReleaseResult = Type.Object(resultFields, {
  ...closed,
  description: 'Result of a release on an instance.',
})
export type InstanceReleaseResult = Static<typeof InstanceReleaseResult>

export const InstanceRelease = Type.Object(
  {
    instanceId: Type.String({ description: 'ID of the instance.' }),
    ...resultFields,
    returned: Type.Optional(InstanceReleaseResult),
  },
  { ...closed, description: 'Result of the new release on an instance and, after a rollback, of the old one.' },
)
export type InstanceRelease = Static<typeof InstanceRelease>

export const InstanceCounts = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Number of instances on which the new release had started.' }),
    succeeded: Type.Integer({ minimum: 0, description: 'Number of those instances that run the old release again.' }),
    failed: Type.Integer({ minimum: 0, description: 'Number of those instances that could not be rolled back.' }),
  },
  { ...closed, description: 'Number of instances that were rolled back.' },
)
export type InstanceCounts = Static<typeof InstanceCounts>

export const AutomaticRollback = Type.Object(
  {
    decision: Type.Enum(['CONSIDERED', 'TRIGGERED'], {
      description: 'Whether the rollback was triggered, or only considered.',
    }),
    reason: Type.String({ description: 'Reason for the decision.' }),
    release: Type.Optional(GroupRelease),
    commandId: Type.Optional(
      Type.String({ description: 'ID of the latest remote command that rolls instances back.' }),
    ),
    status: Type.Optional(
      Type.Enum(['IN_PROGRESS', 'SUCCESS', 'ERROR'], { description: 'Status of the rollback after it was triggered.' }),
    ),
    instances: Type.Optional(InstanceCounts),
  },
  {
    ...closed,
    description: 'Automatic rollback to the previous release after a failure. The deployment itself remains failed.',
  },
)
export type AutomaticRollback = Static<typeof AutomaticRollback>

/** Data of a deployment to an auto-scaling group. */
export const Ec2DeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:ec2'),
    autoScalingGroupName: Type.String({ description: 'Name of the auto-scaling group.' }),
    autoScalingGroupArn: Type.Optional(
      Type.String({ description: 'ARN of the auto-scaling group, once the cloud has returned it.' }),
    ),
    cloudAccountNumber: Type.Optional(
      Type.String({ description: 'Number of the cloud account that owns the group, 12 digits.' }),
    ),
    region: Type.Optional(Type.String({ description: 'Region of the group.' })),
    documentName: Type.Optional(Type.String({ description: 'Command document that deploys to an instance.' })),
    releaseParameterName: Type.Optional(
      Type.String({ description: 'Parameter from which instances that start later read their release.' }),
    ),
    deployedRelease: Type.Optional(GroupRelease),
    previousRelease: Type.Optional(GroupRelease),
    concurrencyMax: Type.Optional(Type.Integer({ description: 'Maximum number of instances changed concurrently.' })),
    errorsMax: Type.Optional(Type.Integer({ description: 'Maximum number of instances that can fail.' })),
    instances: Type.Optional(Type.Array(InstanceRelease, { description: 'Results per instance.' })),
    automaticRollback: Type.Optional(AutomaticRollback),
    ...progressFields,
  },
  { ...closed, description: 'Data of a deployment to an auto-scaling group.' },
)
export type Ec2DeploymentData = Static<typeof Ec2DeploymentData>
