import { present } from '../../../platform/present.ts'
import { environmentIdOf } from '../applying.ts'
import type { Kind } from '../kind.ts'
import { toEnvironment } from '../naming.ts'
import { addRecord, all } from '../reading.ts'

export const domain: Kind<'Domain'> = {
  identity: ['environment', 'name'],
  references: ({ environment }) => toEnvironment(environment),
  rejectChange: () => ({
    path: '$',
    message: 'a domain cannot change: remove it, then apply again to create the new one',
  }),
  async read(reader, projectId) {
    const { client, environments } = reader
    for (const { id, name, description, environmentId } of await all((page) =>
      client.listDomains({ query: { projectId, ...page } }),
    )) {
      const environment = environments.get(environmentId)
      if (environment === undefined) continue
      addRecord(reader, id, { kind: 'Domain', name, environment, ...present({ description }) })
    }
  },
  async create({ name, environment, description }, context) {
    const data = { environmentId: environmentIdOf(context, environment), name, ...present({ description }) }
    return (await context.client.createDomain({ body: { data } }, context.once('domain'))).data
  },
  remove: (id, { client }) => client.deleteDomain({ params: { id } }),
}
