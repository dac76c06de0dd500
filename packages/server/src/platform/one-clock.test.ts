import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const server = fileURLToPath(new URL('../..', import.meta.url))

/** Files that use real time, by reason. All other files must use the clock of the service. */
const realTime: Record<string, string[]> = {
  'the clock itself, and what it drives': [
    'platform/clock.ts',
    'platform/engine/timers.ts', // converted by `realMs`
    'platform/engine/wake-ups.ts', // converted too, except for the drain before a stop
  ],
  'a time-out of a request, a connection or a process, or a drain before a stop': [
    'cloud/adapter/prompt-agents.ts',
    'delivery/deployment-checks/facts.ts',
    'delivery/rehearsals/program.ts',
    'interface/changes/socket.ts',
    'notifications/slack-presses/routes.ts',
    'pipelines/runner/claims.ts',
    'pipelines/runner/ready.ts',
    'platform/db/migrations/migrate-beside.ts',
    'platform/db/connections/turns.ts',
    'platform/db/vanished.ts',
    'platform/engine/address.ts',
    'platform/engine/embedded.ts',
    'platform/engine/server-process.ts',
    'platform/engine/worker.ts',
    'platform/http/connections/drain.ts',
    'platform/http/connections/streams.ts',
    'platform/limits/limits.ts',
    'platform/traces/otlp.ts',
  ],
  'how often this process asks, or starts something again': [
    'cloud/adapter/retry-transient.ts',
    'cloud/adapter/ecs/observations.ts',
    'cloud/observations/clocks.ts',
    'delivery/cloud-monitor/routes.ts',
    'delivery/cloud-monitor/tail.ts',
    'delivery/infrastructure-events/poll.ts',
    'delivery/infrastructure-events/batching.ts',
    'delivery/rehearsals/run.ts',
    'git/githostb-connections/tokens.ts',
    'interface/changes/feed.ts',
    'interface/metrics/installation.ts',
    'pipelines/runner/embedded.ts',
    'pipelines/step-logs/events.ts',
    'platform/auth/rights-watch.ts',
    'platform/clock-watch.ts',
    'platform/db/forgetting.ts',
    'platform/log/log.ts',
    'platform/log/sampling.ts', // minute in which lines are counted
    'platform/rounds.ts',
  ],
  'how old a row is that this process acts on': [
    'delivery/deployments/execution/handlers.ts',
    'delivery/deployments/execution/poll.ts',
    'delivery/deployments/execution/outcome.ts',
    'delivery/deployments/execution/recent-reads.ts',
  ],
  'a measurement, or a time in the log': [
    'cloud/adapter/observe.ts',
    'cloud/adapter/one-attempt.ts',
    'platform/db/connections/connection-turns.ts',
    'platform/http/handle.ts', // queueing delays on real machines
  ],
  'credentials that the cloud dates': ['cloud/adapter/access.ts'],
  'a timestamp that nothing is compared with': ['infrastructure/iac-resources/record.ts'],
}

/** Files whose SQL uses the time of the database, by reason. Setting `updated_at` is always allowed. */
const databaseTime: Record<string, string[]> = {
  'a timestamp that nothing is compared with the clock by': [
    'cloud/certificates/store.ts',
    'cloud/cloud-accounts/connections.ts',
    'cloud/event-queues/store.ts',
    'identity/api-keys/store.ts',
    'identity/audit-events/record.ts',
    'identity/sign-in-domains/store.ts',
    'interface/applied-files/store.ts',
  ],
  'both sides of the comparison are of the database': [
    'identity/audit-events/store.ts',
    'interface/changes/store.ts',
    'notifications/notification-channels/store.ts',
  ],
  "what is measured is the database's clock": ['platform/db/clock-offset.ts'],
}

const sources = globSync('src/**/*.ts', { cwd: server })
  .filter((path) => !/\.(test|fixture)\.ts$|\/testing\/|\/fakes\//.test(path))
  .map((path) => ({ name: path.slice('src/'.length), code: readFileSync(join(server, path), 'utf8') }))

const withoutComments = (code: string) => code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*/g, '')

const filesWith = (pattern: RegExp, allowed = /(?!)/g) =>
  sources.filter(({ code }) => pattern.test(withoutComments(code).replace(allowed, ''))).map(({ name }) => name)

test('only code for machines, not for releases, uses real time', () => {
  const found = filesWith(/\b(setTimeout|setInterval|Date\.now|performance\.now)\b|new Date\(\)/)
  expect(found.toSorted()).toEqual(Object.values(realTime).flat().toSorted())
})

test('SQL compares deadlines with the time of the clock, not with now()', () => {
  const asksDatabase = /sql`[^`]*\b(now|clock_timestamp)\(\)|\bfrom now\(\)|now\(\) [-+] (interval|make_interval)/
  const found = filesWith(asksDatabase, /updatedAt: sql`now\(\)`/g)
  expect(found.toSorted()).toEqual(Object.values(databaseTime).flat().toSorted())
})

/**
 * Lines of triggers that use the time of the database, the only clock they have; it also dates the audit log. A wake-up
 * at `now()` is due at once on every clock. Archive objects are removed ten minutes of real time later, because they
 * may still be written.
 */
const triggerTimes = [
  "IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' AND OLD.created_at < now() - interval '30 days' THEN",
  "SELECT FROM audit_events WHERE id = OLD.audit_event_id AND created_at >= now() - interval '30 days')",
  'UPDATE git_releases SET wake_at = now() WHERE id = NEW.id AND wake_at IS NULL AND failure IS NULL;',
  "INSERT INTO archive_removals (object_key, due_at) VALUES (OLD.object_key, now() + interval '10 minutes')",
]

test('triggers set only times that are valid on every clock', () => {
  const schema = readFileSync(join(server, 'migrations/schema.sql'), 'utf8').replaceAll(/DEFAULT now\(\)/g, '')
  const found = schema.split('\n').filter((line) => /\bnow\(\)|clock_timestamp|current_timestamp/i.test(line))
  expect(found.map((line) => line.trim()).toSorted()).toEqual(triggerTimes.toSorted())
})
