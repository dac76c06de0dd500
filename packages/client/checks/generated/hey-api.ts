// What a program does with the client that @hey-api/openapi-ts makes of /openapi.json.
import { client } from './hey-api/client.gen.js'
import { createDeployment, getDeployment, listModuleInstances } from './hey-api/sdk.gen.js'
import type { Deployment, ModuleInstance } from './hey-api/types.gen.js'

const { SLUICE_URL: baseUrl = '', SLUICE_TOKEN: auth = '' } = process.env
client.setConfig({ baseUrl, auth })

const instances: ModuleInstance[] = []
for (let cursor: string | undefined; cursor !== ''; ) {
  const query = { limit: 2, ...(cursor !== undefined && { cursor }) }
  const { data, meta } = (await listModuleInstances({ query, throwOnError: true })).data
  instances.push(...data)
  cursor = meta.nextCursor
}
const worker = instances.find(({ givenId }) => givenId === 'worker')
if (!worker) throw new Error('no instance worker')

const release = () =>
  createDeployment({
    headers: { 'Idempotency-Key': 'check-hey-api' },
    body: {
      data: { moduleInstanceId: worker.id, description: 'From hey-api', inputs: { image_ref: 'shop/worker:hey-api' } },
    },
    throwOnError: true,
  })
let now: Deployment = (await release()).data.data
if ((await release()).data.data.id !== now.id) throw new Error('the same key began a second release')
while (now.status === 'PENDING' || now.status === 'IN_PROGRESS') {
  await new Promise((resolve) => setTimeout(resolve, 250))
  now = (await getDeployment({ path: { id: now.id }, throwOnError: true })).data.data
}
if (now.status !== 'SUCCESS') throw new Error(`the release ended as ${now.status}: ${now.error?.message}`)

const { error, response } = await getDeployment({ path: { id: 'dep_nowhere' } })
if (response?.status !== 404) throw new Error(`answered ${response?.status} instead of a refusal`)
if (error?.code !== 'Sluice:Deployments:NOT_FOUND') throw new Error(`refused with ${error?.code}`)
