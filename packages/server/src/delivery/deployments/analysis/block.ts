import { type Static, type TSchema, Type } from 'typebox'
import { present } from '../../../platform/present.ts'
import { usualNoDataAfterSeconds } from './periods.ts'
import { type AnalysisSpec, type Check, noDataRules } from './spec.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1, maxLength: 2_000 })
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const Metric = Type.Object(
  {
    namespace: Text,
    name: Text,
    statistic: Type.String({ pattern: '^(Average|Sum|Minimum|Maximum|SampleCount|p[0-9]{1,2}([.][0-9]{1,2})?)$' }),
    dimensions: orNull(Type.Record(Type.String(), Type.String())),
    // What the cloud keeps of a metric is never finer than a minute.
    period: orNull(Type.Integer({ minimum: 60, maximum: 86_400, multipleOf: 60 })),
  },
  closed,
)
const Http = Type.Object(
  {
    url: Type.Optional(Text),
    headers: orNull(Type.Record(Type.String(), Type.String())),
    status: orNull(Type.Integer({ minimum: 100, maximum: 599 })),
  },
  closed,
)

/** The `analysis` part of a deploy block, rendered. */
export const AnalysisBlock = Type.Object(
  {
    interval: orNull(Type.Integer({ minimum: 1, maximum: 3_600 })),
    count: orNull(Type.Integer({ minimum: 1, maximum: 1_000 })),
    failure_limit: orNull(Type.Integer({ minimum: 0, maximum: 1_000 })),
    inconclusive_limit: orNull(Type.Integer({ minimum: 0, maximum: 1_000 })),
    checks: Type.Array(
      Type.Object(
        {
          name: Text,
          metric: orNull(Metric),
          at_least: orNull(Type.Number()),
          at_most: orNull(Type.Number()),
          no_data: orNull(Type.Enum(noDataRules)),
          no_data_after: orNull(Type.Integer({ minimum: 0, maximum: 3_600 })),
          http: orNull(Http),
        },
        closed,
      ),
      // Each is a request per interval.
      { minItems: 1, maxItems: 20 },
    ),
  },
  closed,
)
export type AnalysisBlock = Static<typeof AnalysisBlock>
type CheckBlock = AnalysisBlock['checks'][number]

/** What the shape cannot say, each with its path. */
export function faultsOfAnalysis({ checks }: AnalysisBlock): string[] {
  const names = checks.map(({ name }) => name)
  return checks.flatMap(({ name, metric, http, at_least, at_most, no_data, no_data_after }, index) => {
    const path = `deploy.analysis.checks[${index}]`
    const bounds = [at_least, at_most].filter((bound) => bound != null)
    const wrong: [isWrong: boolean, fault: string][] = [
      [names.indexOf(name) !== index, `${path}.name must be other than those before it`],
      [(metric == null) === (http == null), `${path} must have either metric or http`],
      [metric != null && bounds.length === 0, `${path} must have at_least or at_most`],
      [
        http != null && http.url === undefined,
        `${path}.http.url is needed: a release has no address of its own that could be asked`,
      ],
      [metric == null && bounds.length > 0, `${path}: at_least and at_most are of metrics`],
      [metric == null && (no_data ?? no_data_after) != null, `${path}: no_data and no_data_after are of metrics`],
      [at_least != null && at_most != null && at_least > at_most, `${path}.at_least must not be above at_most`],
    ]
    return wrong.flatMap(([isWrong, fault]) => (isWrong ? [fault] : []))
  })
}

/** With the defaults where the author says nothing. */
export const analysisOf = (block: AnalysisBlock): AnalysisSpec => ({
  intervalSeconds: block.interval ?? 60,
  count: block.count ?? 3,
  failureLimit: block.failure_limit ?? 0,
  inconclusiveLimit: block.inconclusive_limit ?? 3,
  checks: block.checks.map(checkOf),
})

function checkOf({ name, metric, http, at_least, at_most, no_data, no_data_after }: CheckBlock): Check {
  if (http?.url) return { name, http: { url: http.url, headers: http.headers ?? {}, status: http.status ?? 200 } }
  if (!metric) throw new Error(`the check ${name} measures nothing`)
  const { namespace, statistic } = metric
  const source = { namespace, name: metric.name, statistic, dimensions: metric.dimensions ?? {} }
  const periodSeconds = metric.period ?? 60
  return present({
    name,
    metric: { ...source, periodSeconds },
    atLeast: at_least ?? undefined,
    atMost: at_most ?? undefined,
    noData: no_data ?? 'wait',
    noDataAfterSeconds: no_data_after ?? usualNoDataAfterSeconds,
  })
}
