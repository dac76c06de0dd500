/**
 * Client for the part of the engine's administration interface that Sluice uses. The engine has no client library for
 * it.
 */

import { ask, type EngineAddress, isOk } from './address.ts'

const answerWithinMs = 5_000

/** Worker address that the engine knows. Running invocations stay bound to the address on which they started. */
export interface EngineDeployment {
  id: string
  uri: string
  services: { name: string }[]
}

export async function listDeployments(admin: EngineAddress): Promise<EngineDeployment[]> {
  const { deployments } = (await askAdmin(admin, '/deployments')) as { deployments: EngineDeployment[] }
  return deployments
}

/** Makes the engine read the worker's handlers again, also for a known address. */
export async function registerDeployment(admin: EngineAddress, uri: string): Promise<void> {
  await askAdmin(admin, '/deployments', 'POST', { uri, force: true })
}

export async function moveDeployment(admin: EngineAddress, id: string, uri: string): Promise<void> {
  await askAdmin(admin, `/deployments/${encodeURIComponent(id)}`, 'PATCH', { uri })
}

export async function clusterName(admin: EngineAddress): Promise<string> {
  const health = (await askAdmin(admin, '/cluster-health')) as { cluster_name: string }
  return health.cluster_name
}

/** Returns the rows that a statement finds in the engine's tables. */
export async function query(admin: EngineAddress, statement: string): Promise<unknown[]> {
  const { rows } = (await askAdmin(admin, '/query', 'POST', { query: statement })) as { rows: unknown[] }
  return rows
}

/** Returns the keys of an object with a waiting or running message, without those for a later time. */
export async function listActiveKeys(
  admin: EngineAddress,
  service: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await query(
    admin,
    `select distinct target_service_key as key from sys_invocation
      where target_service_name = ${literal(service)} and target_service_key in (${keys.map(literal).join(', ')})
      and status in ('pending', 'ready', 'running', 'backing-off', 'suspended')`,
  )
  return new Set(rows.flatMap((row) => (isRecord(row) && typeof row.key === 'string' ? [row.key] : [])))
}

/** Returns an SQL literal, because the engine takes no parameters. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns invocations that started on a removed worker address, and would wait for it without end. */
export async function listStranded(admin: EngineAddress): Promise<string[]> {
  const rows = await query(
    admin,
    `select id from sys_invocation where status <> 'completed' and pinned_deployment_id is not null
      and pinned_deployment_id not in (select id from sys_deployment)`,
  )
  return rows.flatMap((row) => (isRecord(row) && typeof row.id === 'string' ? [row.id] : []))
}

/** Resumes an invocation on the newest worker that serves it. Pauses it first, if it is still trying. */
export async function resumeOnNewest(admin: EngineAddress, invocationId: string): Promise<void> {
  const path = `/invocations/${encodeURIComponent(invocationId)}`
  await askAdmin(admin, `${path}/pause`, 'PATCH').catch(() => {}) // it may be paused already; resuming fails otherwise
  await askAdmin(admin, `${path}/resume?deployment=latest`, 'PATCH')
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Throws if any partition of the engine's data is unavailable, which its health probes do not detect. */
export async function askEveryPartition(admin: EngineAddress): Promise<void> {
  await query(admin, 'select count(*) from sys_keyed_service_status')
}

async function askAdmin(
  admin: EngineAddress,
  path: string,
  method: 'GET' | 'POST' | 'PATCH' = 'GET',
  body?: unknown,
): Promise<unknown> {
  const answer = await ask(admin, path, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    withinMs: answerWithinMs,
  })
  const text = answer.text
  if (!isOk(answer)) throw new Error(`The engine answered ${answer.status} to ${method} ${path}: ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}
