import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** So many deployments are named that a rollback may return to. */
export const maxRollbackTargets = 100

export const DeploymentRollback = Type.Object(
  {
    toDeploymentId: Type.Optional({
      ...Id,
      description:
        'The deployment that a rollback returns to where the request names none. Absent where it is refused.',
    }),
    refusal: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'The error code of such a request.' }),
          message: Type.String({ description: 'Why it is refused, and what to do instead.' }),
        },
        { ...closed, description: 'Why a rollback that names no deployment would be refused. Absent where it is not.' },
      ),
    ),
    targets: Type.Array(Id, {
      maxItems: maxRollbackTargets,
      description: 'The deployments that a rollback may return to, newest first.',
    }),
  },
  { ...closed, description: 'Where a rollback of a deployment may lead.' },
)
export type DeploymentRollback = Static<typeof DeploymentRollback>

/** What can be asked for beside a deployment. */
export const rollbackIncluded = {
  rollback: {
    ...DeploymentRollback,
    description:
      'Where a rollback of it may lead: to releases that were live before it and are not newer than the one that serves traffic now.',
  },
} as const
