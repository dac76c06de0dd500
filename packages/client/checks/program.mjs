import { ApiError, createClient, followChanges, rowsOf, waitForDeployment } from '@sluice/client'

/**
 * What a program does with the packed client, on whatever runs it: reads a list in pages, releases, hears of it, waits,
 * is refused, stops. Throws where anything is not as promised. `name` keeps apart what several runtimes do to one
 * service.
 * @param {{ baseUrl: string, token: string }} service
 * @param {string} name
 */
export async function tryOut(service, name) {
  const client = createClient({ ...service, userAgent: `check/${name}` })

  const { meta } = await client.listModuleInstances({ query: { limit: 1 } })
  const instances = []
  for await (const row of rowsOf(client, 'listModuleInstances', { query: { limit: 2 } })) instances.push(row)
  const ids = new Set(instances.map(({ id }) => id))
  if (meta.totalCount < 3 || ids.size !== meta.totalCount)
    throw new Error(`${ids.size} of ${meta.totalCount} instances`)
  const worker = instances.find(({ givenId }) => givenId === 'worker')
  if (!worker) throw new Error('no instance worker')

  const stop = new AbortController()
  const heard = changesOf(service, stop)
  await heard.next() // `reset`: from here on everything is told

  const inputs = { image_ref: `registry.example/shop/worker:${name}` }
  const release = () =>
    client.createDeployment(
      { body: { data: { moduleInstanceId: worker.id, description: `From ${name}`, inputs } } },
      { idempotencyKey: `check-${name}` },
    )
  const { data: started } = await release()
  const again = (await release()).data.id
  if (again !== started.id) throw new Error(`the same key began a second release, ${again}`)

  for await (const { changes } of heard) if (changes.some(({ id }) => id === started.id)) break

  const over = await waitForDeployment(client, started.id, { timeoutMs: 120_000, everyMs: 250 })
  if (over.status !== 'SUCCESS') throw new Error(`the release ended as ${over.status}: ${over.error?.message}`)

  const refusal = await client.getDeployment({ params: { id: 'dep_nowhere' } }).catch((error) => error)
  if (!(refusal instanceof ApiError) || refusal.status !== 404) throw new Error(`not refused as expected: ${refusal}`)
  if (refusal.error.code !== 'Sluice:Deployments:NOT_FOUND') throw new Error(`refused with ${refusal.error.code}`)

  const listening = changesOf(service, stop)
  await listening.next()
  const next = listening.next()
  stop.abort()
  const end = await next.then(
    () => 'a further event',
    (error) => error.name,
  )
  if (end !== 'AbortError') throw new Error(`stopping ended with ${end}`)
}

/**
 * @param {{ baseUrl: string, token: string }} service
 * @param {AbortController} stop
 */
const changesOf = (service, { signal }) => followChanges(service, { signal })
