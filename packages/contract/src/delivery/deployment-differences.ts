import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** What two releases can differ in, in the order in which people ask. */
export const differenceKinds = [
  'VERSION',
  'SOURCE',
  'MODULE_VERSION',
  'IMAGE',
  'DEPLOYMENT_INPUT',
  'INSTANCE_INPUT',
  'RELEASE',
] as const

export const DeploymentDifference = Type.Object(
  {
    of: Type.Enum(differenceKinds, {
      description:
        'The version in a word; the commit and what is known of it; the version of the module; an image; what the deployment was given; what the instance had been given by then; or all else that is recorded of the release, such as the task definition.',
    }),
    path: Type.String({
      description: 'Where in that; items of lists by their names.',
      examples: ['containerDefinitions.web.environment.MODE'],
    }),
    before: Type.Optional(Type.Unknown({ description: 'What it was; absent where it was not there.' })),
    after: Type.Optional(Type.Unknown({ description: 'What it is; absent where it is not there.' })),
    isSecret: Type.Optional(
      Type.Boolean({ description: 'It looks like a secret: only that it is another one is told, not what it is.' }),
    ),
  },
  { ...closed, description: 'Something in which two releases differ.' },
)
export type DeploymentDifference = Static<typeof DeploymentDifference>

export const DeploymentDifferences = Type.Object(
  {
    deploymentId: Id,
    againstDeploymentId: Type.Optional({
      ...Id,
      description: 'What it is compared with; absent where nothing ran before, or what did came from elsewhere.',
    }),
    unknown: Type.Array(Type.Enum(differenceKinds), {
      uniqueItems: true,
      description: 'What is not known of one of the two, and so not compared.',
    }),
    differences: Type.Array(DeploymentDifference),
  },
  { ...closed, description: 'What a deployment releases otherwise than another.' },
)
export type DeploymentDifferences = Static<typeof DeploymentDifferences>
