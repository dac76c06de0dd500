import { type Static, Type } from 'typebox'
import { closed, type Rule, withDefault } from './description.ts'

const Text = Type.String({ minLength: 1, maxLength: 2_000 })
const texts = (description: string) => withDefault(Type.Record(Type.String(), Type.String(), { description }), {})

const Metric = Type.Object(
  {
    namespace: Text,
    name: Text,
    statistic: Type.String({
      pattern: '^(Average|Sum|Minimum|Maximum|SampleCount|p[0-9]{1,2}([.][0-9]{1,2})?)$',
      examples: ['p99'],
    }),
    dimensions: texts('Dimensions, keyed by name. {version} is replaced by the function version that is released.'),
    period: withDefault(
      // The cloud stores metrics with a resolution of one minute or coarser.
      Type.Integer({ minimum: 60, maximum: 86_400, multipleOf: 60, description: 'Period of a data point in seconds.' }),
      60,
    ),
  },
  { ...closed, description: 'Metric in the cloud account of the deployment.' },
)

const Http = Type.Object(
  {
    url: Type.Optional(Text),
    headers: texts('Request headers, keyed by name.'),
    status: withDefault(Type.Integer({ minimum: 100, maximum: 599, description: 'Expected HTTP status.' }), 200),
  },
  { ...closed, description: 'HTTP request that must succeed.' },
)

/**
 * Meaning of missing metric data: a failed measurement, a successful one, or an inconclusive one. Inconclusive
 * measurements leave the pause to a user.
 */
export const noDataRules = ['fail', 'continue', 'wait'] as const
export type NoData = (typeof noDataRules)[number]

const Check = Type.Object(
  {
    name: Text,
    metric: Type.Optional(Metric),
    at_least: Type.Optional(Type.Number({ description: 'Minimum acceptable value.' })),
    at_most: Type.Optional(Type.Number({ description: 'Maximum acceptable value.' })),
    no_data: Type.Optional(
      Type.Enum([...noDataRules], { description: 'Meaning of missing data after `no_data_after`. Defaults to wait.' }),
    ),
    no_data_after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_600,
        description: 'Seconds by which a data point of the metric can be late.',
      }),
    ),
    http: Type.Optional(Http),
  },
  closed,
)

const count = (minimum: number, description: string) => Type.Integer({ minimum, maximum: 1_000, description })

/** The `analysis` part of a deploy block. */
export const AnalysisBlock = Type.Object(
  {
    interval: withDefault(
      Type.Integer({ minimum: 1, maximum: 3_600, description: 'Seconds between two measurements.' }),
      60,
    ),
    count: withDefault(count(1, 'Number of successful measurements of every check after which a pause continues.'), 3),
    failure_limit: withDefault(count(0, 'Number of failed measurements that are tolerated per check.'), 0),
    inconclusive_limit: withDefault(count(0, 'Number of inconclusive measurements that are tolerated per check.'), 3),
    // Each check makes one request per interval.
    checks: Type.Array(Check, { minItems: 1, maxItems: 20 }),
  },
  { ...closed, description: 'Checks during pauses and bake times, and their success conditions.' },
)
export type AnalysisBlock = Static<typeof AnalysisBlock>

type CheckBlock = AnalysisBlock['checks'][number]

const checkRule =
  (isWrong: (check: CheckBlock, index: number, all: CheckBlock[]) => boolean, below: string, must: string) =>
  ({ analysis }: { analysis?: AnalysisBlock }) =>
    (analysis?.checks ?? []).flatMap((check, index, all) =>
      isWrong(check, index, all) ? [{ path: `.analysis.checks[${index}]${below}`, must }] : [],
    )

const has = <T>(value: T | undefined): value is T => value !== undefined

export const analysisRules: readonly Rule<{ analysis?: AnalysisBlock }>[] = [
  checkRule(({ name }, index, all) => all.findIndex((one) => one.name === name) !== index, '.name', 'must be unique'),
  checkRule(({ metric, http }) => has(metric) === has(http), '', 'must have either metric or http'),
  checkRule(
    ({ metric, at_least, at_most }) => has(metric) && !has(at_least) && !has(at_most),
    '',
    'must have at_least or at_most',
  ),
  checkRule(
    ({ http }) => has(http) && !has(http.url),
    '.http.url',
    'is required: a release has no address of its own to send the request to',
  ),
  checkRule(
    ({ metric, at_least, at_most }) => !has(metric) && (has(at_least) || has(at_most)),
    '',
    'must have neither at_least nor at_most: they apply to metrics only',
  ),
  checkRule(
    ({ metric, no_data, no_data_after }) => !has(metric) && (has(no_data) || has(no_data_after)),
    '',
    'must have neither no_data nor no_data_after: they apply to metrics only',
  ),
  checkRule(
    ({ at_least, at_most }) => has(at_least) && has(at_most) && at_least > at_most,
    '.at_least',
    'must not be greater than at_most',
  ),
]
