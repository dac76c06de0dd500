import type { ProjectDocumentOf } from '@sluice/contract'
import { placeFaults } from '../../../cloud/execution-environments/machine.ts'
import { present } from '../../../platform/present.ts'
import { idOf, named, parentOf, pick, renamed } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toCloudAccount, toEnvironment } from '../naming.ts'
import { addName, addRecord, all, nameOf, reads, titled } from '../reading.ts'

export const executionEnvironment: Kind<'ExecutionEnvironment'> = {
  identity: ['name'],
  isShared: true,
  references: ({ cloudAccount }) => toCloudAccount(cloudAccount, '$.cloudAccount'),
  normalize: (field, value) =>
    field === 'network' && typeof value === 'object' && value ? { assignPublicIp: false, ...value } : value,
  faults(document, existing) {
    const { type = existing?.type ?? 'cloud', cloudAccount, region, network, size, clusterName } = document
    const place = present({ cloudAccountId: cloudAccount, region, network, size, clusterName })
    return placeFaults(type, place, existing ? 'changes' : 'all').map((line) =>
      line.replace(/^\$\.data\./, '$.').replace('$.cloudAccountId', '$.cloudAccount'),
    )
  },
  rejectChange: (_, fields) =>
    fields.includes('type')
      ? { path: '$.type', message: 'the type cannot change after creation; use another name' }
      : undefined,
  async read(reader) {
    const isNamed = JSON.stringify(reader.documents)?.includes('{ExecutionEnvironment:') ?? true
    if (!isNamed && !reads(reader, 'ExecutionEnvironment', 'ExecutionAssignment')) return
    for (const one of await all((query) => reader.client.listExecutionEnvironments({ query }))) {
      const { id, givenId, kind: type, cloudAccountId, region, network, size, clusterName } = one
      const cloudAccount = nameOf(reader, 'CloudAccount', cloudAccountId)
      const place = present({ cloudAccount, region, network, size, clusterName })
      addRecord(reader, id, { kind: 'ExecutionEnvironment', name: givenId, ...titled(one), type, ...place })
      addName(reader, id, keyFor('ExecutionEnvironment', givenId))
    }
  },
  async create(document, context) {
    const { name: givenId, type = 'cloud' } = document
    const data = { givenId, kind: type, ...named(document), ...placeOf(document, context) }
    const { client, once } = context
    return (await client.createExecutionEnvironment({ body: { data } }, once('execution-environment'))).data
  },
  update(id, document, _, context) {
    const data = { ...renamed(document), ...placeOf(document, context) }
    return context.client.updateExecutionEnvironment({ params: { id }, body: { data } })
  },
}

/** Assignments of modules and of the whole organization are not part of a project. */
export const executionAssignment: Kind<'ExecutionAssignment'> = {
  identity: ['environment'],
  references: ({ environment, executionEnvironment }) => [
    ...toEnvironment(environment),
    { key: keyFor('ExecutionEnvironment', executionEnvironment), path: '$.executionEnvironment' },
  ],
  async read(reader, projectId) {
    const { client, environments } = reader
    for (const query of [{ parentType: 'project', parentId: projectId }, { parentType: 'environment' }] as const) {
      for (const one of await all((page) => client.listExecutionAssignments({ query: { ...query, ...page } }))) {
        const environment = environments.get(one.parentId)
        if (query.parentType === 'environment' && environment === undefined) continue
        const name = nameOf(reader, 'ExecutionEnvironment', one.executionEnvironmentId)
        if (name === undefined) continue
        addRecord(reader, one.id, {
          kind: 'ExecutionAssignment',
          ...present({ environment }),
          executionEnvironment: name,
        })
      }
    }
  },
  async create({ environment, executionEnvironment }, context) {
    const executionEnvironmentId = idOf(context, keyFor('ExecutionEnvironment', executionEnvironment))
    const data = { ...parentOf(context, environment), executionEnvironmentId }
    return (await context.client.createExecutionAssignment({ body: { data } }, context.once('assignment'))).data
  },
  update(id, { executionEnvironment }, _, context) {
    const data = { executionEnvironmentId: idOf(context, keyFor('ExecutionEnvironment', executionEnvironment)) }
    return context.client.updateExecutionAssignment({ params: { id }, body: { data } })
  },
  remove: (id, { client }) => client.deleteExecutionAssignment({ params: { id } }),
}

function placeOf({ cloudAccount, ...document }: ProjectDocumentOf<'ExecutionEnvironment'>, context: ApplyContext) {
  const place = pick(document, ['region', 'network', 'size', 'clusterName'])
  if (cloudAccount === undefined) return place
  return { cloudAccountId: idOf(context, keyFor('CloudAccount', cloudAccount)), ...place }
}
