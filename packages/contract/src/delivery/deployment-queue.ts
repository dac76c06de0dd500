import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

export const DeploymentQueue = Type.Object(
  {
    ahead: Type.Array(Id, {
      description:
        'Deployments of the module instance that end or start before it, next first. Empty if it waits only for a worker or a release gate.',
    }),
    waitedMs: Type.Integer({
      minimum: 0,
      description: 'Time since the deployment was accepted, until it started or ended. Milliseconds.',
    }),
  },
  { additionalProperties: false, description: 'Wait of a deployment for its start.' },
)
export type DeploymentQueue = Static<typeof DeploymentQueue>

/** Data that `include` can add to a deployment. */
export const queueIncluded = {
  queue: {
    ...DeploymentQueue,
    description: 'What the deployment waits behind, and how long it waits or waited to start.',
  },
} as const
