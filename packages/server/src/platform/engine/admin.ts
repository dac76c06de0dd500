/** The engine's administration interface, as much of it as we use. It has no client library. */

/** One attempt must not hang on a server that accepts and never answers. */
const answerWithinMs = 5_000

/** A worker address known to the engine; invocations in flight stay bound to the one they began on. */
export interface EngineDeployment {
  id: string
  uri: string
}

export async function listDeployments(adminUrl: string): Promise<EngineDeployment[]> {
  const { deployments } = (await ask(`${adminUrl}/deployments`)) as { deployments: EngineDeployment[] }
  return deployments
}

/** Makes the engine read the worker's handlers anew, also where it knows the address already. */
export async function registerDeployment(adminUrl: string, uri: string): Promise<void> {
  await ask(`${adminUrl}/deployments`, 'POST', { uri, force: true })
}

export async function moveDeployment(adminUrl: string, id: string, uri: string): Promise<void> {
  await ask(`${adminUrl}/deployments/${encodeURIComponent(id)}`, 'PATCH', { uri })
}

export async function clusterName(adminUrl: string): Promise<string> {
  const health = (await ask(`${adminUrl}/cluster-health`)) as { cluster_name: string }
  return health.cluster_name
}

/** Throws while any partition of the engine's data is not served: its health probes do not look that far. */
export async function askEveryPartition(adminUrl: string): Promise<void> {
  await ask(`${adminUrl}/query`, 'POST', { query: 'select count(*) from sys_keyed_service_status' })
}

async function ask(url: string, method = 'GET', body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(answerWithinMs),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The engine answered ${response.status} to ${method} ${url}: ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}
