import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** Units of metric values. */
export const metricUnits = ['PERCENT', 'SECONDS', 'MILLISECONDS', 'COUNT', 'BYTES'] as const
export type MetricUnit = (typeof metricUnits)[number]
export const MetricUnit = Type.Optional(
  Type.Enum(metricUnits, { description: 'Unit of the values. Absent if unknown.' }),
)

export const MetricPoints = Type.Array(
  Type.Object(
    {
      timestamp: UtcDateTime,
      value: Type.Number({ description: 'Statistic over the samples in the period that starts at this time.' }),
    },
    { ...closed, description: 'Data point of a metric.' },
  ),
  { description: 'Data points, oldest first. Periods without samples have no data point.' },
)
export type MetricPoints = Static<typeof MetricPoints>

export const ModuleInstanceMetric = Type.Object(
  {
    id: Type.String({ description: 'ID of the metric in `ui` of the module instance.' }),
    name: Type.String({ description: 'Display name.' }),
    type: Type.Literal('line', { description: 'Chart type.' }),
    unit: MetricUnit,
    points: MetricPoints,
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Time series of a metric. Contains an error if the cloud does not return it.' },
)
export type ModuleInstanceMetric = Static<typeof ModuleInstanceMetric>

export const ModuleInstanceMetrics = Type.Object(
  {
    data: Type.Array(ModuleInstanceMetric),
    meta: Type.Object(
      {
        startTime: UtcDateTime,
        endTime: UtcDateTime,
        periodSeconds: Type.Integer({ description: 'Interval between data points in seconds.' }),
      },
      { ...closed, description: 'Parameters of the query, including defaults.' },
    ),
  },
  { ...closed, description: 'Metrics of a module instance, in the order of its `ui`.' },
)
export type ModuleInstanceMetrics = Static<typeof ModuleInstanceMetrics>
