import { environmentIdOf, pick } from '../applying.ts'
import type { Kind } from '../kind.ts'
import { toEnvironment } from '../naming.ts'
import { addRecord, all } from '../reading.ts'

const fields = ['reason', 'soakMinutes', 'start', 'mode'] as const

export const promotionRule: Kind<'PromotionRule'> = {
  identity: ['from', 'to'],
  references: ({ from, to }) => [...toEnvironment(from, '$.from'), ...toEnvironment(to, '$.to')],
  async read(reader, projectId) {
    const { client, environments } = reader
    for (const one of await all((page) => client.listPromotionRules({ query: { projectId, ...page } }))) {
      const [from, to] = [environments.get(one.fromEnvironmentId), environments.get(one.environmentId)]
      if (from === undefined || to === undefined) continue
      addRecord(reader, one.id, { kind: 'PromotionRule', from, to, ...pick(one, fields) })
    }
  },
  async create(document, context) {
    const data = {
      fromEnvironmentId: environmentIdOf(context, document.from),
      environmentId: environmentIdOf(context, document.to),
      ...pick(document, fields),
    }
    return (await context.client.createPromotionRule({ body: { data } }, context.once('promotion-rule'))).data
  },
  update: (id, document, _, { client }) =>
    client.updatePromotionRule({ params: { id }, body: { data: pick(document, fields) } }),
  remove: (id, { client }) => client.deletePromotionRule({ params: { id } }),
}
