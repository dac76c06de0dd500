import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { deploymentStepCodes } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description })

export const PauseForecast = Type.Object(
  {
    hookId: Type.String({ description: 'Pause hook ID from the PAUSED event.' }),
    nextStepCode: Type.Optional(
      Type.Enum(deploymentStepCodes, {
        description: 'Step that starts after the pause. `PAUSED` means that the next pause follows immediately.',
      }),
    ),
    fromPercent: Type.Optional(
      percent(
        'Percentage of production traffic that the new version receives now. Present if continuing shifts traffic.',
      ),
    ),
    toPercent: Type.Optional(
      percent('Percentage of production traffic that the new version receives after continuing.'),
    ),
    expiresAt: Type.Optional(UtcDateTime),
    timeoutAction: Type.Optional(
      Type.Enum(['CONTINUE', 'ROLLBACK'], { description: 'Action taken if no decision is made before the timeout.' }),
    ),
    checksContinueAt: Type.Optional({
      ...UtcDateTime,
      description:
        'Earliest time when checks continue the deployment automatically if all of them pass. Absent if no checks decide the pause.',
    }),
  },
  { ...closed, description: 'Forecast of a pause.' },
)
export type PauseForecast = Static<typeof PauseForecast>

export const DeploymentForecast = Type.Object(
  { pauses: Type.Array(PauseForecast, { description: 'Pending pauses, usually one.' }) },
  { ...closed, description: "Forecast of a deployment's next steps." },
)
export type DeploymentForecast = Static<typeof DeploymentForecast>

/** Data that `include` can add to a deployment. */
export const forecastIncluded = {
  forecast: {
    ...DeploymentForecast,
    description: 'Forecast of the pending pauses: what starts next, and when it starts automatically.',
  },
} as const
