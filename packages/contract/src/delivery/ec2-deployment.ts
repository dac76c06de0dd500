import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

export const groupRuntimes = ['container', 'manual'] as const
export type GroupRuntime = (typeof groupRuntimes)[number]

export const GroupReleaseSource = Type.Object(
  {
    repo: Type.String({ description: 'Address of the repository.' }),
    branch: Type.Optional(Type.String({ description: 'The branch; if absent, the default one.' })),
    ref: Type.Optional(Type.String({ description: 'The commit or tag; if absent, the head of the branch.' })),
    basePath: Type.Optional(Type.String({ description: 'The folder in the repository.' })),
  },
  { ...closed, description: 'The files that an instance checks out before it runs the commands.' },
)
export type GroupReleaseSource = Static<typeof GroupReleaseSource>

/** What the instances of a group run; also what Sluice writes down in the account, for instances that start later. */
export const GroupRelease = Type.Object(
  {
    deploymentId: Type.String({ description: 'The deployment that released it.' }),
    runtime: Type.Enum(groupRuntimes, { description: 'How an instance runs it: as a container, or by commands.' }),
    imageUri: Type.Optional(Type.String({ description: 'On `container`: the image.' })),
    commands: Type.Optional(Type.Array(Type.String(), { description: 'On `manual`: the lines of the script.' })),
    source: Type.Optional(GroupReleaseSource),
  },
  { ...closed, description: 'A release of a group of machines, whole: enough to run exactly it again.' },
)
export type GroupRelease = Static<typeof GroupRelease>

/**
 * What became of a release on an instance. `UNREACHABLE`: its agent took no command, so nothing was run. `GONE`: it
 * left the group meanwhile, which is no failure.
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
  status: Type.Enum(instanceReleaseStatuses, { description: 'What became of it on the instance.' }),
  statusDetails: Type.Optional(Type.String({ description: "The cloud's own word for it." })),
  commandId: Type.Optional(Type.String({ description: 'The remote command that brought it.' })),
  startedAt: Type.Optional(UtcDateTime),
  completedAt: Type.Optional(UtcDateTime),
  exitCode: Type.Optional(Type.Integer({ description: 'What the script ended with.' })),
  output: Type.Optional(Type.String({ description: 'Of a failure: the last lines that the instance wrote.' })),
}

export const InstanceReleaseResult = Type.Object(resultFields, {
  ...closed,
  description: 'What became of a release on an instance.',
})
export type InstanceReleaseResult = Static<typeof InstanceReleaseResult>

export const InstanceRelease = Type.Object(
  {
    instanceId: Type.String({ description: 'The instance.' }),
    ...resultFields,
    returned: Type.Optional(InstanceReleaseResult),
  },
  { ...closed, description: 'An instance of the group: the new release on it and, once it turned back, the old one.' },
)
export type InstanceRelease = Static<typeof InstanceRelease>

export const InstanceCounts = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Instances that had begun with the new release.' }),
    succeeded: Type.Integer({ minimum: 0, description: 'Of those, how many run the old one again.' }),
    failed: Type.Integer({ minimum: 0, description: 'Of those, how many could not be returned.' }),
  },
  { ...closed, description: 'How many instances were returned.' },
)
export type InstanceCounts = Static<typeof InstanceCounts>

export const AutomaticRollback = Type.Object(
  {
    decision: Type.Enum(['CONSIDERED', 'TRIGGERED'], {
      description: 'Whether the instances were returned, or it only was a possibility.',
    }),
    reason: Type.String({ description: 'Why it was decided so.' }),
    release: Type.Optional(GroupRelease),
    commandId: Type.Optional(Type.String({ description: 'The latest remote command that returns instances.' })),
    status: Type.Optional(
      Type.Enum(['IN_PROGRESS', 'SUCCESS', 'ERROR'], { description: 'What became of it, once triggered.' }),
    ),
    instances: Type.Optional(InstanceCounts),
  },
  { ...closed, description: 'The return to the release before after a failure. The deployment stays failed.' },
)
export type AutomaticRollback = Static<typeof AutomaticRollback>

/** What a deployment to a group of machines knows of itself. */
export const Ec2DeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:ec2'),
    autoScalingGroupName: Type.String({ description: 'The group that is deployed to.' }),
    autoScalingGroupArn: Type.Optional(Type.String({ description: 'The same, once the cloud has told it.' })),
    cloudAccountNumber: Type.Optional(Type.String({ description: 'Twelve-digit number of the account of the group.' })),
    region: Type.Optional(Type.String({ description: 'The region of the group.' })),
    documentName: Type.Optional(Type.String({ description: 'The command document that releases to an instance.' })),
    releaseParameterName: Type.Optional(
      Type.String({ description: 'Where instances that start later read what they are to run.' }),
    ),
    deployedRelease: Type.Optional(GroupRelease),
    previousRelease: Type.Optional(GroupRelease),
    concurrencyMax: Type.Optional(Type.Integer({ description: 'How many instances are changed at a time.' })),
    errorsMax: Type.Optional(Type.Integer({ description: 'How many instances may fail.' })),
    instances: Type.Optional(Type.Array(InstanceRelease, { description: 'What became of it, by instance.' })),
    automaticRollback: Type.Optional(AutomaticRollback),
    ...progressFields,
  },
  { ...closed, description: 'State of a deployment to an auto-scaling group.' },
)
export type Ec2DeploymentData = Static<typeof Ec2DeploymentData>
