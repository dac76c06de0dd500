import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** Maximum number of rollback targets returned. */
export const maxRollbackTargets = 100

export const DeploymentRollback = Type.Object(
  {
    toDeploymentId: Type.Optional({
      ...Id,
      description: 'ID of the deployment that a rollback restores by default. Absent if a rollback is not possible.',
    }),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'Error code that the rollback request returns.' }),
          message: Type.String({ description: 'Reason for the error, and what to do instead.' }),
        },
        {
          ...closed,
          description: 'Error that a rollback without `toDeploymentId` returns. Absent if a rollback is possible.',
        },
      ),
    ),
    targets: Type.Array(Id, {
      maxItems: maxRollbackTargets,
      description: 'Deployments that a rollback can restore, newest first.',
    }),
  },
  { ...closed, description: 'Possible rollbacks of a deployment.' },
)
export type DeploymentRollback = Static<typeof DeploymentRollback>

/** Data that `include` can add to a deployment. */
export const rollbackIncluded = {
  rollback: {
    ...DeploymentRollback,
    description:
      'Possible rollbacks: releases that were live before this deployment and are not newer than the one serving traffic.',
  },
} as const
