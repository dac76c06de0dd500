import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** What a value of a metric is in. */
export const metricUnits = ['PERCENT', 'SECONDS', 'MILLISECONDS', 'COUNT', 'BYTES'] as const
export type MetricUnit = (typeof metricUnits)[number]
export const MetricUnitShown = Type.Optional(
  Type.Enum(metricUnits, { description: 'What its values are in; absent where that is not known.' }),
)

export const MetricPoints = Type.Array(
  Type.Object(
    {
      timestamp: UtcDateTime,
      value: Type.Number({ description: 'The statistic of the samples of the period that begins then.' }),
    },
    { ...closed, description: 'One period of a metric.' },
  ),
  { description: 'Oldest first; periods without samples have none.' },
)
export type MetricPoints = Static<typeof MetricPoints>

export const ModuleInstanceMetric = Type.Object(
  {
    id: Type.String({ description: 'As in the `ui` of the instance.' }),
    name: Type.String({ description: 'What to call it.' }),
    type: Type.Literal('line', { description: 'Kind of chart.' }),
    unit: MetricUnitShown,
    points: MetricPoints,
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'A metric over time; `error` says why the cloud does not show it.' },
)
export type ModuleInstanceMetric = Static<typeof ModuleInstanceMetric>

export const ModuleInstanceMetrics = Type.Object(
  {
    data: Type.Array(ModuleInstanceMetric),
    meta: Type.Object(
      {
        startTime: UtcDateTime,
        endTime: UtcDateTime,
        periodSeconds: Type.Integer({ description: 'How far apart the points are.' }),
      },
      { ...closed, description: 'What was asked of the cloud, with what the request left open.' },
    ),
  },
  { ...closed, description: 'Metrics of an instance, in the order of its `ui`.' },
)
export type ModuleInstanceMetrics = Static<typeof ModuleInstanceMetrics>
