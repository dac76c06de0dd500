import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { MetricPoints, MetricUnitShown } from './module-instance-metric.ts'

const closed = { additionalProperties: false } as const

export const DeploymentMetric = Type.Object(
  {
    id: Type.String({ description: '`requests`, `errors`, `latency`, or `check-` and the name of a check.' }),
    name: Type.String({ description: 'What to call it.' }),
    unit: MetricUnitShown,
    atLeast: Type.Optional(Type.Number({ description: 'Less than this is bad, says the check that measures it.' })),
    atMost: Type.Optional(Type.Number({ description: 'More than this is bad, says the check that measures it.' })),
    old: Type.Optional({ ...MetricPoints, description: 'Of the version that ran before; absent where there is none.' }),
    new: Type.Optional({ ...MetricPoints, description: 'Of the version that is released.' }),
    both: Type.Optional({ ...MetricPoints, description: 'Of what is not measured of each version by itself.' }),
  },
  { ...closed, description: 'A metric of both versions over time.' },
)
export type DeploymentMetric = Static<typeof DeploymentMetric>

export const DeploymentMetrics = Type.Object(
  {
    data: Type.Array(DeploymentMetric),
    meta: Type.Object(
      {
        startTime: UtcDateTime,
        endTime: UtcDateTime,
        periodSeconds: Type.Integer({
          description: 'How far apart the points are; those of a check, at least its own period.',
        }),
        error: Type.Optional(UserFacingError),
      },
      { ...closed, description: 'What was asked of the cloud; with an error where it does not show the metrics.' },
    ),
  },
  {
    ...closed,
    description:
      'What the cloud measures of the old and the new version; nothing where it does not tell them apart, as in a rolling release.',
  },
)
export type DeploymentMetrics = Static<typeof DeploymentMetrics>
