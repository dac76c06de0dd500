import { requestClasses } from '@sluice/contract'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Histogram buckets in seconds, from a read of one row to a call that times out. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10]

/** Histogram buckets in seconds, from an event that is processed at once to one that waited in a queue. */
const eventBuckets = [1, 5, 20, 60, 300, 1800]

/**
 * Interval in milliseconds of event loop lag measurements. At prom-client's default of 10 ms, they take a third of the
 * processor time of an idle service.
 */
const eventLoopMs = 50

/** Prometheus metrics of a process. docs/reference/monitoring.md lists all of them. */
export type Metrics = ReturnType<typeof createMetrics>

/** Results of admission control: admitted, or rejected because of the queue of the organization or the service. */
export const admissionResults = ['admitted', 'organization', 'service'] as const

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopMs })
  const registers = [registry]
  const metrics = {
    registry,
    requests: new Histogram({
      name: 'sluice_http_request_duration_seconds',
      help: 'Requests by route and status; streams until they end are left out.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets,
      registers,
    }),
    admissions: new Counter({
      name: 'sluice_admission_requests_total',
      help: 'Requests by their class and whether they were admitted, or whose queue was too long: that of the organization or of the service.',
      labelNames: ['class', 'result'] as const,
      registers,
    }),
    queueingDelays: new Histogram({
      name: 'sluice_queueing_delay_seconds',
      help: 'How long requests waited for connections of the database, and accepted deployments for a worker.',
      labelNames: ['class', 'queue'] as const,
      buckets,
      registers,
    }),
    messages: new Histogram({
      name: 'sluice_engine_message_duration_seconds',
      help: 'Messages handed to the engine, by the object that they are for and whether it took them.',
      labelNames: ['object', 'result'] as const,
      buckets,
      registers,
    }),
    cloudCalls: new Histogram({
      name: 'sluice_cloud_call_duration_seconds',
      help: "Calls of cloud accounts, by the cloud's name of the operation: ok, refused, throttled or unavailable.",
      labelNames: ['service', 'operation', 'result'] as const,
      buckets,
      registers,
    }),
    cloudEvents: new Histogram({
      name: 'sluice_cloud_event_delay_seconds',
      help: 'Events received from cloud accounts, by delay since they happened; duplicates are counted as repeated.',
      labelNames: ['result'] as const,
      buckets: eventBuckets,
      registers,
    }),
    signIns: new Counter({
      name: 'sluice_sign_ins_total',
      help: 'Attempts to sign in, by password or at an identity provider.',
      labelNames: ['way', 'result'] as const,
      registers,
    }),
    sentAgain: new Counter({
      name: 'sluice_wakeups_sent_again_total',
      help: 'Overdue messages that the reconciler sent again, by their object.',
      labelNames: ['object'] as const,
      registers,
    }),
    archiveCalls: new Counter({
      name: 'sluice_archive_calls_total',
      help: 'Operations on the archive: put, get or remove, by whether they succeeded.',
      labelNames: ['operation', 'result'] as const,
      registers,
    }),
    certificates: new Gauge({
      name: 'sluice_certificate_expiry_timestamp_seconds',
      help: 'When the certificate at the address in a setting expires; +Inf where there is none to see.',
      labelNames: ['setting'] as const,
      registers,
    }),
    clockOffset: new Gauge({
      name: 'sluice_clock_offset_seconds',
      help: "How far the clock of this process is ahead of the database's, measured once a minute.",
      registers,
    }),
    statements: new Counter({
      name: 'sluice_database_statements_total',
      help: 'Statements that this process sent to a PostgreSQL server.',
      registers,
    }),
  }
  // Series of rare events start at 0, because alert rules cannot evaluate a series that does not exist yet.
  for (const way of ['password', 'identity_provider']) {
    for (const result of ['ok', 'refused']) metrics.signIns.inc({ way, result }, 0)
  }
  for (const requestClass of requestClasses) {
    for (const result of admissionResults) metrics.admissions.inc({ class: requestClass, result }, 0)
    metrics.queueingDelays.zero({ class: requestClass, queue: 'connections' })
  }
  metrics.queueingDelays.zero({ class: 'work', queue: 'starts' })
  for (const result of ['new', 'repeated']) metrics.cloudEvents.zero({ result })
  for (const operation of ['put', 'get', 'remove']) {
    for (const result of ['ok', 'failed']) metrics.archiveCalls.inc({ operation, result }, 0)
  }
  metrics.sentAgain.inc({ object: 'deployment' }, 0)
  metrics.certificates.set({ setting: 'SLUICE_PUBLIC_URL' }, Number.POSITIVE_INFINITY)
  return metrics
}
