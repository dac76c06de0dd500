import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** Aspects in which two releases can differ, most relevant first. */
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
        'Aspect that differs: the release version, the commit, the module version, an image, the inputs of the deployment or those of the instance. Other differences are in the release record, such as the task definition.',
    }),
    path: Type.String({
      description: 'Path within the aspect. Items of lists are identified by name.',
      examples: ['containerDefinitions.web.environment.MODE'],
    }),
    before: Type.Optional(Type.Unknown({ description: 'Value before. Absent if there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Value after. Absent if there is none.' })),
    isSecret: Type.Optional(
      Type.Boolean({
        description: 'Whether the value looks like a secret. Only the fact that it changed is returned.',
      }),
    ),
  },
  { ...closed, description: 'Difference between two releases.' },
)
export type DeploymentDifference = Static<typeof DeploymentDifference>

export const DeploymentDifferences = Type.Object(
  {
    deploymentId: Id,
    againstDeploymentId: Type.Optional({
      ...Id,
      description:
        'ID of the deployment compared with. Absent if nothing ran before, or if it was released outside of Sluice.',
    }),
    unknown: Type.Array(Type.Enum(differenceKinds), {
      uniqueItems: true,
      description: 'Aspects that could not be compared because one of the two releases has no record of them.',
    }),
    differences: Type.Array(DeploymentDifference),
  },
  { ...closed, description: 'Differences between the releases of two deployments.' },
)
export type DeploymentDifferences = Static<typeof DeploymentDifferences>
