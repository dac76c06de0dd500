import { pick, scopeOf } from '../applying.ts'
import type { Kind } from '../kind.ts'
import { toScope } from '../naming.ts'
import { addRecord, all, isInProject, scopeIn } from '../reading.ts'

const fields = ['reason', 'window', 'stops', 'mode', 'onRelease', 'afterwards'] as const

export const freeze: Kind<'Freeze'> = {
  identity: ['environment', 'instance', 'name'],
  references: toScope,
  unordered: ['stops'],
  async read(reader, projectId) {
    const freezes = await all((page) => reader.client.listFreezes({ query: { projectId, ...page } }))
    for (const one of freezes.filter(isInProject(reader))) {
      addRecord(reader, one.id, { kind: 'Freeze', name: one.name, ...scopeIn(reader, one), ...pick(one, fields) })
    }
  },
  async create(document, context) {
    const { name } = document
    const data = { ...scopeOf(document, context), name, ...pick(document, fields) }
    return (
      (await context.findExisting(document)) ??
      (await context.client.createFreeze({ body: { data } }, context.once('freeze'))).data
    )
  },
  update: (id, document, _, { client }) =>
    client.updateFreeze({ params: { id }, body: { data: pick(document, fields) } }),
  remove: (id, { client }) => client.deleteFreeze({ params: { id } }),
}
