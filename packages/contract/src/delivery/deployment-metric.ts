import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { MetricPoints, MetricUnit } from './module-instance-metric.ts'

const closed = { additionalProperties: false } as const

export const DeploymentMetric = Type.Object(
  {
    id: Type.String({ description: '`requests`, `errors`, `latency`, or `check-` followed by the name of a check.' }),
    name: Type.String({ description: 'Display name.' }),
    unit: MetricUnit,
    minimum: Type.Optional(
      Type.Number({ description: 'Minimum acceptable value, from the check that measures the metric.' }),
    ),
    maximum: Type.Optional(
      Type.Number({ description: 'Maximum acceptable value, from the check that measures the metric.' }),
    ),
    old: Type.Optional({
      ...MetricPoints,
      description: 'Data points of the previous version. Absent if there is none.',
    }),
    new: Type.Optional({ ...MetricPoints, description: 'Data points of the new version.' }),
    both: Type.Optional({
      ...MetricPoints,
      description: 'Data points of both versions together, for metrics that are not measured per version.',
    }),
  },
  { ...closed, description: 'Time series of a metric for both versions.' },
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
          description:
            "Interval between data points in seconds. For the metric of a check, at least the check's own period.",
        }),
        error: Type.Optional(UserFacingError),
      },
      {
        ...closed,
        description: 'Parameters of the query. Contains an error if the cloud does not return the metrics.',
      },
    ),
  },
  {
    ...closed,
    description:
      'Metrics of the old and the new version. Empty if the cloud does not distinguish the versions, as in a rolling deployment.',
  },
)
export type DeploymentMetrics = Static<typeof DeploymentMetrics>
