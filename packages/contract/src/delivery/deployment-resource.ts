import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { InstanceReleaseResult } from './ec2-deployment.ts'
import { taskHealths } from './module-instance-task.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.Optional(Type.String({ description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** Kinds of resources that deployments change or run. */
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
    kind: Type.Enum(deploymentResourceKinds, { description: 'Kind of the resource.' }),
    id: Type.String({ description: 'Identifier in the cloud: the ARN if the resource has one.' }),
    name: Type.String({ description: 'Short name.' }),
    release: Type.Optional(
      Type.Enum(['NEW', 'PREVIOUS'], {
        description:
          'Whether the resource belongs to this release or to the previous one. Absent if it belongs to both.',
      }),
    ),
    status: text('Lifecycle status as reported by the cloud. For a directory, whether it is served.'),
    health: Type.Optional(Type.Enum(taskHealths, { description: 'Health as checked by the cloud.' })),
    zone: text('Availability zone.'),
    address: text('IP address or host name.'),
    version: text('Version that the resource runs or invokes.'),
    imageDigest: text('Digest of the image that a task of the new release runs.'),
    imageDigests: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Digests of the images of all containers of a task of the new release, keyed by image address without digest.',
        examples: [{ 'registry.example/shop/web:2.1.0': 'sha256:0c4f5e1d' }],
      }),
    ),
    since: Type.Optional({ ...UtcDateTime, description: 'Time when the resource was started or requested.' }),
    until: Type.Optional({ ...UtcDateTime, description: 'Time when the resource stopped.' }),
    reason: text('Reason reported by the cloud for stopping or for being unhealthy.'),
    trafficPercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Percentage of the alias's invocations that a function version receives.",
      }),
    ),
    desiredCount: count('Number of tasks that a service should run.'),
    runningCount: count('Number of tasks that a service runs.'),
    healthyCount: count('Number of healthy targets in a target group.'),
    targetCount: count('Number of targets in a target group.'),
    objectCount: count('Number of objects in a directory, counted up to 1,000.'),
    command: Type.Optional({
      ...InstanceReleaseResult,
      description: 'Result of the release on a machine.',
    }),
  },
  { ...closed, description: 'Cloud resource that a deployment changed or that runs because of it.' },
)
export type DeploymentResource = Static<typeof DeploymentResource>

export const DeploymentResources = Type.Object(
  {
    data: Type.Array(DeploymentResource),
    meta: Type.Object(
      {
        deploymentId: Id,
        isLive: Type.Boolean({
          description: 'Whether the data is current. If false, it was recorded when the deployment ended.',
        }),
        observedAt: Type.Optional({
          ...UtcDateTime,
          description: "Time when the cloud was queried. Absent if the data comes from the deployment's own record.",
        }),
        isComplete: Type.Boolean({ description: 'Whether the list is complete.' }),
        error: Type.Optional(UserFacingError),
      },
      { ...closed, description: 'Metadata of the list. Contains an error if the cloud did not return the resources.' },
    ),
  },
  { ...closed, description: 'Cloud resources that a deployment changed or that run because of it.' },
)
export type DeploymentResources = Static<typeof DeploymentResources>
