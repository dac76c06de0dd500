import type { DefaultNetwork, ProjectDocumentOf } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { accessOf, environmentIdOf, idOf, named, projectIdOf, renamed } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { Applied, ApplyContext, Kind, Reader } from '../kind.ts'
import { toCloudAccount, toEnvironments } from '../naming.ts'
import { addRecord, all, nameOf, titled } from '../reading.ts'

export const environment: Kind<'Environment'> = {
  identity: ['name'],
  references: ({ network }) => toCloudAccount(network?.cloudAccount, '$.network.cloudAccount'),
  async read(reader, projectId) {
    const { client, environments } = reader
    for (const one of await all((page) => client.listEnvironments({ query: { projectId, ...page } }))) {
      const { id, givenId, restricted, visibility } = one
      if (!environments.has(id)) continue
      const { afterRollback, mode } = (await client.getHoldRule({ params: { id } })).data
      const holdAfterRollback = afterRollback && mode === 'WARN' ? mode : afterRollback
      const network = networkIn(reader, (await client.getEnvironmentNetwork({ params: { id } })).data.default)
      const rules = { restricted, visibility, holdAfterRollback, ...present({ network }) }
      addRecord(reader, id, { kind: 'Environment', name: givenId, ...titled(one), ...rules })
    }
  },
  async create(document, context) {
    const { client, once } = context
    const data = {
      projectId: projectIdOf(context),
      givenId: document.name,
      ...named(document),
      ...accessOf(document),
    }
    const { id } = (await client.createEnvironment({ body: { data } }, once('environment'))).data
    await setHoldRule(id, document, context)
    await setNetwork(id, document, context)
    return { id }
  },
  async update(id, document, fields, context) {
    const data = { ...renamed(document), ...accessOf(document) }
    const changesEnvironment = [...fields].some((field) => field !== 'holdAfterRollback' && field !== 'network')
    if (changesEnvironment) await context.client.updateEnvironment({ params: { id }, body: { data } })
    if (fields.has('holdAfterRollback')) await setHoldRule(id, document, context)
    if (fields.has('network')) await setNetwork(id, document, context)
  },
  remove: (id, { client }) => client.deleteEnvironment({ params: { id } }),
}

export const environmentOrder: Kind<'EnvironmentOrder'> = {
  identity: [],
  references: ({ environments }) => toEnvironments(environments),
  /** A document may leave out the last environments. */
  comparable: (existing, document) => ({
    environments: existing.environments.slice(0, document.environments.length),
  }),
  async read(reader, projectId) {
    const { order } = (await reader.client.getEnvironmentOrder({ params: { id: projectId } })).data
    const environments = order.flatMap((id) => reader.environments.get(id) ?? [])
    if (environments.length > 0) addRecord(reader, projectId, { kind: 'EnvironmentOrder', environments })
  },
  create: (document, context) => setOrder(document, context),
  update: (_, document, __, context) => setOrder(document, context),
}

async function setOrder(
  { environments }: ProjectDocumentOf<'EnvironmentOrder'>,
  context: ApplyContext,
): Promise<Applied> {
  const id = projectIdOf(context)
  const order = environments.map((name) => environmentIdOf(context, name))
  await context.client.updateEnvironmentOrder({ params: { id }, body: { data: { order } } })
  return { id }
}

/** A deleted account keeps its id, which no file can name, so that its network does not count as the default. */
function networkIn(reader: Reader, network: DefaultNetwork | undefined) {
  if (!network) return undefined
  const { cloudAccountId, ...others } = network
  return { cloudAccount: nameOf(reader, 'CloudAccount', cloudAccountId) ?? cloudAccountId, ...others }
}

async function setHoldRule(
  id: string,
  { holdAfterRollback }: ProjectDocumentOf<'Environment'>,
  { client }: ApplyContext,
) {
  if (holdAfterRollback === undefined) return
  const mode = holdAfterRollback === 'WARN' ? 'WARN' : 'ENFORCE'
  const data = { afterRollback: holdAfterRollback !== false, mode } as const
  await client.updateHoldRule({ params: { id }, body: { data } })
}

async function setNetwork(id: string, { network }: ProjectDocumentOf<'Environment'>, context: ApplyContext) {
  if (network === undefined) return
  const { cloudAccount, ...others } = network
  const data = { cloudAccountId: idOf(context, keyFor('CloudAccount', cloudAccount)), ...others }
  await context.client.updateEnvironmentNetwork({ params: { id }, body: { data } })
}
