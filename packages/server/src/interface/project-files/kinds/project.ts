import { accessOf, named, renamed } from '../applying.ts'
import type { Kind } from '../kind.ts'

export const project: Kind<'Project'> = {
  identity: ['name'],
  async read() {}, // read-project.ts adds it, because all other records need its id
  async create(document, { client, once }) {
    const data = { givenId: document.name, ...named(document), ...accessOf(document) }
    return (await client.createProject({ body: { data } }, once('project'))).data
  },
  update: (id, document, _, { client }) =>
    client.updateProject({ params: { id }, body: { data: { ...renamed(document), ...accessOf(document) } } }),
}
