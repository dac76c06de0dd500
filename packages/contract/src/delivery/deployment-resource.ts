import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { InstanceReleaseResult } from './ec2-deployment.ts'
import { taskHealths } from './module-instance-task.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.Optional(Type.String({ description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** What a deployment of each type touches, and what runs because of it. */
export const deploymentResourceKinds = [
  'SERVICE',
  'TASK_DEFINITION',
  'TASK',
  'TARGET_GROUP',
  'FUNCTION',
  'FUNCTION_ALIAS',
  'FUNCTION_VERSION',
  'MACHINE_GROUP',
  'MACHINE',
  'DIRECTORY',
  'DISTRIBUTION',
  'INVALIDATION',
] as const
export type DeploymentResourceKind = (typeof deploymentResourceKinds)[number]

export const DeploymentResource = Type.Object(
  {
    kind: Type.Enum(deploymentResourceKinds, { description: 'What it is.' }),
    id: Type.String({ description: "The cloud's name of it: its ARN, where it has one." }),
    name: Type.String({ description: 'The same, in short.' }),
    release: Type.Optional(
      Type.Enum(['NEW', 'BEFORE'], {
        description: 'Whether it is of this release or of the one before; absent where it is of both.',
      }),
    ),
    status: text("Where it is in its life, in the cloud's own word; of a directory, whether it is served."),
    health: Type.Optional(Type.Enum(taskHealths, { description: 'As far as its cloud checks it.' })),
    zone: text('The availability zone that it is in.'),
    address: text('Its address in the network, or its host name.'),
    version: text('What it runs, or calls, in a word.'),
    imageDigest: text('Of a task of the new release: the digest of the image that was released, as it runs.'),
    imageDigests: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Of a task of the new release: the digests of the images of all its containers, by their addresses without a digest.',
        examples: [{ 'registry.example/shop/web:2.1.0': 'sha256:0c4f5e1d' }],
      }),
    ),
    since: Type.Optional({ ...UtcDateTime, description: 'When it started, or was asked for.' }),
    until: Type.Optional({ ...UtcDateTime, description: 'When it stopped.' }),
    reason: text('Why it stopped, or is not well, in the words of the cloud.'),
    trafficPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Of a version: its share of the calls of the alias.' }),
    ),
    desiredCount: count('Of a service: how many tasks should run.'),
    runningCount: count('Of a service: how many do.'),
    healthyCount: count('Of a target group: how many of its targets are well.'),
    targetCount: count('Of a target group: how many targets it has.'),
    objectCount: count('Of a directory: how many objects it holds, counted up to 1,000.'),
    command: Type.Optional({
      ...InstanceReleaseResult,
      description: 'Of a machine: what became of the release there.',
    }),
  },
  { ...closed, description: 'Something in the cloud that a deployment touched, or that runs because of it.' },
)
export type DeploymentResource = Static<typeof DeploymentResource>

export const DeploymentResources = Type.Object(
  {
    data: Type.Array(DeploymentResource),
    meta: Type.Object(
      {
        deploymentId: Id,
        isLive: Type.Boolean({ description: 'Whether it is as it is now; else as it was when the deployment ended.' }),
        observedAt: Type.Optional({
          ...UtcDateTime,
          description:
            'When the cloud was asked; absent where it was not, and this is what the deployment knows itself.',
        }),
        isWhole: Type.Boolean({ description: 'Whether these are all that there are.' }),
        error: Type.Optional(UserFacingError),
      },
      { ...closed, description: 'How the list came about; with an error where the cloud did not show it.' },
    ),
  },
  { ...closed, description: 'What a deployment touched and what runs because of it.' },
)
export type DeploymentResources = Static<typeof DeploymentResources>
