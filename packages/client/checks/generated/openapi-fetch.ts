// What a program does with openapi-fetch and the types that openapi-typescript makes of /openapi.json.
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-fetch/types.js'

type Deployment = components['schemas']['Deployment']
type ModuleInstance = components['schemas']['ModuleInstance']

const { SLUICE_URL: baseUrl = '', SLUICE_TOKEN: token = '' } = process.env
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })

/** What was answered; where it was refused, that is thrown. */
function answered<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const instances: ModuleInstance[] = []
for (let cursor: string | undefined; cursor !== ''; ) {
  const query = { limit: 2, ...(cursor !== undefined && { cursor }) }
  const { data, meta } = answered(await client.GET('/module-instances', { params: { query } }))
  instances.push(...data)
  cursor = meta.nextCursor
}
const worker = instances.find(({ givenId }) => givenId === 'worker')
if (!worker) throw new Error('no instance worker')

const release = async () => {
  const inputs = { image_ref: 'shop/worker:openapi-fetch' }
  const data = { moduleInstanceId: worker.id, description: 'From openapi-fetch', inputs }
  const header = { 'Idempotency-Key': 'check-openapi-fetch' }
  return answered(await client.POST('/deployments', { params: { header }, body: { data } })).data
}
let now: Deployment = await release()
if ((await release()).id !== now.id) throw new Error('the same key began a second release')
while (now.status === 'PENDING' || now.status === 'IN_PROGRESS') {
  await new Promise((resolve) => setTimeout(resolve, 250))
  now = answered(await client.GET('/deployments/{id}', { params: { path: { id: now.id } } })).data
}
if (now.status !== 'SUCCESS') throw new Error(`the release ended as ${now.status}: ${now.error?.message}`)

const { error, response } = await client.GET('/deployments/{id}', { params: { path: { id: 'dep_nowhere' } } })
if (response.status !== 404) throw new Error(`answered ${response.status} instead of a refusal`)
if (error?.code !== 'Sluice:Deployments:NOT_FOUND') throw new Error(`refused with ${error?.code}`)
