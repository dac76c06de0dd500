import Type from 'typebox'
import { logAreas, logLevels } from '../../log/areas.ts'
import { milliseconds, millisecondsExpected, type Settings, url, urlExpected } from './kinds.ts'

/** Reports whether a text is a time in UTC. */
const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) && !Number.isNaN(Date.parse(text))

/** Settings of the clock, logs, traces and poll intervals. */
export const paceSettings = {
  logLevel: {
    env: 'SLUICE_LOG_LEVEL',
    type: Type.Enum([...logLevels]),
    default: 'info',
    expected: 'debug, info, warn, error or silent',
    description: 'Minimum level of log lines.',
  },
  logLevels: {
    env: 'SLUICE_LOG_LEVELS',
    type: Type.Array(Type.String({ pattern: `^(${logAreas.join('|')})=(${logLevels.join('|')})$` }), { minItems: 1 }),
    expected: `pairs such as cloud=debug, separated by commas, of the areas ${logAreas.join(', ')}`,
    description: 'Log levels for single areas.',
  },
  logRequestsMs: {
    env: 'SLUICE_LOG_REQUESTS_MS',
    type: Type.Integer({ minimum: 0, maximum: 86_400_000 }),
    default: 0,
    expected: 'a whole number of milliseconds from 0 to 86400000',
    description: 'Minimum duration in milliseconds of requests that are logged. 0 logs all.',
  },
  logRequestsEvery: {
    env: 'SLUICE_LOG_REQUESTS_EVERY',
    type: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1,
    expected: 'a whole number from 1 to 1000000',
    description: 'Logs one of this many requests. Failed requests (5xx) are always logged.',
  },
  logFormat: {
    env: 'SLUICE_LOG_FORMAT',
    type: Type.Enum(['pretty', 'json']),
    default: 'pretty',
    expected: 'pretty or json',
    description: '`pretty` for terminals, `json` for log collectors.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: url,
    expected: urlExpected,
    description: 'OTLP/HTTP endpoint for traces, without `/v1/traces`. Without it, tracing is off.',
  },
  otlpHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    isSecret: true,
    type: Type.Array(Type.String({ pattern: '^[\\w-]+=([^\\s%]|%[0-9A-Fa-f]{2})+$' }), { minItems: 1 }),
    expected: 'pairs such as authorization=Bearer%20…, separated by commas',
    description: 'Headers of trace exports. Values are percent-encoded.',
  },
  otlpDelayMs: {
    env: 'OTEL_BSP_SCHEDULE_DELAY',
    type: milliseconds,
    default: 5_000,
    expected: millisecondsExpected,
    description: 'Maximum delay of a batch of spans.',
  },
  traceRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    type: Type.Number({ minimum: 0, maximum: 1 }),
    default: 1,
    expected: 'a number from 0 to 1',
    description: 'Share of traces that are exported. A trace is exported completely or not at all.',
  },
  traceServiceName: {
    env: 'OTEL_SERVICE_NAME',
    type: Type.String({ minLength: 1 }),
    default: 'sluice',
    expected: 'a name',
    description: 'Service name in traces.',
  },
  pollMinMs: {
    env: 'SLUICE_POLL_MIN_MS',
    type: milliseconds,
    default: 1_000,
    expected: millisecondsExpected,
    description: 'Polling interval of a deployment that just changed.',
  },
  pollMaxMs: {
    env: 'SLUICE_POLL_MAX_MS',
    type: milliseconds,
    default: 15_000,
    expected: millisecondsExpected,
    description: 'Polling interval of a deployment that does not change.',
  },
  pausedPollMaxMs: {
    env: 'SLUICE_PAUSED_POLL_MAX_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description:
      'Polling interval of a deployment that waits for a user. Twelve times as long if a cloud event reported the pause, and longer if an organization would poll more than 12 times per second.',
  },
  outsidePollMs: {
    env: 'SLUICE_OUTSIDE_POLL_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description: 'Maximum interval between searches of a cloud account for external deployments.',
  },
  clockSpeed: {
    env: 'SLUICE_CLOCK_SPEED',
    type: Type.Number({ minimum: 1, maximum: 100_000 }),
    default: 1,
    expected: 'a number from 1 to 100000',
    description:
      'For tests and rehearsals only: factor by which the clock of the service runs faster, so that pauses, soak times and expiry end sooner. Polling and connections use real time. Requires SLUICE_CLOCK_EPOCH and SLUICE_CLOUD_ENDPOINT.',
  },
  clockEpoch: {
    env: 'SLUICE_CLOCK_EPOCH',
    type: Type.Refine(Type.String(), isMoment),
    expected: 'a time such as 2026-01-31T12:00:00Z',
    description:
      'Time at which the clock started to run at SLUICE_CLOCK_SPEED, the same in every process and after a restart.',
  },
} as const satisfies Settings
